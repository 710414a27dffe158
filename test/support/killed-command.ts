// Runs a command of the built program and kills it right before one of its writes (`kill-at-write.ts`).
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Finished, type RunOptions, runBinary } from './lainclaw.ts';

/** What makes a process of the program kill itself before its write number `killAt`, counted from 1. */
export function killEnvironment(killAt: number): Record<string, string> {
  const preload = pathToFileURL(join(import.meta.dirname, 'kill-at-write.ts'));
  return { NODE_OPTIONS: `--import=${preload}`, LAINCLAW_TEST_KILL_AT: String(killAt) };
}

/** `signal` is null in the result when the command had fewer writes. */
export function runKilledAt(args: readonly string[], killAt: number, options: RunOptions): Promise<Finished> {
  return runBinary([...args], { ...options, env: { ...options.env, ...killEnvironment(killAt) } });
}
