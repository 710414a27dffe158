// What a local lock leaves behind. The rest is in the conformance suite.
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLocks } from './locks.ts';

let base: string;
let directory: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lainclaw-locks-'));
  directory = join(base, 'locks');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const HOLDER = `
  const { createLocks } = await import(process.argv[1]);
  await createLocks(process.argv[2]).acquire(process.argv[3]);
  process.stdout.write('held');
  setInterval(() => {}, 1000);
`;

/** Another process that takes the lock and keeps it until it dies. */
async function holder(name: string) {
  const source = new URL('./locks.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDER, source, directory, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const died = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the holder ended with ${code}`)));
  });
  return {
    async die() {
      child.kill('SIGKILL');
      await died;
    },
  };
}

it('a death leaves nothing that the next holder would stumble over', async () => {
  for (let round = 0; round < 3; round += 1) await (await holder('name')).die();
  const lock = await createLocks(directory).acquire('name', { onWait: () => expect.unreachable() });
  expect(readdirSync(directory)).toEqual([expect.stringMatching(/^name-[0-9a-f]+\.lock$/)]);
  await lock.release();
});

it('a lock is an empty private file, made with its directory', async () => {
  const lock = await createLocks(directory).acquire('session:ключ/../x');
  const [name = ''] = readdirSync(directory);
  const { mode, size } = statSync(join(directory, name));
  expect({ mode: mode & 0o777, size }).toEqual({ mode: 0o600, size: 0 });
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  await lock.release();
});

it('a place that cannot hold locks is named in the refusal, and the next try is not blocked by it', async () => {
  writeFileSync(directory, '');
  const locks = createLocks(directory);
  await expect(locks.acquire('name')).rejects.toMatchObject({
    code: 'STORAGE_NOT_A_DIRECTORY',
    message: expect.stringContaining(directory),
  });
  rmSync(directory);
  mkdirSync(directory);
  await (await locks.acquire('name', { onWait: () => expect.unreachable() })).release();
});

it('a released lock is free for another process, and after that for us again', async () => {
  const locks = createLocks(directory);
  const first = await locks.acquire('name');
  await first.release();
  const other = await holder('name');
  expect(await locks.tryAcquire('name')).toBeUndefined();
  await other.die();
  const again = await locks.acquire('name');
  expect(again.token).toBeGreaterThan(first.token);
  await again.release();
  await locks.close();
});

it('a lock whose file was removed after its release is the lock of the file that is there', async () => {
  const locks = createLocks(directory);
  await (await locks.acquire('name')).release();
  rmSync(directory, { recursive: true });
  const other = await holder('name');
  expect(await locks.tryAcquire('name')).toBeUndefined();
  await other.die();
  await locks.close();
});

it('more locks than are kept open can be acquired and released', async () => {
  const locks = createLocks(directory);
  const names = Array.from({ length: 100 }, (_, index) => `name-${index}`);
  for (let round = 0; round < 2; round += 1) {
    const held = await Promise.all(names.map((name) => locks.acquire(name)));
    for (const lock of held) await lock.release();
  }
  await locks.close();
  const open = readdirSync('/proc/self/fd').flatMap((file) => {
    const link = `/proc/self/fd/${file}`;
    const target = existsSync(link) ? readlinkSync(link) : '';
    return target.startsWith(directory) ? [target] : [];
  });
  expect(open).toEqual([]);
});
