// A home with a file of every kind, and every way to damage one of them.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createSpending } from '../../src/storage/local/spending.ts';
import type { Home } from './home.ts';
import { ask, lainclaw } from './lainclaw.ts';

/** Gives a home at least one file of every kind, and makes a backup of it. */
export async function fillHome(home: Home): Promise<Home> {
  const run = async (...args: string[]): Promise<void> => {
    const { code, stdout, stderr } = await lainclaw(args, { home });
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
  };
  for (const word of ['roses', 'tulips', 'oaks']) await ask(home, `plant the ${word}`, '--session', word, '--memory');
  await ask(home, 'tool:time.now');
  await run('memory', 'save', 'The bridge over the river is old.');
  await run('memory', 'core', 'set', 'user', 'city', 'Riga');
  await run('schedule', 'add', 'morning', '--cron', '0 8 * * *', '--message', 'what is new?');
  await run('trust', 'add', home.workspace);
  await run('permissions', 'add', 'bash(make)');
  await run('config', 'set', 'language', 'en');
  await run('tools', 'invoke', 'file_write', '--args', '{"path":"a.txt","content":"hello"}', '--mode', 'auto');
  await createSpending(join(home.path, 'spending')).add('2026-11-16', { tokens: 12, costUsd: 0.5 });
  for (const [path, text] of Object.entries({
    'SOUL.md': 'Be brief.\n',
    'memory/roses.md': '# Summary\n\nRoses were planted.\n',
    'commands/greet.md': 'Greet $ARGUMENTS\n',
    'outputs/session-1/call-1.txt': 'a long output\n'.repeat(20),
  })) {
    mkdirSync(dirname(join(home.path, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(home.path, path), text, { mode: 0o600 });
  }
  await run('backup', '--automatic');
  return home;
}

/** Files whose damage can be seen. */
export function damageableFiles(home: Home): string[] {
  return readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.db-(?:shm|wal)$|\.lock$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(home.path.length + 1))
    .filter((path) => !path.startsWith('sandbox/') && statSync(join(home.path, path)).size > 0)
    .toSorted();
}

export type Damage = (path: string, pick: (below: number) => number) => void;

/** As a disk does it: the time of the file stays. */
function onDisk(change: (bytes: Buffer, pick: (below: number) => number) => Buffer): Damage {
  return (path, pick) => replaceOnDisk(path, change(readFileSync(path), pick));
}

export function replaceOnDisk(path: string, bytes: Uint8Array): void {
  execFileSync('cp', ['-a', path, `${path}.before`]);
  writeFileSync(path, bytes);
  execFileSync('touch', ['-r', `${path}.before`, path]);
  rmSync(`${path}.before`);
}

export const DAMAGE: Record<string, Damage> = {
  'a flipped bit': onDisk((bytes, pick) => {
    const at = pick(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << pick(8));
    return bytes;
  }),
  'a truncation': onDisk((bytes, pick) => bytes.subarray(0, pick(bytes.length))),
  'a stretch of zeros': onDisk((bytes, pick) => bytes.fill(0, pick(bytes.length))),
  emptying: onDisk((bytes) => bytes.subarray(0, 0)),
  deletion: (path) => rmSync(path),
  'open permissions': (path) => chmodSync(path, 0o644),
  'no permissions': (path) => chmodSync(path, 0o000),
  'a newer version': (path) => {
    if (path.endsWith('.db')) {
      const database = new DatabaseSync(path);
      database.exec('PRAGMA user_version = 999');
      database.close();
    } else if (path.endsWith('.json') && !path.endsWith('audit-head.json'))
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), version: 999 }));
    else chmodSync(path, 0o666);
  },
};
