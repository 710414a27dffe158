// Runs a command through `main` in this process, on a host of its own: variables, working directory, standard streams and clock
// are the test's. It is the built program (`dist/cli.js`), which loads in a tenth of the time of the sources. A command ends when `main` resolves; what needs a process (signals, kills, a terminal, a time zone, another
// entry) is run through the binary.
import { readFileSync } from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { Host, OutputStream } from '../../src/cli/host.ts';
import type { main } from '../../src/cli/main.ts';
import { readEnvironment } from '../../src/config/environment.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DIST = join(ROOT, 'dist');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

enableCompileCache(join(DIST, '.compile-cache'));
const program = createRequire(import.meta.url)(join(DIST, 'cli.js')) as { main: typeof main };

/** Read by Node itself when a process starts, so another value here would be ignored. */
const OF_THE_PROCESS = /^(NODE_|TZ$|TMPDIR$|LC_|LD_|SSL_)/;

export interface InProcessRun {
  args: readonly string[];
  variables: Readonly<Record<string, string | undefined>>;
  cwd: string;
  stdin: string | Buffer | undefined;
  /** How the command would start itself again, in the background for example. */
  self: readonly string[];
  timeoutMs: number;
  now?: () => number;
}

export interface InProcessResult {
  code: number;
  stdout: string;
  stderr: string;
}

export async function runInProcess(run: InProcessRun): Promise<InProcessResult> {
  const { args, variables, cwd, stdin, self, timeoutMs, now } = run;
  const unsupported = Object.keys(variables).filter(
    (name) => OF_THE_PROCESS.test(name) && variables[name] !== process.env[name],
  );
  if (unsupported.length > 0)
    throw new Error(
      `${unsupported.join(', ')} takes effect when a process starts: run this command through the binary`,
    );
  const out = createCollector();
  const err = createCollector();
  const ended = Promise.withResolvers<never>();
  const end = (how: string): void => ended.reject(new Error(`the command ${how}: run it through the binary`));
  const listeners = new Set<(signal: 'SIGTERM') => void>();
  const host: Host = {
    environment: readEnvironment({ variables, cwd, program: self, version, now }),
    openOutput: (fd) => (fd === 1 ? out.output : err.output),
    input: {
      // What the harness of the binary connects it to.
      kind: () => 'socket',
      isFedByPipeline: () => false,
      stream: () => Readable.from(stdin === undefined ? [] : [Buffer.from(stdin)], { objectMode: false }),
    },
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    interrupt: () => end('interrupted its process'),
    exit: () => end('ended its process'),
    kill: () => end('killed its process'),
    tellParent: () => {},
  };
  const timer = setTimeout(() => {
    for (const listener of listeners) listener('SIGTERM');
    ended.reject(
      new Error(`no end after ${timeoutMs} ms: ${args.join(' ').slice(0, 300)}\n${out.text()}\n${err.text()}`),
    );
  }, timeoutMs);
  try {
    const code = await Promise.race([program.main(args, host), ended.promise]);
    return { code, stdout: out.text(), stderr: err.text() };
  } finally {
    clearTimeout(timer);
  }
}

function createCollector(): { output: OutputStream; text(): string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return {
    output: {
      isTTY: false,
      columns: undefined,
      write: (text) => void chunks.push(Buffer.from(text)),
      stream: () => stream,
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}
