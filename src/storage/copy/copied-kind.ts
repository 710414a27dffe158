// One kind of record between two storages: what is missing in the target, and adding it. Comparing is also how an interrupted copy
// continues and how a finished one is verified: what the target has is read from the target, never from a mark that could be wrong.
import { createChecksum, digestOf } from './checksum.ts';
import type { CopiedRecord, RecordSet } from './record-set.ts';

export interface Comparison {
  kind: string;
  /** In the source. */
  records: number;
  /** Of these, absent in the target. */
  missing: number;
  /** Keys of records whose place in the target holds something else: the first ones, and how many there are. */
  differing: string[];
  differingCount: number;
  /** Of the source's records in the source, and of the same ones in the target. */
  checksum: string;
  targetChecksum: string;
}

export interface CopiedKind {
  readonly kind: string;
  /** In the source. */
  count(): Promise<number>;
  /** Changes nothing. `onRecords` is called with how many were compared since. */
  compare(options: KindOptions): Promise<Comparison>;
  /** Adds what is missing in the target; resolves with the number of records that were added to or continued. Repeating it adds nothing. */
  copy(options: KindOptions): Promise<number>;
}

export interface KindOptions {
  signal: AbortSignal;
  onRecords(count: number): void;
}

export const MOST_NAMED = 20;

/** Collects what a comparison finds. */
export function createComparison(kind: string) {
  const [source, target] = [createChecksum(), createChecksum()];
  const found = { kind, records: 0, missing: 0, differing: [] as string[], differingCount: 0 };
  function differ(key: string): void {
    found.differingCount += 1;
    if (found.differing.length < MOST_NAMED) found.differing.push(key);
  }
  return {
    /** `inTarget`: the digest of what is there; undefined when nothing is. */
    add(key: string, digest: Buffer, inTarget: Buffer | undefined): void {
      found.records += 1;
      source.add(digest);
      if (!inTarget) found.missing += 1;
      else {
        target.add(inTarget);
        if (!inTarget.equals(digest)) differ(key);
      }
    },
    /** The target has more than the source, or something else. */
    addDiffering(key: string, digest: Buffer): void {
      found.records += 1;
      source.add(digest);
      differ(key);
    },
    end: (): Comparison => ({ ...found, checksum: source.hex(), targetChecksum: target.hex() }),
  };
}

export function copiedRecords(source: RecordSet, target: RecordSet): CopiedKind {
  return {
    kind: source.kind,
    count: source.count,
    async compare({ signal, onRecords }) {
      const comparison = createComparison(source.kind);
      for await (const page of source.pages()) {
        signal.throwIfAborted();
        const found = await target.find(page);
        for (const record of page) comparison.add(record.key, digestOf(record), placeOf(record, found));
        onRecords(page.length);
      }
      return comparison.end();
    },
    async copy({ signal, onRecords }) {
      let added = 0;
      for await (const page of source.pages()) {
        signal.throwIfAborted();
        const found = await target.find(page);
        const missing = page.filter(({ key }) => !found.has(key));
        if (missing.length > 0) await target.add(missing);
        added += missing.length;
        onRecords(page.length);
      }
      return added;
    },
  };
}

/** A record that collides with two others equals neither. */
function placeOf({ key }: CopiedRecord, found: ReadonlyMap<string, readonly CopiedRecord[]>): Buffer | undefined {
  const there = found.get(key);
  if (!there) return undefined;
  const sum = createChecksum();
  for (const each of there) sum.add(digestOf(each));
  return Buffer.from(sum.hex(), 'hex');
}
