// The contract of a benchmark: figures as ratios against a floor measured in the same run, never bare seconds.

export type Scale = 'full' | 'quick';

export interface Figure {
  name: string;
  value: number;
  /** Printed behind the value: "× floor", "lost", … */
  unit: string;
  /** The most it may be. */
  limit: number;
  /** What it was made of, for a person who wonders. */
  detail: string;
}

export interface Bench {
  name: string;
  /** `quick` proves that the bench works; only `full` has figures to read. */
  run(scale: Scale): Promise<Figure[]>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
