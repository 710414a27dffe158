// Every way a chat can be ended from outside: signals, a terminal that is gone, a defect of ours, an exit. Whatever it is, the terminal is
// given back.
import { EXIT, printable, type Terminal } from '../terminal.ts';

export interface EndingDependencies {
  terminal: Terminal;
  /** Closes the turn and ends the chat. */
  leave(code: number): void;
  /** Gives the terminal back at once; may be called again. */
  restore(): void;
}

/** Returns how to stop watching. */
export function watchEnding({ terminal, leave, restore }: EndingDependencies): () => void {
  const onSignal = (): void => leave(terminal.cancelledExit());
  const onHangUp = (): void => leave(EXIT.hungUp);
  const onCrash = (error: unknown): void => {
    restore();
    const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
    terminal.err.write(`error INTERNAL: ${printable(told)}\n`);
    process.exit(EXIT.failed);
  };
  terminal.signal.addEventListener('abort', onSignal, { once: true });
  process.on('SIGHUP', onHangUp).on('uncaughtException', onCrash).on('exit', restore);
  process.stdin.once('end', onHangUp).once('error', onHangUp);
  if (terminal.signal.aborted) onSignal();
  return () => {
    terminal.signal.removeEventListener('abort', onSignal);
    process.off('SIGHUP', onHangUp).off('uncaughtException', onCrash).off('exit', restore);
    process.stdin.off('end', onHangUp).off('error', onHangUp);
  };
}
