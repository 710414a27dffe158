// `lainclaw chat` on a real pseudo-terminal of a known size, and what a person would see on it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessOptions, startTerminal, type TerminalFinished } from './lainclaw.ts';
import { createVirtualTerminal } from './virtual-terminal.ts';

const POLL_MS = 20;
/** Just before the test's own deadline. */
const PATIENCE_MS = 170_000;

export interface ChatTerminal {
  screen(): Promise<string>;
  /** The scrollback, then the screen. */
  everything(): Promise<string>;
  title(): string;
  /** Resolves once the screen shows it. */
  shows(wanted: string | RegExp): Promise<void>;
  /** Resolves once it shows it no more. */
  hides(text: string): Promise<void>;
  type(text: string): Promise<void>;
  /** Sends it to the program, not to the terminal. */
  signal(name: NodeJS.Signals): void;
  /** The terminal is gone: its window was closed. */
  close(): void;
  /** Whether the program is still there. */
  isAlive(): boolean;
  /** Everything the terminal received, as it was sent. */
  raw(): string;
  readonly ended: Promise<TerminalFinished>;
}

export interface ChatTerminalOptions extends ProcessOptions {
  columns?: number;
  rows?: number;
  /** Runs the program inside another command, a shell with jobs for example. */
  inside?: readonly string[];
}

export function startChat(args: readonly string[], options: ChatTerminalOptions): ChatTerminal {
  return startOnScreen(['chat', ...args], options);
}

/** Any command on a screen. */
export function startOnScreen(args: readonly string[], options: ChatTerminalOptions): ChatTerminal {
  const { columns = 80, rows = 24, inside = [], ...rest } = options;
  // Around the program a shell that tells its pid beforehand, and afterwards how it has left the terminal.
  const inner = 'echo $$ > "$HOME/chat.pid"; exec "$@"';
  const outer = `stty cols ${columns} rows ${rows}; sh -c "$0" sh "$@"; code=$?; stty -a; exit $code`;
  const wrapper = ['sh', '-c', outer, inner, ...inside];
  const running = startTerminal(args, { ...rest, wrapper });
  const terminal = createVirtualTerminal(columns, rows);
  terminal.onAnswer((text) => void running.write(text));
  let fed = 0;
  let hasEnded = false;
  running.ended.finally(() => (hasEnded = true)).catch(() => {});

  const pid = (): number => Number(readFileSync(join(options.home.base, 'chat.pid'), 'utf8'));

  function feed(): void {
    // A character whose bytes have not all arrived is waited for.
    const said = running.said().replace(/\ufffd+$/, '');
    terminal.write(said.slice(fed));
    fed = Math.max(fed, said.length);
  }

  async function until(what: string, isSo: (screen: string) => boolean): Promise<void> {
    for (const started = performance.now(); ; await sleep(POLL_MS)) {
      // Asked before the screen is: what it says last and its end can come between the two.
      const isOver = hasEnded;
      feed();
      const screen = await terminal.screen();
      if (isSo(screen)) return;
      if (isOver || performance.now() - started > PATIENCE_MS) {
        throw new Error(`${isOver ? 'ended' : 'waited in vain'} without ${what}; the screen:\n${screen}`);
      }
    }
  }

  return {
    async screen() {
      feed();
      return terminal.screen();
    },
    async everything() {
      feed();
      return terminal.everything();
    },
    title: () => terminal.title(),
    shows: (wanted) =>
      until(`showing ${wanted}`, (screen) =>
        typeof wanted === 'string' ? screen.includes(wanted) : wanted.test(screen),
      ),
    hides: (text) => until(`hiding ${text}`, (screen) => !screen.includes(text)),
    type: (text) => running.write(text),
    signal: (name) => void process.kill(pid(), name),
    close: () => running.kill('SIGKILL'),
    isAlive() {
      try {
        return process.kill(pid(), 0);
      } catch {
        return false;
      }
    },
    raw: () => running.said(),
    ended: running.ended,
  };
}
