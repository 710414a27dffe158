import { Readable, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { readEnvironment } from '../config/environment.ts';
import type { ConfigureCommand } from './configure-command.ts';
import type { Host, OutputStream } from './host.ts';
import { main } from './main.ts';

function testHost() {
  const said: string[] = [];
  const exits: number[] = [];
  const listeners = new Set<(signal: 'SIGINT' | 'SIGTERM') => void>();
  const output: OutputStream = {
    isTTY: false,
    columns: undefined,
    write: (text) => void said.push(text),
    stream: () => new Writable(),
  };
  const host: Host = {
    environment: readEnvironment({ variables: {}, cwd: '/', program: [], version: '1.2.3' }),
    openOutput: () => output,
    input: { kind: () => 'none', isFedByPipeline: () => false, stream: () => Readable.from([]) },
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    interrupt: () => {},
    exit: (code) => void exits.push(code),
    kill: () => {},
    tellParent: () => {},
  };
  const send = (signal: 'SIGINT' | 'SIGTERM'): void => {
    for (const listener of listeners) listener(signal);
  };
  return { host, said, exits, listeners, send };
}

/** A command that has begun, and that ends only when the test ends it. */
function stubbornCommand() {
  const begun = Promise.withResolvers<AbortSignal>();
  const ended = Promise.withResolvers<void>();
  const configure: ConfigureCommand = (command, terminal) => {
    command.action(async () => {
      begun.resolve(terminal.signal);
      await ended.promise;
    });
  };
  return { configure, begun: begun.promise, end: ended.resolve };
}

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('a command that does not end at the first %s is ended at the second', async (signal, code) => {
  const { host, exits, send } = testHost();
  const { configure, begun, end } = stubbornCommand();
  const running = main(['ask'], host, { ask: configure });
  const cancelled = await begun;
  send(signal);
  expect([cancelled.aborted, exits]).toEqual([true, []]);
  send(signal);
  expect(exits).toEqual([code]);
  end();
  await running;
});

it('leaves no listener behind, and gives each run the version and the exit code of its own', async () => {
  const { host, said, listeners } = testHost();
  expect(await main(['--version'], host)).toBe(0);
  expect(said).toEqual(['1.2.3\n']);
  expect(await main(['nonsense'], host)).toBe(2);
  expect(await main(['--help'], host)).toBe(0);
  expect(listeners.size).toBe(0);
});
