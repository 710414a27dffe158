// The life of a sandbox as bubblewrap reports it: the pid of its first process, then the exit code of the command. Killing
// the first process of a pid namespace kills all its processes, and the first process ends last.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import { readStat } from './end-tree.ts';
import type { Child } from './run-process.ts';

/** A process that survives this long hangs in the kernel (a dead network disk): stop waiting for it. */
const DEADLINE_MS = 10_000;
/** How long bubblewrap may take to report its first process. */
const START_MS = 5_000;
const QUICK_LOOKS = 50;

export interface Namespace {
  /** The pid of the first process; undefined until bubblewrap has reported it. */
  readonly firstProcess: number | undefined;
  /** `status` is where bubblewrap reports. Where there is a gate, the command starts only after `ready`, which must not reject. */
  follow(status: Readable, gate?: { open: Writable; ready(firstProcess: number): Promise<void> }): void;
  /** Resolves once every process of the sandbox is gone. */
  end(child: Child): Promise<void>;
  /** After `end`. Undefined when the command was never started. */
  exitCode(): Promise<number | undefined>;
}

export function createNamespace(): Namespace {
  let first: { pid: number; started: number } | undefined;
  let exitCode: number | undefined;
  const toldFirst = Promise.withResolvers<void>();
  let told: Promise<unknown> = Promise.resolve();
  let isEnding = false;

  /**
   * `leaving`: the first process exits and has no child left. Taking its namespaces apart then takes the kernel some milliseconds
   * more, in which nothing of the command is alive: the first process adopts every orphan, so every living process descends from its children.
   */
  function stateOfFirst(): 'alive' | 'leaving' | 'gone' {
    const stat = first && readStat(first.pid);
    if (!first || stat?.started !== first.started || stat.state === 'Z' || stat.state === 'X') return 'gone';
    const hasLeft = stat.isExiting && readText(`/proc/${first.pid}/task/${first.pid}/children`) === '';
    return hasLeft ? 'leaving' : 'alive';
  }

  function hear(line: string, gate?: Parameters<Namespace['follow']>[1]): void {
    const status = parse(line);
    if (status['exit-code'] !== undefined) exitCode = status['exit-code'];
    const pid = status['child-pid'];
    if (pid === undefined) return;
    first = { pid, started: readStat(pid)?.started ?? 0 };
    toldFirst.resolve();
    void gate?.ready(pid).then(() => {
      if (!isEnding) gate.open.end('go');
    });
  }

  return {
    get firstProcess() {
      return first?.pid;
    },

    follow(status, gate) {
      // These streams fail only when the process ends, and its end is awaited anyway.
      status.on('error', () => {});
      gate?.open.on('error', () => {});
      told = once(status, 'close');
      let text = '';
      status.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (text + chunk).split('\n');
        text = lines.pop() ?? '';
        for (const line of lines) hear(line, gate);
      });
    },

    async end(child) {
      isEnding = true;
      // If bubblewrap is killed before it has set up its first process, that process stays behind and waits for ever.
      // The command cannot start meanwhile: the gate stays shut.
      if (!first) await Promise.race([toldFirst.promise, told, sleep(START_MS, undefined, { ref: false })]);
      const state = stateOfFirst();
      if (first && state === 'alive') kill(first.pid);
      if (state === 'gone') child.kill('SIGKILL');
      // It takes a moment, less than the shortest timer.
      for (let looks = 0; stateOfFirst() === 'alive' && looks < QUICK_LOOKS; looks += 1) await nextRound();
      for (let waited = 0; stateOfFirst() === 'alive' && waited < DEADLINE_MS; waited += 1) await sleep(1);
    },

    async exitCode() {
      await Promise.race([told, sleep(1_000, undefined, { ref: false })]);
      return exitCode;
    },
  };
}

function parse(line: string): { 'child-pid'?: number; 'exit-code'?: number } {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}

/** Undefined when it cannot be read. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}
