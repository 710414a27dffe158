// One line that tells how far long work is: "120/4000 embedded, about 3 min left". The rate is that of this run, so work that was
// continued is not counted as fast.

export interface Progress {
  done: number;
  total: number;
}

/** Before this much time the rate is chance. */
const LEAST_MS = 2_000;
/** Goes to the beginning of the line and clears it. */
const AGAIN = '\r\u001b[K';

export function createProgressLine(counting: string, now: () => number): (progress: Progress) => string {
  let first: { at: number; done: number } | undefined;
  return ({ done, total }) => {
    first ??= { at: now(), done };
    const passed = now() - first.at;
    const isRateKnown = passed >= LEAST_MS && done > first.done && done < total;
    const left = isRateKnown ? `, ${timeLeft((passed / (done - first.done)) * (total - done))}` : '';
    return `${AGAIN}${done}/${total} ${counting}${left}${done >= total ? '\n' : ''}`;
  };
}

function timeLeft(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  if (seconds < 60) return `about ${seconds} s left`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `about ${minutes} min left` : `about ${Math.ceil(minutes / 60)} h left`;
}
