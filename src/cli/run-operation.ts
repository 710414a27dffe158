// How a command runs an operation: on a runtime of its own, with warnings on stderr and progress on a terminal.
import type { Operation, OperationContext } from '../operations/operation.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { createProgressLine, type Progress } from './progress-line.ts';
import { explainWorkspaceError, type Terminal, warn } from './terminal.ts';
import { withRuntime } from './with-runtime.ts';

type Hooks =
  | 'onAddress'
  | 'onFile'
  | 'onOutput'
  | 'onPiece'
  | 'onBytes'
  | 'onPlayedTurn'
  | 'onComparedTurn'
  | 'loginInteraction'
  | 'person';

export interface OperationView extends Pick<OperationContext, Hooks> {
  /** Runs although config.json cannot be used: it is what is repaired. */
  ignoreBadConfig?: boolean;
  /** The folder whose files it concerns, where a flag chose one: a bad one is wrong usage. */
  workspace?: string;
  /** What is counted while it works: "12/40 indexed". */
  counting?: string;
  /** How long it works before that is shown; at once by default. */
  countingAfterMs?: number;
}

/** For what needs the index of memory, which is rebuilt first after an upgrade. */
export const COUNT_INDEXED: OperationView = { counting: 'indexed', countingAfterMs: 1_000 };

export function operationContext(runtime: Runtime, terminal: Terminal, view: OperationView = {}): OperationContext {
  const { counting, countingAfterMs = 0, ignoreBadConfig: _, ...hooks } = view;
  const { err, signal } = terminal;
  return {
    ...hooks,
    runtime,
    signal,
    isOneShot: true,
    warn: (text) => warn(terminal, text),
    ...(counting !== undefined && err.isTTY && { onProgress: progressTo(err, counting, countingAfterMs) }),
  };
}

function progressTo(err: Terminal['err'], counting: string, afterMs: number): (progress: Progress) => void {
  const line = createProgressLine(counting, () => performance.now(), { afterMs });
  return (progress) => void err.write(line(progress));
}

/** Runs one operation; `show` is called with its output while the runtime is open. */
export async function runOperation<Input, Output>(
  terminal: Terminal,
  operation: Operation<Input, Output>,
  input: Input,
  show: (output: Output, context: OperationContext) => void | Promise<void>,
  view?: OperationView,
): Promise<void> {
  const done = withRuntime(
    terminal,
    async (runtime) => {
      const afterwards: (() => Promise<void>)[] = [];
      const afterShown = (work: () => Promise<void>): void => void afterwards.push(work);
      const context = { ...operationContext(runtime, terminal, view), afterShown };
      try {
        await show(await operation.run(input, context), context);
      } finally {
        for (const work of afterwards) await work();
      }
    },
    { ignoreBadConfig: view?.ignoreBadConfig ?? false },
  );
  await explainWorkspaceError(view?.workspace, done);
}
