import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asPersonOfCompany } from './cross-app-access.ts';

const directory = mkdtempSync(join(tmpdir(), 'lainclaw-cross-app-'));
const idTokenFile = join(directory, 'id-token');
const asked: URLSearchParams[] = [];
let idpTokenUrl = '';
let answer: (form: URLSearchParams) => { status: number; body: object };

const idp = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const form = new URLSearchParams(text);
  asked.push(form);
  const { status, body } = answer(form);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
beforeAll(async () => {
  await new Promise<void>((ready) => void idp.listen(0, '127.0.0.1', ready));
  idpTokenUrl = `http://127.0.0.1:${(idp.address() as AddressInfo).port}/token`;
});
afterAll(() => {
  idp.close();
  rmSync(directory, { recursive: true, force: true });
});

/** What would be sent to the server's sign-in. */
async function tokenRequest(): Promise<URLSearchParams> {
  const provider = await asPersonOfCompany('s', {
    grant: 'cross_app_access',
    clientId: 'us',
    clientSecret: 'pa55word',
    issuer: 'https://login.example.com',
    idpTokenUrl,
    idpClientId: 'us-there',
    idTokenFile,
  });
  await provider.saveAuthorizationServerUrl?.('https://login.example.com');
  await provider.saveResourceUrl?.('https://example.com/mcp');
  return (await provider.prepareTokenRequest?.('read')) ?? new URLSearchParams();
}

describe('signing in as a person of a company', () => {
  it('exchanges the ID token that is in the file now for a grant, and the ID token goes nowhere else', async () => {
    const type = 'urn:ietf:params:oauth:token-type:id-jag';
    answer = (form) => ({
      status: 200,
      body: { access_token: `grant-for-${form.get('subject_token')}`, issued_token_type: type, token_type: 'N_A' },
    });
    for (const token of ['first-token', 'second-token']) {
      writeFileSync(idTokenFile, `${token}\n`);
      const sent = await tokenRequest();
      expect(Object.fromEntries(asked.at(-1) ?? [])).toMatchObject({
        subject_token: token,
        audience: 'https://login.example.com',
        resource: 'https://example.com/mcp',
        client_id: 'us-there',
      });
      expect(asked.at(-1)?.has('client_secret')).toBe(false);
      expect(Object.fromEntries(sent)).toEqual({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: `grant-for-${token}`,
        scope: 'read',
      });
    }
  });

  it('says what the company says against it, without the ID token', async () => {
    writeFileSync(idTokenFile, 'secret-token');
    answer = (form) => ({
      status: 400,
      body: { error: 'invalid_grant', error_description: `${form.get('subject_token')} has run out` },
    });
    const failed = await tokenRequest().catch((error: Error) => error);
    expect(failed).toMatchObject({ name: 'McpError', code: 'MCP_UNREACHABLE' });
    expect(String(failed)).toContain('*** has run out');
    expect(String(failed)).not.toContain('secret-token');
  });

  it('says when there is no ID token', async () => {
    writeFileSync(idTokenFile, '\n');
    await expect(tokenRequest()).rejects.toThrow(`the server "s": the "idTokenFile" ${idTokenFile} is empty`);
    rmSync(idTokenFile);
    await expect(tokenRequest()).rejects.toThrow(`the server "s": the "idTokenFile" ${idTokenFile} cannot be read`);
  });
});
