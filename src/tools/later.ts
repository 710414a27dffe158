// Work that a call leaves behind and that may continue while a model thinks: the next call, and the end of the turn, wait for it.

export interface Later {
  /** `work` must not reject. */
  add(work: Promise<void>): void;
  /** Resolves once all of it is done. */
  done(): Promise<void>;
}

export function createLater(): Later {
  let pending: Promise<void> = Promise.resolve();
  return {
    add(work) {
      pending = Promise.all([pending, work]).then(() => {});
    },
    done: () => pending,
  };
}
