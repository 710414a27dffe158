// One line that tells how far long work is: "120/4000 embedded, about 3 min left", "12.0/54.4 MB fetched". The rate is that of
// this run, so work that was continued is not counted as fast.

export interface Progress {
  done: number;
  /** 0 while it is not known. */
  total: number;
  /** Bytes are fetched before the work that is counted begins. */
  of?: 'bytes';
}

/** Before this much time the rate is chance. */
const LEAST_MS = 2_000;
/** Goes to the beginning of the line and clears it. */
const AGAIN = '\r\u001b[K';

/** `afterMs`: work that ends before shows nothing. */
export function createProgressLine(
  counting: string,
  now: () => number,
  { afterMs = 0 } = {},
): (progress: Progress) => string {
  const begun = now();
  let first: { at: number; done: number } | undefined;
  let last = 0;
  return ({ done, total, of }) => {
    // Fewer than before: the next file, or the next kind of work.
    if (done < last) first = undefined;
    last = done;
    first ??= { at: now(), done };
    const passed = now() - first.at;
    if (now() - begun < afterMs) return '';
    const isRateKnown = passed >= LEAST_MS && done > first.done && done < total;
    const left = isRateKnown ? `, ${timeLeft((passed / (done - first.done)) * (total - done))}` : '';
    const amount = of === 'bytes' ? `${megabytes(done, total)} fetched` : `${done}/${total} ${counting}`;
    return `${AGAIN}${amount}${left}${total > 0 && done >= total ? '\n' : ''}`;
  };
}

function megabytes(done: number, total: number): string {
  const [sofar, all] = [done, total].map((bytes) => (bytes / 1e6).toFixed(1));
  return total > 0 ? `${sofar}/${all} MB` : `${sofar} MB`;
}

function timeLeft(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  if (seconds < 60) return `about ${seconds} s left`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `about ${minutes} min left` : `about ${Math.ceil(minutes / 60)} h left`;
}
