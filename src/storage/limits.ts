// Limits that count over every process that shares the storage: how often something may be tried, how much may run at once, and what must wait. Locally
// they are in memory (memory-limits.ts). In a shared storage both the memory of the process and the storage must admit (both-limits.ts), so a storage that
// does not answer opens no gate.

/** How often something may go wrong: so many times at once, after them one in each interval. The same for every caller of a kind. */
export interface Allowance {
  most: number;
  intervalMs: number;
}

export interface Counter {
  /**
   * One attempt: resolves with what `isRight` returned, and counts one under the name where that was false. When too many were counted, `isRight` is not called,
   * and it resolves with the milliseconds to wait. `isRight` must be quick: between counting and comparing nothing else of this process runs.
   */
  attempt(name: string, isRight: () => boolean): Promise<boolean | number>;
}

/** How much may run at once under a name. What a lost process had entered is left after a while. */
export interface Places {
  /** False when all are occupied. `place` is an id of its own for each. */
  enter(name: string, place: string): Promise<boolean>;
  leave(name: string, place: string): Promise<void>;
}

/** What must not be asked before a time. */
export interface Holds {
  /** A longer hold of the name stays. */
  hold(name: string, ms: number): Promise<void>;
  /** Milliseconds that are left; 0 when the name is not held. */
  leftMs(name: string): Promise<number>;
}

/** Names may be addresses and ids of people; a storage that is shared keeps digests of them. */
export interface Limits {
  counter(kind: string, allowance: Allowance): Counter;
  places(kind: string, most: number): Places;
  holds: Holds;
}
