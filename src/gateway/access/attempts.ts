// Limits guessing of pairing codes, over all processes and channels: an attempt is on disk before its code is looked at, in
// whatever form it was typed. Once there are too many, the right code is refused as well, until the window has passed.
import type { OwnerFiles } from '../../storage/storage.ts';
import { AccessError } from './access-error.ts';
import { listFile } from './owner-json.ts';

export const MOST_ATTEMPTS = 10;
export const ATTEMPTS_WINDOW_MS = 15 * 60_000;

export interface Attempts {
  /** Throws AccessError when there were too many. */
  count(): Promise<{ left: number; forgive(): Promise<void> }>;
}

export function createAttempts({ files, now }: { files: OwnerFiles; now(): number }): Attempts {
  const file = listFile(files, 'pairing-attempts.json', 'attempts', (value) =>
    typeof value === 'number' ? value : undefined,
  );
  return {
    async count() {
      const at = now();
      let recent: number[] = [];
      await file.update((times) => {
        recent = times.filter((time) => Math.abs(at - time) < ATTEMPTS_WINDOW_MS);
        return recent.length >= MOST_ATTEMPTS ? times : [...recent, at];
      });
      if (recent.length >= MOST_ATTEMPTS) {
        const minutes = Math.ceil((ATTEMPTS_WINDOW_MS - Math.abs(at - Math.min(...recent))) / 60_000);
        throw new AccessError(
          'PAIRING_TOO_MANY_ATTEMPTS',
          `too many wrong codes: try again in ${minutes} minute${minutes === 1 ? '' : 's'}`,
        );
      }
      return {
        left: MOST_ATTEMPTS - recent.length - 1,
        forgive: () =>
          file.update((times) => {
            const own = times.indexOf(at);
            return own < 0 ? times : times.toSpliced(own, 1);
          }),
      };
    },
  };
}
