// Copies all kinds of records from one storage to another: first everything is compared, and nothing is written when a record of the
// target differs; then what is missing is added, in small steps; then everything is compared again. The source is only read. A copy
// that was killed continues when it is run again, because the first comparison finds what is there already.
import { CodedError } from '../../vocabulary/coded-error.ts';
import type { Comparison, CopiedKind } from './copied-kind.ts';

/** STORE_COPY_IN_USE: somebody could write meanwhile. STORE_COPY_DIFFERS: nothing was copied. STORE_COPY_NOT_VERIFIED: the copy is not complete. */
export type StoreCopyErrorCode = 'STORE_COPY_IN_USE' | 'STORE_COPY_DIFFERS' | 'STORE_COPY_NOT_VERIFIED';

export class StoreCopyError extends CodedError<StoreCopyErrorCode> {}

export interface CopiedKindReport {
  kind: string;
  /** In the source, and after the copy in the target. */
  records: number;
  copied: number;
  /** The same in the source and in the target. */
  checksum: string;
}

export interface CopyOptions {
  signal: AbortSignal;
  onProgress?(progress: { done: number; total: number }): void;
}

/** Each record is looked at when it is compared, copied and verified. */
const PASSES = 3;

export async function copyRecords(
  kinds: readonly CopiedKind[],
  { signal, onProgress = () => {} }: CopyOptions,
): Promise<CopiedKindReport[]> {
  const expected = new Map<CopiedKind, number>();
  for (const kind of kinds) expected.set(kind, await kind.count());
  let done = 0;
  const total = (): number => PASSES * expected.values().reduce((sum, count) => sum + count, 0);
  const onRecords = (count: number): void => {
    done += count;
    if (done < total()) onProgress({ done, total: total() });
  };
  refuseDifferent(await compareAll());

  const copied = new Map<string, number>();
  for (const kind of kinds) copied.set(kind.kind, await kind.copy({ signal, onRecords }));

  const verified = await compareAll();
  refuseIncomplete(verified);
  if (total() > 0) onProgress({ done: total(), total: total() });
  return verified.map(({ kind, records, checksum }) => ({ kind, records, checksum, copied: copied.get(kind) ?? 0 }));

  async function compareAll(): Promise<Comparison[]> {
    const comparisons: Comparison[] = [];
    for (const kind of kinds) {
      const comparison = await kind.compare({ signal, onRecords });
      // Less than was counted: a conversation without notes, a file that another machine has.
      expected.set(kind, comparison.records);
      comparisons.push(comparison);
    }
    return comparisons;
  }
}

function refuseDifferent(comparisons: readonly Comparison[]): void {
  const differing = comparisons.filter(({ differingCount }) => differingCount > 0);
  if (differing.length === 0) return;
  throw new StoreCopyError(
    'STORE_COPY_DIFFERS',
    `nothing was copied, because the target has other records in their place: ${describe(differing)}. Copy into a database or a home without them`,
  );
}

function refuseIncomplete(comparisons: readonly Comparison[]): void {
  const wrong = comparisons.filter(
    ({ missing, differingCount, checksum, targetChecksum }) =>
      missing > 0 || differingCount > 0 || checksum !== targetChecksum,
  );
  if (wrong.length === 0) return;
  const what = wrong.map(({ kind, missing, differing }) =>
    [kind, ...(missing > 0 ? [`${missing} missing`] : []), ...differing].join(', '),
  );
  throw new StoreCopyError(
    'STORE_COPY_NOT_VERIFIED',
    `the copy is not complete (${what.join('; ')}): something changed the records meanwhile. Run it again`,
  );
}

function describe(comparisons: readonly Comparison[]): string {
  return comparisons
    .map(({ kind, differing, differingCount }) => {
      const more = differingCount - differing.length;
      return `${kind}: ${differing.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    })
    .join('; ');
}
