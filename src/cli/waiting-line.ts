// One line on stderr that says what is waited for, drawn again while it lasts and gone when it ends. It is shown on a
// terminal only. The terminal cuts what does not fit: a line that wrapped could not be taken away.
import type { OutputStream } from './host.ts';

export interface WaitingLine {
  /** Draws what `describe` says now, and again every moment. */
  start(describe: (elapsedMs: number) => string): void;
  /** Takes the line away. Nothing happens when there is none. */
  stop(): void;
}

export interface WaitingLineOptions {
  err: OutputStream;
  now(): number;
  /** What is answered at once needs no line. */
  afterMs?: number;
}

const FRAME_MS = 120;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const WITHOUT_WRAPPING = '\x1b[?7l';
const WITH_WRAPPING = '\x1b[?7h';
const CLEARED = '\r\x1b[K';

export function createWaitingLine({ err, now, afterMs = 0 }: WaitingLineOptions): WaitingLine {
  let timer: NodeJS.Timeout | undefined;
  let isShown = false;

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    if (isShown) err.write(`${CLEARED}${WITH_WRAPPING}`);
    isShown = false;
  }

  return {
    start(describe) {
      stop();
      if (!err.isTTY) return;
      const since = now();
      const draw = (): void => {
        const elapsedMs = Math.max(0, now() - since);
        if (elapsedMs < afterMs) return;
        const spinner = SPINNER[Math.floor(elapsedMs / FRAME_MS) % SPINNER.length];
        err.write(`${isShown ? '' : WITHOUT_WRAPPING}${CLEARED}${spinner} ${describe(elapsedMs)}`);
        isShown = true;
      };
      timer = setInterval(draw, FRAME_MS);
      // It must not keep the process.
      timer.unref();
      draw();
    },
    stop,
  };
}
