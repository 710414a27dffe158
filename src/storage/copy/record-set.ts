// The contract of a copy: the records of one kind, wherever they are stored, each under its key.

export type FieldValue = string | number | boolean | null | Uint8Array;

export interface CopiedRecord {
  /** Names the record within its kind, for messages too. */
  key: string;
  fields: Readonly<Record<string, FieldValue>>;
}

export interface RecordSet {
  /** One word or two, for people: `sign-ins and settings`. */
  readonly kind: string;
  count(): Promise<number>;
  /** Every record, in the order in which they must be added. Changes nothing. */
  pages(): AsyncIterable<CopiedRecord[]>;
  /** What is stored in the place of each of these: the record of that key, or another one that the record would collide with. */
  find(records: readonly CopiedRecord[]): Promise<Map<string, CopiedRecord[]>>;
  /** Adds records in this order; durable when it resolves. A record whose place is taken is left as it is. */
  add(records: readonly CopiedRecord[]): Promise<void>;
}

/** Cuts a list into pages. */
export function* pagesOf<T>(items: readonly T[], size: number): Iterable<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
