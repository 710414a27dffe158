// No sandbox: the command may do everything that the person who started Lainclaw may do. The profile is not enforced: no
// path is protected or hidden, the network is open, memory, processor and processes are unlimited. Still enforced: the
// environment is the one given, output is bounded, and at a timeout, a cancellation and the command's own exit every
// process it started is ended (end-tree.ts says what can escape).
import type { ChildProcess } from 'node:child_process';
import { endTree, readStat } from './end-tree.ts';
import { findProgram, SYSTEM_DIRECTORIES } from './find-program.ts';
import { createInherited } from './inherited.ts';
import { mkfifoWith, openOutputPipes } from './pipes.ts';
import { checkCommand, runProcess, startProcess } from './run-process.ts';
import { type Finished, type RunOptions, type Sandbox, type SandboxCommand, SandboxError } from './sandbox.ts';

export interface NoneDependencies {
  /** A private directory for pipes; nothing is left in it. */
  temporary: string;
  newId(prefix: string): string;
  because?: Sandbox['because'];
  /** Where the system's programs are. */
  directories?: readonly string[];
}

const TOKEN = 'LAINCLAW_COMMAND';

export function createNone(dependencies: NoneDependencies): Sandbox {
  const { temporary, newId, because, directories = SYSTEM_DIRECTORIES } = dependencies;
  const inherited = createInherited();

  async function run(command: SandboxCommand, options: RunOptions): Promise<Finished> {
    checkCommand(command);
    const mkfifo = findProgram('mkfifo', directories);
    if (!mkfifo) throw new SandboxError('unavailable', 'mkfifo was not found: install coreutils');
    const id = newId('command');
    const launch = { ...command, env: { ...command.env, [TOKEN]: id } };
    let since = 0;
    const tree = {
      started(child: ChildProcess): void {
        since = readStat(child.pid ?? 0)?.started ?? 0;
      },
      async end(child: ChildProcess): Promise<void> {
        if (child.pid !== undefined) await endTree({ leader: child.pid, token: `${TOKEN}=${id}`, since });
      },
    };
    try {
      return (
        await runProcess(
          () =>
            startProcess(async () => launch, {
              temporary,
              inherited: inherited(),
              openPipes: () => openOutputPipes(temporary, mkfifoWith(mkfifo)),
            }),
          options,
          tree,
        )
      ).finished;
    } catch (error) {
      return notStarted(command.argv[0] ?? '', error);
    }
  }

  return {
    name: 'none',
    isolates: false,
    ...(because && { because }),
    available: async () => ({ ok: true, limits: { memory: 'none', processes: 'none' } }),
    run,
  };
}

/** The result that a shell gives for a missing or forbidden program. */
function notStarted(program: string, error: unknown): Finished {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'E2BIG')
    throw new SandboxError('invalid-command', 'the command has too many or too long arguments', error);
  if (code !== 'ENOENT' && code !== 'EACCES') throw error;
  const text = code === 'ENOENT' ? `${program}: command not found\n` : `${program}: cannot be run: ${message}\n`;
  const said = { text, bytes: Buffer.byteLength(text), cut: false };
  return {
    exitCode: code === 'ENOENT' ? 127 : 126,
    timedOut: false,
    cancelled: false,
    stdout: { text: '', bytes: 0, cut: false },
    stderr: said,
    interleaved: said,
  };
}
