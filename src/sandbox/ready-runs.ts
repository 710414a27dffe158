// Keeps a few prepared runs for each kind of command, so that the next command need not wait for the run that is being made
// behind it. A run is used once, or ended when nobody took it for a while,
// when the next command of its kind needs another one, or when there are too many.

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
  /** The workspace changes while such a run is made: nothing may be planned in it meanwhile. */
  changesPlace: boolean;
}

export interface ReadyRuns<Run> {
  /** Resolves once as many runs are ready as are kept, or one cannot be made. Never rejects. */
  prepare(wanted: Wanted & { runs: number }, make: () => Promise<Run>): Promise<void>;
  /** Resolves once no run is being made or ended that changes this place: while that is done, its state is not what it will be. */
  settled(place: string): Promise<void>;
  /** The run that was made first, also when it is not ready yet; undefined when there is none. Never rejects. */
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
  const ready = new Set<Entry<Run>>();
  const ending = new Map<Promise<void>, Wanted>();

  const ofKind = (wanted: Wanted): Entry<Run>[] =>
    [...ready].filter(({ place, kind }) => place === wanted.place && kind === wanted.kind);

  function remove(entry: Entry<Run>): void {
    ready.delete(entry);
    clearTimeout(entry.timer);
  }

  function end(entry: Entry<Run>): void {
    if (!ready.has(entry)) return;
    remove(entry);
    const done = entry.making.then((run) => run && discard(run));
    ending.set(done, entry);
    void done.finally(() => ending.delete(done));
  }

  function add(wanted: Wanted, make: () => Promise<Run>): Entry<Run> {
    for (const oldest of [...ready].slice(0, Math.max(0, ready.size + 1 - MOST))) end(oldest);
    const entry: Entry<Run> = {
      ...wanted,
      // A run that cannot be prepared is started when it is needed, and reports its failure then.
      making: make().catch(() => undefined),
      timer: setTimeout(() => end(entry), UNUSED_MS),
    };
    entry.timer.unref();
    ready.add(entry);
    return entry;
  }

  return {
    async prepare(wanted, make) {
      for (const entry of ofKind(wanted)) if (entry.state !== wanted.state) end(entry);
      while (!isClosed && ofKind(wanted).length < wanted.runs) {
        if ((await add(wanted, make).making) === undefined) return;
      }
      await Promise.all(ofKind(wanted).map(({ making }) => making));
    },
    async settled(place) {
      const isConcerned = (of: Wanted): boolean => of.place === place && of.changesPlace;
      await Promise.all([
        ...[...ready].filter(isConcerned).map(({ making }) => making),
        ...[...ending].filter(([, of]) => isConcerned(of)).map(([done]) => done),
      ]);
    },
    async take(wanted) {
      const [first, ...others] = ofKind(wanted);
      if (first?.state === wanted.state) {
        remove(first);
        return first.making;
      }
      for (const entry of first ? [first, ...others] : []) end(entry);
      return undefined;
    },
    async close() {
      isClosed = true;
      for (const entry of [...ready]) end(entry);
      await Promise.all(ending.keys());
    },
  };
}
