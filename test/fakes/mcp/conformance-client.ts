// Our client code as the conformance suite starts it: with the address of the scenario's server as its last argument.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createMcpConfig } from '../../../src/mcp/config.ts';
import { login } from '../../../src/mcp/login.ts';
import { createMcpServers } from '../../../src/mcp/servers.ts';
import { createSignIns } from '../../../src/mcp/sign-in.ts';
import { createToolLists } from '../../../src/mcp/tool-list.ts';
import { schemaProblem, valueProblem } from '../../../src/tools/validate.ts';
import { memoryOwnerFiles } from '../../support/memory-owner-files.ts';

const url = process.argv.at(-1) ?? '';
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const suite = { url, ...(oauth() && { oauth: oauth() }) };
const files = memoryOwnerFiles({ 'mcp.json': JSON.stringify({ mcpServers: { suite } }) });
const config = createMcpConfig({ files });
const signIns = createSignIns({ files, variables: {} });
const now = (): number => Date.now();
const servers = createMcpServers({
  config,
  lists: createToolLists({ files, now }),
  accepts: schemaProblem,
  fits: valueProblem,
  version: '0.0.0',
  variables: {},
  log: () => {},
  signIns,
  now,
});

const signal = AbortSignal.timeout(160_000);

/** What a person does in a browser: goes where the server says, and is sent back. */
async function visit(address: URL): Promise<void> {
  const response = await fetch(address, { redirect: 'manual' });
  await fetch(response.headers.get('location') ?? '');
}

/** As a person would: signs in when told to, once more when a call wants more, and then gives up. */
async function signingIn<T>(use: () => Promise<T>, left = 2): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (left === 0 || !String(error).includes('needs a sign-in')) throw error;
    const server = (await config.read()).get('suite');
    if (server?.kind !== 'url') throw error;
    await login({
      name: 'suite',
      server,
      signIns,
      version: '0.0.0',
      variables: {},
      visit: (url) => void visit(url),
      signal,
    });
    return signingIn(use, left - 1);
  }
}

const { tools } = await signingIn(() => servers.refresh('suite', signal));
for (const { name } of tools) {
  const args = name === 'add_numbers' ? { a: 5, b: 3 } : {};
  // As a person who accepts what is asked without filling anything in.
  const elicit = async () => ({ action: 'accept' as const, content: {} });
  const options = { signal, timeoutMs: 120_000, progress: () => {}, elicit };
  const { ok, text } = await signingIn(() => servers.call('suite', name, args, options));
  if (!ok) throw new Error(text);
}
await servers.close();

/** As an owner would write it who knows how to introduce themselves. */
function oauth(): object | undefined {
  const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Record<string, string>;
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
  const grant = 'client_credentials';
  if (scenario === 'auth/cross-app-access-complete-flow') {
    const idTokenFile = join(mkdtempSync(join(tmpdir(), 'lainclaw-conformance-')), 'id-token');
    process.on('exit', () => rmSync(dirname(idTokenFile), { recursive: true, force: true }));
    writeFileSync(idTokenFile, context.idp_id_token ?? '', { mode: 0o600 });
    const { idp_token_endpoint: idpTokenUrl, idp_client_id: idpClientId } = context;
    return { grant: 'cross_app_access', clientId, clientSecret, idpTokenUrl, idpClientId, idTokenFile };
  }
  if (scenario === 'auth/basic-cimd')
    return { clientMetadataUrl: 'https://conformance-test.local/client-metadata.json' };
  if (scenario === 'auth/client-credentials-basic') return { grant, clientId, clientSecret };
  if (privateKey) return { grant, clientId, privateKey, algorithm: context.signing_algorithm };
  return clientId ? { clientId, clientSecret } : undefined;
}
