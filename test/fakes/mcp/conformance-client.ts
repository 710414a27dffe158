// Our client code as the conformance suite starts it: with the address of the scenario's server as its last argument.
import { createMcpConfig } from '../../../src/mcp/config.ts';
import { createMcpServers } from '../../../src/mcp/servers.ts';
import { createToolLists } from '../../../src/mcp/tool-list.ts';
import { schemaProblem } from '../../../src/tools/validate.ts';
import { memoryOwnerFiles } from '../../support/memory-owner-files.ts';

const url = process.argv.at(-1) ?? '';
const files = memoryOwnerFiles({ 'mcp.json': JSON.stringify({ mcpServers: { suite: { url } } }) });
const now = (): number => Date.now();
const servers = createMcpServers({
  config: createMcpConfig({ files }),
  lists: createToolLists({ files, now }),
  accepts: schemaProblem,
  version: '0.0.0',
  variables: {},
  log: () => {},
  now,
});

const signal = AbortSignal.timeout(20_000);
const { tools, problems } = await servers.tools(signal);
if (problems.length > 0) throw new Error(problems.join('; '));
for (const { server, tool } of tools) {
  const args = tool.name === 'add_numbers' ? { a: 5, b: 3 } : {};
  const { ok, text } = await servers.call(server, tool.name, args, { signal, timeoutMs: 10_000, progress: () => {} });
  if (!ok) throw new Error(text);
}
await servers.close();
