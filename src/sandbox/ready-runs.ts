// Keeps at most one prepared run for each kind of command. A run is used once, or ended when nobody took it for a while, when
// the next command of its kind needs another one, or when there are too many.

const UNUSED_MS = 60_000;
const MOST = 4;

/** What a run is prepared for. */
export interface Wanted {
  /** The workspace. */
  place: string;
  /** Commands of one kind in one place replace each other's prepared run. */
  kind: string;
  /** All that a run of this kind depends on. A run that was prepared for another state is not used. */
  state: string;
}

export interface ReadyRuns<Run> {
  /** Resolves once a run is ready, or cannot be made. Never rejects. */
  prepare(wanted: Wanted, make: () => Promise<Run>): Promise<void>;
  /** Resolves once no run is being made or ended in this place: while that is done, its state is not what it will be. */
  settled(place: string): Promise<void>;
  /** The run that is ready or being made; undefined when there is none. Never rejects. */
  take(wanted: Wanted): Promise<Run | undefined>;
  close(): Promise<void>;
}

interface Entry<Run> extends Wanted {
  making: Promise<Run | undefined>;
  timer: NodeJS.Timeout;
}

export function createReadyRuns<Run>(discard: (run: Run) => Promise<void>): ReadyRuns<Run> {
  let isClosed = false;
  // In the order of their making.
  const ready = new Map<string, Entry<Run>>();
  const ending = new Map<Promise<void>, string>();

  function remove(key: string): Entry<Run> | undefined {
    const found = ready.get(key);
    ready.delete(key);
    clearTimeout(found?.timer);
    return found;
  }

  function end(key: string): void {
    const found = remove(key);
    if (!found) return;
    const done = found.making.then((run) => run && discard(run));
    ending.set(done, found.place);
    void done.finally(() => ending.delete(done));
  }

  return {
    async prepare(wanted, make) {
      if (isClosed) return;
      const key = keyOf(wanted);
      if (ready.get(key)?.state !== wanted.state) {
        end(key);
        for (const oldest of [...ready.keys()].slice(0, Math.max(0, ready.size + 1 - MOST))) end(oldest);
        const timer = setTimeout(() => end(key), UNUSED_MS);
        timer.unref();
        // A run that cannot be prepared is started when it is needed, and reports its failure then.
        ready.set(key, { ...wanted, making: make().catch(() => undefined), timer });
      }
      await ready.get(key)?.making;
    },
    async settled(place) {
      await Promise.all([
        ...[...ready.values()].filter((entry) => entry.place === place).map(({ making }) => making),
        ...[...ending].filter(([, of]) => of === place).map(([done]) => done),
      ]);
    },
    async take(wanted) {
      const key = keyOf(wanted);
      if (ready.get(key)?.state === wanted.state) return remove(key)?.making;
      end(key);
      return undefined;
    },
    async close() {
      isClosed = true;
      for (const key of [...ready.keys()]) end(key);
      await Promise.all(ending.keys());
    },
  };
}

function keyOf({ place, kind }: Wanted): string {
  return JSON.stringify([place, kind]);
}
