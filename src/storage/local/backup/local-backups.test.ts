import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import fc from '../../../../test/support/fast-check.ts';
import { afterFile, testHome } from '../../../../test/support/test-home.ts';
import type { Backups } from '../../backups.ts';
import { createLocks } from '../locks.ts';
import { createEntryWriter } from './entries.ts';
import { createLocalBackups } from './local-backups.ts';
import { createChunkWriter } from './sealed-chunks.ts';
import { isRestoreUnfinished } from './switch-plan.ts';
import { finishRestore } from './unfinished-restore.ts';

const { signal } = new AbortController();
const ORIGIN = { lainclaw: '1.0.0', createdAt: '2026-11-16T10:00:00.000Z' };

interface Place {
  home: string;
  base: string;
  backups: Backups;
}

function place(): Place {
  const { path: home, base } = testHome();
  const locks = createLocks(join(home, 'locks'));
  afterFile(() => locks.close());
  return { home, base, backups: createLocalBackups(home, locks) };
}

function put(home: string, path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), content);
}

function filled(): Place {
  const opened = place();
  const { home } = opened;
  put(home, 'config.json', '{"provider":"stub"}');
  put(home, 'sessions/a.jsonl', '{"type":"session"}\n{"type":"message"}\n{"torn');
  put(home, 'workspace/run.sh', '#!/bin/sh\n');
  put(home, 'skills/big.bin', Buffer.alloc(200_000, 7));
  put(home, 'service/gateway-service.json', '{}');
  put(home, 'models/large.bin', 'x');
  mkdirSync(join(home, 'agents'), { recursive: true });
  const database = new DatabaseSync(join(home, 'lainclaw.db'));
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE notes (text); INSERT INTO notes VALUES ('in the log')");
  afterFile(() => database.close());
  return opened;
}

const restoring = (file: string, more: { passphrase?: string; replace?: boolean } = {}) => ({
  file,
  lainclaw: '1.0.0',
  replace: false,
  signal,
  ...more,
});

async function handMade(path: string, write: (writer: Awaited<ReturnType<typeof createEntryWriter>>) => Promise<void>) {
  const file = await open(path, 'w');
  const writer = await createEntryWriter(await createChunkWriter(file, undefined), ORIGIN);
  await write(writer);
  await writer.end();
  await file.close();
}

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

function everyFile(folder: string, under = ''): string[] {
  return readdirSync(join(folder, under), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? everyFile(folder, join(under, entry.name)) : [join(under, entry.name)],
  );
}

describe('a backup', () => {
  it.each([undefined, 'a passphrase'])('holds the home and gives it back (passphrase: %s)', async (passphrase) => {
    const { home, base, backups } = filled();
    symlinkSync('/etc/passwd', join(home, 'workspace', 'link'));
    const output = join(base, 'home.backup');
    const created = await backups.create({ ...ORIGIN, output, passphrase, signal });
    expect(statSync(output).mode & 0o777).toBe(0o600);
    expect(created.leftOut.map(({ path }) => path).toSorted()).toEqual([
      'locks',
      'models',
      'service',
      'workspace/link',
    ]);
    expect(readdirSync(base).filter((name) => name.endsWith('.partial'))).toEqual([]);

    const other = place();
    const restored = await other.backups.restore(restoring(output, { passphrase }));
    expect(restored).toMatchObject({ ...ORIGIN, isEncrypted: passphrase !== undefined, setAside: undefined });
    expect(
      everyFile(other.home)
        .filter((path) => !path.startsWith('locks'))
        .toSorted(),
    ).toEqual(['config.json', 'lainclaw.db', 'sessions/a.jsonl', 'skills/big.bin', 'workspace/run.sh']);
    // A line that is being written is not part of it.
    expect(readFileSync(join(other.home, 'sessions/a.jsonl'), 'utf8')).toBe('{"type":"session"}\n{"type":"message"}\n');
    expect(readFileSync(join(other.home, 'skills/big.bin')).equals(Buffer.alloc(200_000, 7))).toBe(true);
    expect(lstatSync(join(other.home, 'agents')).isDirectory()).toBe(true);
    const database = new DatabaseSync(join(other.home, 'lainclaw.db'));
    expect(database.prepare('SELECT text FROM notes').all()).toEqual([{ text: 'in the log' }]);
    database.close();
    if (passphrase !== undefined) expect(readFileSync(output).includes('config.json')).toBe(false);
  });

  it('keeps what is executable so', async () => {
    const { home, base, backups } = place();
    put(home, 'hook.sh', 'x');
    chmodSync(join(home, 'hook.sh'), 0o700);
    await backups.create({ ...ORIGIN, output: join(base, 'b'), signal });
    const other = place();
    await other.backups.restore(restoring(join(base, 'b')));
    expect(statSync(join(other.home, 'hook.sh')).mode & 0o777).toBe(0o700);
  });

  it('replaces no file unless that was asked for', async () => {
    const { base, backups } = filled();
    const output = join(base, 'b');
    writeFileSync(output, 'mine');
    await expect(backups.create({ ...ORIGIN, output, signal })).rejects.toMatchObject({ code: 'BACKUP_EXISTS' });
    expect(readFileSync(output, 'utf8')).toBe('mine');
    await backups.create({ ...ORIGIN, output, force: true, signal });
    expect(await backups.verify({ file: output, signal })).toMatchObject(ORIGIN);
  });

  it('is not made of a damaged database, but for the index, which can be made again', async () => {
    const { home, base, backups } = place();
    put(home, 'sessions/sessions.db', 'not a database at all, whatever its name says');
    put(home, 'config.json', '{}');
    const { leftOut } = await backups.create({ ...ORIGIN, output: join(base, 'one'), signal });
    expect(leftOut).toContainEqual({ path: 'sessions/sessions.db', reason: expect.stringContaining('damaged') });
    put(home, 'undo/undo.db', 'not a database at all, whatever its name says');
    await expect(backups.create({ ...ORIGIN, output: join(base, 'two'), signal })).rejects.toMatchObject({
      code: 'BACKUP_HOME_DAMAGED',
      message: expect.stringContaining('undo.db'),
    });
    expect(readdirSync(base).toSorted()).toEqual(['home', 'one', 'workspace']);
  });

  it.each([undefined, 'words'])('with any byte changed or cut off is refused (passphrase: %s)', async (passphrase) => {
    const { home, base, backups } = place();
    put(home, 'config.json', '{"provider":"stub"}');
    put(home, 'notes.md', 'x'.repeat(500));
    const output = join(base, 'b');
    await backups.create({ ...ORIGIN, output, passphrase, signal });
    const whole = readFileSync(output);
    const changed = join(base, 'changed');
    const refused = async (): Promise<void> => {
      await expect(backups.verify({ file: changed, passphrase, signal })).rejects.toMatchObject({
        code: expect.stringMatching(/^BACKUP_(DAMAGED|NEWER_VERSION)$/),
      });
    };
    const afterHeader = whole.indexOf('\n', whole.indexOf('\n', whole.indexOf('\n') + 1) + 1) + 1;
    // Deriving a key takes a while: of an encrypted one fewer.
    const numRuns = passphrase === undefined ? 300 : 6;
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const bytes = Buffer.from(whole);
        bytes[at] = (bytes[at] ?? 0) ^ mask;
        writeFileSync(changed, bytes);
        await refused();
      }),
      { numRuns },
    );
    const cuts = passphrase === undefined ? whole.length : 3;
    for (let cut = 0; cut < cuts; cut += 1) {
      writeFileSync(changed, whole);
      truncateSync(changed, passphrase === undefined ? cut : afterHeader + cut * 40);
      await refused();
    }
    writeFileSync(changed, Buffer.concat([whole, Buffer.from('x')]));
    await refused();
  });

  it('is not restored with another passphrase, nor without', async () => {
    const { base, backups } = filled();
    const output = join(base, 'b');
    await backups.create({ ...ORIGIN, output, passphrase: 'right', signal });
    const other = place();
    await expect(other.backups.restore(restoring(output, { passphrase: 'wrong' }))).rejects.toMatchObject({
      code: 'BACKUP_WRONG_PASSPHRASE',
    });
    await expect(other.backups.restore(restoring(output))).rejects.toMatchObject({ code: 'BACKUP_NO_PASSPHRASE' });
    expect(everyFile(other.home).filter((path) => !path.startsWith('locks'))).toEqual([]);
  });

  it.each([
    '../outside',
    '/etc/outside',
    'a/../../outside',
    'a//b',
    './a',
    '',
    'locks/x',
    '.restore/x',
    'service/gateway-service.json',
    'a\0b',
    'a\\b',
    'x'.repeat(300),
  ])('with the path %j is refused and writes nothing', async (path) => {
    const { home, base, backups } = place();
    const file = join(base, 'hostile');
    await handMade(file, (writer) => writer.file({ file: path, size: 1, executable: false }, bytesOf('x')));
    await expect(backups.restore(restoring(file))).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
    await handMade(file, (writer) => writer.folder(path));
    await expect(backups.restore(restoring(file))).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
    expect(readdirSync(home)).toEqual(['locks']);
    expect(readdirSync(base).toSorted()).toEqual(['home', 'hostile', 'workspace']);
  });

  it('with a name twice, or an entry of another kind, is refused', async () => {
    const { base, backups } = place();
    const file = join(base, 'hostile');
    const entry = { file: 'a', size: 1, executable: false };
    await handMade(file, async (writer) => {
      await writer.file(entry, bytesOf('x'));
      await writer.file(entry, bytesOf('y'));
    });
    await expect(backups.restore(restoring(file))).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
    await handMade(file, (writer) => writer.file({ link: '/etc', size: 0 } as never, bytesOf('')));
    await expect(backups.restore(restoring(file))).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
  });

  it('of a newer version is refused and leaves the home as it is', async () => {
    const { home, base, backups } = filled();
    const file = join(base, 'b');
    await backups.create({ ...ORIGIN, lainclaw: '1.0.1', output: file, signal });
    const other = place();
    put(other.home, 'config.json', '{}');
    await expect(other.backups.restore(restoring(file, { replace: true }))).rejects.toMatchObject({
      code: 'BACKUP_NEWER_VERSION',
    });
    const database = new DatabaseSync(join(home, 'lainclaw.db'));
    database.exec('PRAGMA user_version = 999');
    database.close();
    await backups.create({ ...ORIGIN, output: file, force: true, signal });
    await expect(other.backups.restore(restoring(file, { replace: true }))).rejects.toMatchObject({
      code: 'BACKUP_NEWER_VERSION',
    });
    expect(everyFile(other.home).filter((path) => !path.startsWith('locks'))).toEqual(['config.json']);
  });
});

describe('restoring over a home', () => {
  it('needs to be asked for, and keeps what was there', async () => {
    const { base, backups } = filled();
    const file = join(base, 'b');
    await backups.create({ ...ORIGIN, output: file, signal });
    const other = place();
    put(other.home, 'config.json', '{"old":true}');
    put(other.home, 'memory/x.md', 'old');
    put(other.home, 'models/m.bin', 'stays');
    await expect(other.backups.restore(restoring(file))).rejects.toMatchObject({ code: 'BACKUP_HOME_NOT_EMPTY' });
    const { setAside = '' } = await other.backups.restore(restoring(file, { replace: true }));
    expect(everyFile(setAside).toSorted()).toEqual(['config.json', 'memory/x.md']);
    expect(readFileSync(join(other.home, 'config.json'), 'utf8')).toBe('{"provider":"stub"}');
    expect(existsSync(join(other.home, 'memory'))).toBe(false);
    expect(readFileSync(join(other.home, 'models/m.bin'), 'utf8')).toBe('stays');
    const second = await other.backups.restore(restoring(file, { replace: true }));
    expect(second.setAside).not.toBe(setAside);
  });

  it('is refused while another process has its database open or holds a lock', async () => {
    const { home, base, backups } = filled();
    const file = join(base, 'b');
    await backups.create({ ...ORIGIN, output: file, signal });
    const before = digestOfHome(home);
    // `filled` keeps a connection open.
    await expect(backups.restore(restoring(file, { replace: true }))).rejects.toMatchObject({
      code: 'BACKUP_HOME_IN_USE',
    });
    expect(digestOfHome(home)).toBe(before);
    const other = place();
    const locks = createLocks(join(other.home, 'locks'));
    const lock = await locks.acquire('gateway-service');
    await expect(other.backups.restore(restoring(file))).rejects.toMatchObject({
      code: 'BACKUP_HOME_IN_USE',
      message: expect.stringContaining('gateway stop'),
    });
    await lock.release();
    await locks.close();
    await other.backups.restore(restoring(file));
  });

  it('killed after any of its moves is finished by the next process', async () => {
    const leaving = ['config.json', 'memory', 'sessions'];
    const coming = ['config.json', 'sessions', 'skills'];
    for (let moves = 0; moves <= leaving.length + coming.length; moves += 1) {
      const { home } = place();
      for (const name of ['config.json', 'memory/x', 'sessions/x', 'locks/x']) put(home, name, 'old');
      for (const name of ['config.json', 'sessions/x', 'skills/x']) put(join(home, '.restore', 'new'), name, 'new');
      const plan = { version: 1, aside: 'replaced-1', leaving, coming };
      put(home, '.restore/switch.json', JSON.stringify(plan));
      mkdirSync(join(home, 'replaced-1'));
      const all = [
        ...leaving.map((name) => [join(home, name), join(home, 'replaced-1', name)] as const),
        ...coming.map((name) => [join(home, '.restore', 'new', name), join(home, name)] as const),
      ];
      for (const [from, to] of all.slice(0, moves)) renameSync(from, to);
      expect(isRestoreUnfinished(home)).toBe(true);
      await Promise.all([finishRestore(home), finishRestore(home)]);
      expect(isRestoreUnfinished(home)).toBe(false);
      const found = everyFile(home).filter((path) => !path.startsWith('locks'));
      expect(found.toSorted()).toEqual([
        'config.json',
        'replaced-1/config.json',
        'replaced-1/memory/x',
        'replaced-1/sessions/x',
        'sessions/x',
        'skills/x',
      ]);
      for (const path of found)
        expect(readFileSync(join(home, path), 'utf8')).toBe(path.startsWith('replaced') ? 'old' : 'new');
    }
  });
});

function digestOfHome(home: string): string {
  const hash = createHash('sha256');
  const paths = everyFile(home).filter((path) => !/^locks|-shm$|-wal$/.test(path));
  for (const path of paths.toSorted()) hash.update(path).update(readFileSync(join(home, path)));
  return hash.digest('hex');
}
