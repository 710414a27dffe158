import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryOwnerFiles } from '../../test/support/memory-owner-files.ts';
import { createMcpConfig, type McpConfig } from './config.ts';
import type { McpServerConfig } from './mcp.ts';

const withFile = (text: string): McpConfig => createMcpConfig({ files: memoryOwnerFiles({ 'mcp.json': text }) });
const withServers = (mcpServers: unknown): McpConfig => withFile(JSON.stringify({ mcpServers }));
const problemOf = async (config: McpConfig): Promise<string> => {
  const error = await config.read().then(
    () => undefined,
    (reason: Error) => reason,
  );
  expect(error?.name).toBe('McpError');
  return error?.message ?? '';
};

describe('mcp.json', () => {
  it('means no servers where there is none', async () => {
    expect(await createMcpConfig({ files: memoryOwnerFiles() }).read()).toEqual(new Map());
    expect(await withFile('{}').read()).toEqual(new Map());
  });

  it('is read in the form other programs write it', async () => {
    const servers = await withServers({
      a: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { A: 'b' } },
      b: { type: 'http', url: 'https://example.com/mcp', headers: { X: 'y' } },
      c: { command: 'x', cwd: '/tmp' },
    }).read();
    expect([...servers]).toEqual([
      ['a', { kind: 'command', command: 'npx', args: ['-y', 'x'], env: { A: 'b' } }],
      ['b', { kind: 'url', url: 'https://example.com/mcp', headers: { X: 'y' } }],
      ['c', { kind: 'command', command: 'x', args: [], env: {}, cwd: '/tmp' }],
    ]);
  });

  it('lists every problem at once, with the nearest name', async () => {
    const problem = await problemOf(
      withServers({
        'a b': { command: 'x' },
        both: { command: 'x', url: 'http://x' },
        neither: {},
        text: 'x',
        typo: { command: 'x', agrs: [], zzzzz: 1 },
        types: { command: ' ', args: [1], env: { A: 1 }, cwd: 3 },
        address: { url: 'file:///etc', headers: [] },
        user: { url: 'http://me:pa55@x/' },
        who: { url: 'http://x', oauth: { clientSecret: 'pa55' } },
      }),
    );
    for (const part of [
      '"a b" cannot name a server',
      '"both": it needs either',
      '"neither": it needs either',
      '"text": it must be an object',
      '"typo": "agrs" is not one of its settings (did you mean "args"?)',
      '"zzzzz" is not one of its settings; accepted: command, args, env, cwd, type',
      '"types": "command" must be a program',
      '"args" must be a list of texts',
      '"env" must be texts by name',
      '"cwd" must be a directory',
      '"url" must be an http:// or https:// address',
      '"headers" must be texts by name',
      '"url" must not contain a user or password',
      '"who": "oauth" must hold "clientId"',
    ])
      expect(problem).toContain(part);
    expect(problem).not.toContain('pa55');
  });

  it('takes who we are to a sign-in in the forms that make sense', async () => {
    const withOAuth = (oauth: object) => withServers({ a: { url: 'https://x', oauth } });
    const grant = 'client_credentials';
    const company = {
      grant: 'cross_app_access',
      clientId: 'a',
      clientSecret: 'b',
      idpTokenUrl: 'https://id.example.com/token',
      idpClientId: 'c',
      idTokenFile: '/run/id-token',
    };
    for (const oauth of [
      { clientId: 'a' },
      { clientId: 'a', clientSecret: 'b' },
      { clientMetadataUrl: 'https://x/y.json' },
      { grant, clientId: 'a', clientSecret: 'b' },
      { grant, clientId: 'a', privateKey: 'b', algorithm: 'ES256' },
      { grant, clientId: 'a', clientSecret: 'b', issuer: 'https://x' },
      company,
      { ...company, idpClientSecret: 'd', issuer: 'https://x', idpTokenUrl: 'http://localhost:1/token' },
    ])
      expect((await withOAuth(oauth).read()).get('a')).toMatchObject({ oauth });
    for (const oauth of [
      {},
      { clientId: 1 },
      { clientId: '' },
      { grant, clientId: 'a' },
      { grant: 'password', clientId: 'a', clientSecret: 'b' },
      { clientMetadataUrl: 'http://x/y.json' },
      { clientId: 'a', more: 'b' },
      { clientId: 'a', issuer: 'https://x' },
      { ...company, grant },
      { ...company, idpTokenUrl: 'http://id.example.com/token' },
      { ...company, idTokenFile: '' },
    ])
      expect(await problemOf(withOAuth(oauth))).toContain('"oauth" must hold');
  });

  it('tells broken JSON, a wrong shape and a mistyped key apart', async () => {
    expect(await problemOf(withFile('{'))).toContain('is not valid JSON');
    for (const text of ['[]', 'null', '3', '{"mcpServers": []}'])
      expect(await problemOf(withFile(text))).toContain('must hold');
    expect(await problemOf(withFile('{"mcpServer": {}}'))).toContain('did you mean "mcpServers"?');
  });

  it('ends reading any text with servers or with an McpError', async () => {
    const entry = fc.oneof(
      fc.jsonValue(),
      fc.record({ command: fc.jsonValue(), args: fc.jsonValue() }, { requiredKeys: [] }),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), entry), async (mcpServers) => {
        const read = await withServers(mcpServers)
          .read()
          .catch((error: Error) => error);
        if (read instanceof Error) expect(read.name).toBe('McpError');
        else expect([...read.keys()].every((name) => /^[a-zA-Z0-9-]+$/.test(name))).toBe(true);
      }),
    );
  });
});

describe('adding and removing', () => {
  const server: McpServerConfig = { kind: 'command', command: 'x', args: ['1'], env: {} };

  it('gives back what was added, whatever it holds', async () => {
    const texts = fc.dictionary(fc.string({ minLength: 1 }), fc.string());
    const command = fc.record({
      kind: fc.constant('command' as const),
      command: fc.string().filter((text) => text.trim() !== ''),
      args: fc.array(fc.string()),
      env: texts,
    });
    const url = fc.record({ kind: fc.constant('url' as const), url: fc.webUrl(), headers: texts });
    await fc.assert(
      fc.asyncProperty(fc.oneof(command, url), async (given) => {
        const config = createMcpConfig({ files: memoryOwnerFiles() });
        await config.add('one', given, { replace: false });
        expect((await config.read()).get('one')).toEqual(given);
      }),
    );
  });

  it('keeps what else is in the file', async () => {
    const files = memoryOwnerFiles({
      'mcp.json': '{"inputs": [1], "mcpServers": {"b": {"command": "y", "type": "stdio"}}}',
    });
    const config = createMcpConfig({ files });
    await config.add('a', server, { replace: false });
    await config.remove('a');
    const kept = { inputs: [1], mcpServers: { b: { command: 'y', type: 'stdio' } } };
    expect(JSON.parse(files.texts.get('mcp.json') ?? '')).toEqual(kept);
  });

  it('refuses what could not be read again, and changes nothing', async () => {
    const files = memoryOwnerFiles();
    const config = createMcpConfig({ files });
    await expect(config.add('a_b', server, { replace: false })).rejects.toThrow('cannot name a server');
    await expect(config.add('a', { ...server, command: '' }, { replace: false })).rejects.toThrow('must be a program');
    expect(files.texts.size).toBe(0);
    await config.add('a', server, { replace: false });
    await expect(config.add('a', server, { replace: false })).rejects.toThrow('--force');
    await config.add('a', { ...server, command: 'y' }, { replace: true });
    await expect(config.remove('ab')).rejects.toThrow('did you mean a?');
    expect((await config.read()).get('a')).toMatchObject({ command: 'y' });
  });

  it('leaves a damaged file as it is', async () => {
    const files = memoryOwnerFiles({ 'mcp.json': '{"mcpServers": ' });
    const config = createMcpConfig({ files });
    await expect(config.add('a', server, { replace: true })).rejects.toThrow('is not valid JSON');
    await expect(config.remove('a')).rejects.toThrow('is not valid JSON');
    expect(files.texts.get('mcp.json')).toBe('{"mcpServers": ');
  });
});
