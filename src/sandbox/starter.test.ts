import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { readStat } from './end-tree.ts';
import { createInherited } from './inherited.ts';
import { createFifoStock, type Fifo, type FifoStock } from './pipes.ts';
import { createStarter, type Starter } from './starter.ts';

let directory: string;
let starter: Starter;
let stock: FifoStock;
beforeEach(() => {
  directory = join(realpathSync(mkdtempSync(join(tmpdir(), 'starter-'))), "it's $HOME; `x` \n");
  mkdirSync(directory);
  starter = createStarter({ mkfifo: async () => '/usr/bin/mkfifo', inherited: createInherited() });
  stock = createFifoStock(directory);
});
afterEach(async () => {
  await starter.close();
  stock.close();
  expect(readdirSync(directory)).toEqual([]);
  rmSync(join(directory, '..'), { recursive: true });
});

async function start(...argv: string[]): Promise<{ pid: number; output: Promise<string> }> {
  const [input, output] = (await stock.take(2, starter.makeFifos)) as [Fifo, Fifo];
  const said = new Socket({ fd: output.reader, readable: true, writable: false });
  const closeOurs = (): void => {
    for (const descriptor of [output.writer, input.reader, input.writer]) closeSync(descriptor);
  };
  const { pid } = await starter
    .start({
      argv,
      descriptors: [
        { as: 0, from: input.reader, mode: 'read' },
        { as: 1, from: output.writer, mode: 'write' },
      ],
    })
    .finally(closeOurs);
  return { pid, output: text(said) };
}

test('a program gets its arguments exactly, an empty environment, its pipes and nothing else of ours', async () => {
  const words = ["it's", '$HOME', '`id`', 'a\nb', '', '*', '\\'];
  const { output } = await start('/usr/bin/printf', '%s|', ...words);
  expect(await output).toBe(words.map((word) => `${word}|`).join(''));
  expect(await (await start('/usr/bin/env')).output).not.toContain('PATH');
  const descriptors = await (await start('/bin/ls', '-l', '/proc/self/fd')).output;
  const targets = [...descriptors.matchAll(/(\d+) -> (.*)/g)].map(([, fd, target]) => [Number(fd), target] as const);
  const others = targets.filter(([fd, target]) => fd > 1 && target !== '/dev/null' && !target?.startsWith('/proc/'));
  expect(others).toEqual([]);
});

test('many are started at once, and none stays as a zombie', async () => {
  const started = await Promise.all(Array.from({ length: 20 }, (_, index) => start('/bin/echo', String(index))));
  expect(await Promise.all(started.map(({ output }) => output))).toEqual(started.map((_, index) => `${index}\n`));
  for (const { pid } of started) starter.forget(pid);
  await eventually(() => expect(started.filter(({ pid }) => existsSync(`/proc/${pid}`))).toEqual([]));
});

test('what cannot be opened is said, and the next program starts', async () => {
  const descriptors = [{ as: 1, from: 987_654, mode: 'write' as const }];
  await expect(starter.start({ argv: ['/bin/true'], descriptors })).rejects.toMatchObject({ code: 'setup-failed' });
  expect(await (await start('/bin/echo', 'there')).output).toBe('there\n');
});

test('pipes that cannot be made are said', async () => {
  await expect(starter.makeFifos([join(directory, 'not/there')])).rejects.toMatchObject({ code: 'setup-failed' });
});

test('a shell that was killed is started again, and what it was asked is refused', async () => {
  const { pid } = await start('/bin/sleep', '60');
  const shell = readStat(pid)?.parent as number;
  expect(readFileSync(`/proc/${shell}/comm`, 'utf8')).toMatch(/sh\n$/);
  const asked = start('/bin/echo', 'lost');
  process.kill(shell, 'SIGKILL');
  await asked.then(
    ({ output }) => output,
    (error) => expect(error).toMatchObject({ code: 'setup-failed' }),
  );
  await eventually(() => expect(readStat(shell)?.state ?? 'Z').toBe('Z'));
  expect(await eventually(async () => (await start('/bin/echo', 'again')).output)).toBe('again\n');
  process.kill(pid, 'SIGKILL');
});

test('pipes are for their owner alone', async () => {
  const paths = ['a', 'b'].map((name) => join(directory, name));
  await starter.makeFifos(paths);
  for (const path of paths) {
    expect(statSync(path).isFIFO()).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    rmSync(path);
  }
});

test('what is insured does not fail with the shell that would do it', () => {
  const starter = createStarter({
    mkfifo: async () => 'mkfifo',
    inherited() {
      throw new Error('EMFILE: too many open files');
    },
  });
  const uninsure = starter.insure('true');
  expect(uninsure).not.toThrow();
});
