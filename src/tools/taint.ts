// Content from outside in the context of a turn, by where it came from. It only grows: what the model has seen it has seen.
import type { TaintSource } from '../vocabulary/taint-source.ts';

const MOST_SOURCES = 20;

export interface Taint {
  /** Oldest first; empty when everything is the person's own. */
  sources(): readonly TaintSource[];
  add(sources: readonly TaintSource[]): void;
}

export function createTaint(initial: readonly TaintSource[] = []): Taint {
  const sources = new Set<TaintSource>();
  const add: Taint['add'] = (more) => {
    // The first ones are enough to tell a person; that there is one is what matters.
    for (const source of more) if (sources.size < MOST_SOURCES) sources.add(source);
  };
  add(initial);
  return { sources: () => [...sources], add };
}

export function isTainted(taint: Taint): boolean {
  return taint.sources().length > 0;
}
