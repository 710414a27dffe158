// What a command takes from the process that runs it. `process-host.ts` is the real one; a test hands over its own, so that
// `main` can run many times in one process: it leaves no listener, no exit code and no changed directory behind.
import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../config/environment.ts';

export interface OutputStream {
  isTTY: boolean;
  columns: number | undefined;
  write(text: string): void;
  /** For a library that needs one. Node's stream classes take 7 ms to load: `write` does without them where it can. */
  stream(): Writable;
}

export interface InputStream {
  /** What standard input is. `none` is anything that says nothing, an empty file for example. */
  kind(): 'terminal' | 'file' | 'pipe' | 'socket' | 'none';
  /** Whether a command before us in the pipeline still writes to it; undefined when that cannot be found out. */
  isFedByPipeline(): boolean | undefined;
  stream(): Readable;
}

export interface Host {
  environment: Environment;
  /** Opens stdout or stderr. `onClosed` is called when the reader has gone (`lainclaw … | head`): that is its choice, not a failure. */
  openOutput(fd: 1 | 2, onClosed: () => void): OutputStream;
  input: InputStream;
  /** Calls `listener` for each SIGINT and SIGTERM that the process receives; returns how to stop. */
  onSignal(listener: (signal: 'SIGINT' | 'SIGTERM') => void): () => void;
  /** Sends this process a SIGINT, as the terminal does for Ctrl-C. */
  interrupt(): void;
  /** Ends the process at once, whatever it still does. */
  exit(code: number): void;
  /** Ends the process where even an exit would wait: for a file that cannot be opened, for example. */
  kill(): void;
  /** Sends one message to the process that started this one, and closes the line to it. */
  tellParent(message: unknown): void;
}
