// Every command once through the built binary: what runs in the process of the other tests also runs in one of its own, from
// the launcher to the exit code.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runBinary, terminal } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

interface Row {
  args: string[];
  stdin?: string;
  code?: number;
  /** What stdout, one JSON value, holds. */
  holds: unknown;
}

const anything = expect.anything();
const SESSION_FLAGS: Record<string, string[]> = {
  rename: ['A title'],
  rewind: ['--turn', 'turn-1'],
  delete: ['--yes'],
};

const ROWS: Row[] = [
  { args: ['ask', 'hello'], holds: { success: true, route: anything } },
  {
    args: ['ask', '-'],
    stdin: 'from a pipe',
    holds: { success: true, result: expect.stringContaining('from a pipe') },
  },
  {
    args: ['ask', '--provider', 'nope', 'hi'],
    code: 2,
    holds: { success: false, error: { code: 'UNSUPPORTED_PROVIDER' } },
  },
  { args: ['chat'], code: 2, holds: { success: false, error: { code: 'NO_TERMINAL' } } },
  { args: ['up', '--port', 'x'], code: 2, holds: { success: false, error: { code: 'USAGE' } } },
  { args: ['setup', '--yes'], code: 2, holds: { success: false, error: { code: 'USAGE' } } },
  { args: ['tools', 'list'], holds: expect.arrayContaining([expect.objectContaining({ name: 'bash' })]) },
  { args: ['tools', 'invoke', 'time.now'], holds: { result: { ok: true } } },
  { args: ['gateway', 'status'], holds: { status: 'stopped' } },
  { args: ['gateway', 'config', 'path'], holds: { path: expect.stringContaining('gateway.json') } },
  { args: ['console', 'key', 'an editor'], holds: { secret: expect.stringMatching(/^lk-/) } },
  { args: ['pairing', 'list'], holds: anything },
  { args: ['permissions', 'list'], holds: { workspace: { allow: [] }, global: { allow: [] } } },
  { args: ['memory', 'save', '-'], stdin: 'The bridge is old.', holds: { added: true } },
  { args: ['memory', 'search', 'bridge'], holds: anything },
  { args: ['memory'], holds: { documents: 0, notes: 0, scopes: [], latest: [] } },
  { args: ['memory', 'why'], code: 1, holds: { success: false, error: { code: 'TURN_NOT_FOUND' } } },
  { args: ['memory', 'log'], holds: { waiting: { turns: 0, conversations: 0, givenUp: 0 } } },
  { args: ['schedule', 'list'], holds: anything },
  { args: ['sessions', 'list'], holds: [] },
  { args: ['sessions', 'list', '--all'], holds: [] },
  { args: ['sessions', 'search', 'words'], holds: [] },
  ...['show', 'rename', 'fork', 'rewind', 'delete', 'export', 'replay'].map((verb) => ({
    args: ['sessions', verb, 'nowhere', ...(SESSION_FLAGS[verb] ?? [])],
    code: 1,
    holds: { success: false, error: { code: expect.stringMatching(/SESSION/) } },
  })),
  ...['init', 'migrate'].map((verb) => ({
    args: ['store', verb],
    code: 1,
    holds: { success: false, error: { message: expect.stringContaining('LAINCLAW_STORE') } },
  })),
  { args: ['store', 'status'], holds: { success: true, place: 'home' } },
  {
    args: ['store', 'copy', '--from', 'local', '--to', 'postgres'],
    code: 1,
    holds: { success: false, error: { message: expect.stringContaining('LAINCLAW_STORE') } },
  },
  { args: ['ps'], holds: [] },
  { args: ['trust', 'list'], holds: { folders: [] } },
  { args: ['trust', 'approve', '.'], holds: { approved: 0 } },
  { args: ['undo'], code: 1, holds: { success: false } },
  { args: ['skills', 'list'], holds: anything },
  { args: ['agents', 'list'], holds: anything },
  { args: ['mcp', 'list'], holds: anything },
  { args: ['docs', 'list'], holds: anything },
  { args: ['models', '--provider', 'nope'], code: 2, holds: { success: false } },
  { args: ['auth', 'status'], holds: anything },
  { args: ['config', 'get', 'language'], holds: { key: 'language', value: 'en' } },
  { args: ['doctor'], holds: anything },
  { args: ['selftest'], holds: anything },
  { args: ['audit', 'verify'], holds: { isSound: true, lines: 0 } },
  { args: ['backup', '--output', 'home.backup'], holds: { success: true, isEncrypted: false } },
  { args: ['restore', 'nowhere'], code: 1, holds: { success: false, error: { code: 'BACKUP_NOT_FOUND' } } },
];

describe('through the binary', () => {
  it.concurrent.each(ROWS)('$args', async ({ args, stdin, code = 0, holds }) => {
    const finished = await runBinary(args, { home: testHome(), stdin });
    expect(finished.json()).toMatchObject(holds as object);
    expect(finished.code).toBe(code);
    // Node's own, of a cycle between two files of the bundle for example.
    expect(finished.stderr).not.toMatch(/Warning/);
  });

  it('renames, finds, copies, rewinds and deletes a conversation', async () => {
    const home = testHome();
    const run = async (...args: string[]) => {
      const { code, json } = await runBinary(args, { home });
      return [code, json()];
    };
    for (const input of ['plant the roses', 'water the roses']) await run('ask', input);
    const [turn] = home.lines('main').flatMap((line) => (line.type === 'turn-start' ? [String(line.turnId)] : []));
    expect(await run('sessions', 'rename', 'main', 'The garden')).toMatchObject([
      0,
      { session: { title: 'The garden' } },
    ]);
    expect(await run('sessions', 'search', 'garden')).toMatchObject([0, [{ sessionKey: 'main' }]]);
    expect(await run('sessions', 'fork', 'main', '--as', 'copy')).toMatchObject([
      0,
      { session: { sessionKey: 'copy' } },
    ]);
    expect(await run('sessions', 'rewind', 'main', '--turn', turn ?? '')).toMatchObject([0, { turnId: turn }]);
    expect(home.messages().filter(({ role }) => role === 'user')).toHaveLength(1);
    expect(await run('sessions', 'delete', 'copy', '--yes')).toMatchObject([0, { deleted: [expect.any(String)] }]);
    expect(await run('sessions', 'list')).toMatchObject([0, [{ sessionKey: 'main', title: 'The garden' }]]);
  });

  it('has a row for every command', async () => {
    const { stdout } = await runBinary(['--help'], { home: testHome() });
    const commands = [...(stdout.split('Commands:')[1] ?? '').matchAll(/^ {2}(\w\S*)/gm)].map(([, name]) => name);
    const tried = new Set([...ROWS.map(({ args }) => args[0]), 'completion', 'help']);
    expect(commands.length).toBeGreaterThan(20);
    expect(commands.filter((name) => !tried.has(name))).toEqual([]);
  });

  it('prints help, the version and a script for a shell', async () => {
    const home = testHome();
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await runBinary(['--version'], { home })).toMatchObject({ code: 0, stdout: `${version}\n` });
    expect(await runBinary(['ask', '--help'], { home })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Usage: lainclaw ask/),
    });
    expect(await runBinary(['completion', 'bash'], { home })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('lainclaw completion'),
    });
  });

  it('writes text to a terminal', async () => {
    const { code, stdout } = await terminal(['ask', 'hello'], { home: testHome() });
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/^\{/m);
  });
});
