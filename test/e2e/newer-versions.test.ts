// What a newer Lainclaw has written: every file and every database is refused with its name and both versions, and stays
// byte for byte as it is.
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, it } from 'vitest';
import { createHome, type Home } from '../support/home.ts';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

interface NewerFile {
  path: string;
  /** What the newer version wrote; of a database, the version of its tables is raised instead. */
  content?: object;
  commands: string[][];
}

const pairing = ['pairing', 'list', '--channel', 'telegram'];

const FILES: NewerFile[] = [
  {
    path: 'config.json',
    content: { provider: 'stub', more: {} },
    commands: [['ask', 'hi'], ['sessions', 'list'], ['doctor']],
  },
  {
    path: 'sessions/sessions.json',
    content: { sessions: {} },
    commands: [
      ['ask', 'hi'],
      ['ask', 'hi', '--new-session'],
      ['sessions', 'list'],
      ['sessions', 'show', 'main'],
    ],
  },
  {
    path: 'sessions/sessions.db',
    commands: [
      ['ask', 'hi'],
      ['sessions', 'list'],
      ['sessions', 'show', 'main'],
    ],
  },
  {
    path: 'lainclaw.db',
    commands: [
      ['memory', 'search', 'x'],
      ['memory', 'save', 'x'],
      ['schedule', 'list'],
      ['schedule', 'add', 'n', '--cron', '0 9 * * *', '--message', 'm'],
      ['agents', 'status'],
    ],
  },
  { path: 'undo/undo.db', commands: [['undo', '--list'], ['undo'], ['sessions', 'diff']] },
  {
    path: 'tainted-files.json',
    content: { files: {}, trees: {}, pending: {} },
    commands: [['trust', 'approve', '.']],
  },
  {
    path: 'unfinished-undos.json',
    content: { undos: [] },
    commands: [['undo', '--list'], ['undo'], ['sessions', 'diff']],
  },
  {
    path: 'gateway.json',
    content: { default: {}, channels: {}, more: true },
    commands: [
      ['gateway', 'config', 'show'],
      ['gateway', 'config', 'set', '--provider', 'stub'],
      ['gateway', 'start', '--channel', 'local'],
    ],
  },
  {
    path: 'telegram-pairing.json',
    content: { requests: {} },
    commands: [pairing, ['pairing', 'approve', 'ABCDEFGH', '--channel', 'telegram']],
  },
  {
    path: 'telegram-allowFrom.json',
    content: { allowFrom: {} },
    commands: [pairing, ['pairing', 'revoke', '7', '--channel', 'telegram']],
  },
  {
    path: 'auth-profiles.json',
    content: { profiles: [] },
    commands: [
      ['auth', 'status'],
      ['auth', 'logout', '--all'],
      ['ask', 'hi', '--provider', 'openai'],
    ],
  },
  {
    path: 'permissions.json',
    content: { deny: {} },
    commands: [['tools', 'invoke', 'file_write', '--args', '{"path":"x","content":"y"}']],
  },
  {
    path: 'core_memory.json',
    content: { people: {} },
    commands: [
      ['memory', 'core', 'get'],
      ['memory', 'core', 'set', 'user', 'name', 'Anna'],
    ],
  },
  {
    path: 'console.json',
    content: { people: [], sessions: [], links: [] },
    commands: [
      ['console', 'people'],
      ['console', 'key', 'x'],
    ],
  },
  {
    path: 'mcp.json',
    content: { mcpServers: [] },
    commands: [
      ['mcp', 'list'],
      ['mcp', 'add', 'x', 'true'],
      ['mcp', 'remove', 'x'],
    ],
  },
  {
    path: 'memory-model.json',
    content: { use: { model: 'x' } },
    commands: [
      ['memory', 'model', 'use', 'none'],
      ['memory', 'model', 'list'],
    ],
  },
  { path: 'models/mine/model.json', content: { files: [] }, commands: [['memory', 'model', 'use', 'mine']] },
  { path: 'skills/.installed.json', content: { skills: [] }, commands: [['skills', 'list']] },
];

let made: Home;
/** A home in which every database exists. */
beforeAll(async () => {
  made = createHome();
  afterFile(() => made.remove());
  await ask(made, 'hi');
  await ask(made, 'tool:file_write {"path":"a.txt","content":"b"}', '--approve', 'auto');
  await lainclaw(['memory', 'save', 'a note'], { home: made });
});

function copyOf(home: Home): Home {
  const copy = testHome();
  cpSync(home.path, copy.path, { recursive: true });
  return copy;
}

function makeNewer(home: Home, { path, content }: NewerFile): void {
  const target = join(home.path, path);
  mkdirSync(dirname(target), { recursive: true });
  if (content) {
    writeFileSync(target, JSON.stringify({ version: 7, ...content }));
    return;
  }
  const db = new DatabaseSync(target);
  db.exec('PRAGMA user_version = 7; CREATE TABLE of_a_newer_version (a); PRAGMA journal_mode = DELETE');
  db.close();
}

/** Everything in the home but locks, which are empty. */
function bytesOf(home: Home): Map<string, string> {
  const names = readdirSync(home.path, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => !name.startsWith('locks') && statSync(join(home.path, name)).isFile());
  return new Map(files.map((name) => [name, readFileSync(join(home.path, name), 'base64')]));
}

it.concurrent.each(
  FILES.flatMap((file) =>
    file.commands.map((command) => ({ file, command, name: `${file.path}: ${command.join(' ')}` })),
  ),
)('$name', async ({ file, command }) => {
  const home = copyOf(made);
  makeNewer(home, file);
  const before = bytesOf(home).get(file.path);
  const { code, stdout, stderr } = await lainclaw(command, { home });
  const said = `${stdout}${stderr}`;
  expect(code, said).toBe(1);
  expect(said).toContain(join(home.path, file.path));
  expect(said).toMatch(/version 7, this one understands version \d+\): upgrade lainclaw/);
  expect(said).not.toMatch(/^ +at /m);
  expect(bytesOf(home).get(file.path)).toBe(before);
});

it('a transcript is refused and not touched, by every command that reads it', async () => {
  const home = copyOf(made);
  const path = home.transcriptPath();
  const [first = '', ...rest] = readFileSync(path, 'utf8').split('\n');
  const newer = [JSON.stringify({ ...(JSON.parse(first) as object), version: 7 }), ...rest, '{"torn'].join('\n');
  writeFileSync(path, newer);
  for (const command of [
    ['ask', 'hi'],
    ['sessions', 'show', 'main'],
    ['sessions', 'export', 'main'],
    ['sessions', 'replay', 'main'],
  ]) {
    const { code, stderr } = await lainclaw(command, { home });
    expect(code, stderr).toBe(1);
    expect(stderr).toMatch(
      /STORAGE_NEWER_VERSION: .*\.jsonl.*version 7, this one understands version 1.*upgrade lainclaw/,
    );
    expect(readFileSync(path, 'utf8')).toBe(newer);
  }
  expect((await lainclaw(['ask', 'hi', '--session', 'other'], { home })).code).toBe(0);
});
