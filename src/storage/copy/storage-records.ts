// The records that are copied through the contracts of the storage: the index of conversations, their notes, and the owner's small texts.
import { FILES_OF_MACHINE } from '../machine-file-names.ts';
import type { Catalogue, ListSessions, OwnerFiles, SessionEntry, SessionNotes } from '../storage.ts';
import { type CopiedRecord, type FieldValue, pagesOf, type RecordSet } from './record-set.ts';

const PAGE = 200;

export function catalogueRecords(catalogue: Catalogue): RecordSet {
  const recordOf = (entry: SessionEntry): CopiedRecord => ({
    key: entry.sessionKey,
    fields: Object.fromEntries(
      Object.entries(entry as unknown as Record<string, FieldValue | undefined>).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    ),
  });
  return {
    kind: 'index of conversations',
    count: catalogue.count,
    async *pages() {
      for await (const page of entriesOf(catalogue)) yield page.map(recordOf);
    },
    find: (records) =>
      foundByKey(records, async (key) => {
        const entry = await catalogue.get(key);
        return entry && recordOf(entry);
      }),
    async add(records) {
      await Promise.all(records.map(({ fields }) => catalogue.put(fields as unknown as SessionEntry)));
    },
  };
}

/** Notes of the keys that the index names: nothing else reads notes. */
export function notesRecords(notes: SessionNotes, index: Catalogue): RecordSet {
  const read = async (key: string): Promise<CopiedRecord | undefined> => textRecord(key, await notes.read(key));
  return {
    kind: 'notes',
    count: index.count,
    async *pages() {
      for await (const entries of entriesOf(index)) {
        const found = await Promise.all(entries.map(({ sessionKey }) => read(sessionKey)));
        yield found.filter((record) => record !== undefined);
      }
    },
    find: (records) => foundByKey(records, read),
    async add(records) {
      for (const { key, fields } of records) await notes.write(key, String(fields.text));
    },
  };
}

/** What is in a home beside the owner's texts: of this machine, and of the audit log. */
const STAYS: ReadonlySet<string> = new Set([...FILES_OF_MACHINE, 'audit-head.json', 'processes.json']);

export function ownerFileRecords(files: OwnerFiles): RecordSet {
  const read = async (name: string): Promise<CopiedRecord | undefined> => textRecord(name, await files.read(name));
  const names = async (): Promise<string[]> =>
    (await files.list()).filter((name) => /\.jsonl?$/.test(name) && !STAYS.has(name)).toSorted();
  return {
    kind: 'sign-ins, pairing, trust, core memory',
    count: async () => (await names()).length,
    async *pages() {
      for (const page of pagesOf(await names(), PAGE))
        yield (await Promise.all(page.map(read))).filter((record) => record !== undefined);
    },
    find: (records) => foundByKey(records, read),
    async add(records) {
      for (const { key, fields } of records)
        await files.update(key, (current) => (current === undefined ? String(fields.text) : undefined));
    },
  };
}

async function* entriesOf(catalogue: Catalogue): AsyncIterable<SessionEntry[]> {
  for (let after: ListSessions['after']; ; ) {
    const entries = await catalogue.list({ limit: PAGE, ...(after && { after }) });
    if (entries.length === 0) return;
    yield entries;
    after = entries.at(-1);
  }
}

function textRecord(key: string, text: string | undefined): CopiedRecord | undefined {
  return text === undefined ? undefined : { key, fields: { text } };
}

async function foundByKey(
  records: readonly CopiedRecord[],
  read: (key: string) => Promise<CopiedRecord | undefined>,
): Promise<Map<string, CopiedRecord[]>> {
  const found = await Promise.all(records.map(({ key }) => read(key)));
  return new Map(found.flatMap((record) => (record ? [[record.key, [record]]] : [])));
}
