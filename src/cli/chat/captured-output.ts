// What any part of the program writes to stderr, or to the console, would land in the middle of the screen: meanwhile it becomes a notice.
import { format } from 'node:util';

/** Returns how to let go. */
export function captureOutput(tell: (line: string) => void): () => void {
  const { stderr } = process;
  const write = stderr.write;
  const said = console;
  const { log, info } = said;
  const told = (text: string): void => {
    if (text.trim() !== '') tell(text.trimEnd());
  };
  stderr.write = ((chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    told(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
    const done = rest.find((each) => typeof each === 'function') as (() => void) | undefined;
    done?.();
    return true;
  }) as typeof stderr.write;
  said.log = (...args: unknown[]) => told(format(...args));
  said.info = said.log;
  return () => {
    stderr.write = write;
    Object.assign(said, { log, info });
  };
}
