// Files of conversations between two storages. A record has the checksum of a file and not its bytes, which are read again when it is added. What only another
// machine has cannot be copied here, and is counted.
import type { Blobs } from '../blobs.ts';
import { type Records, StorageError } from '../storage.ts';
import { type CopiedKind, copiedRecords } from './copied-kind.ts';
import type { CopiedRecord, RecordSet } from './record-set.ts';

const KIND = 'files of conversations';

export interface CopiedFiles extends CopiedKind {
  /** Files that the last comparison left out. */
  elsewhere(): number;
}

type Side = Pick<Records, 'blobs' | 'transcripts'>;

export async function copiedFiles(source: Side, target: Side): Promise<CopiedFiles> {
  const [from, into] = await Promise.all([source.blobs(), target.blobs()]);
  let elsewhere = 0;

  async function* pages(): AsyncGenerator<CopiedRecord[]> {
    elsewhere = 0;
    for (const scope of await source.transcripts.list())
      for (const { name } of await from.list(scope)) {
        const record = await recordIn(from, scope, name).catch((error: unknown) => {
          if (!(error instanceof StorageError) || error.code !== 'STORAGE_ELSEWHERE') throw error;
          elsewhere += 1;
        });
        if (record) yield [record];
      }
  }

  async function count(): Promise<number> {
    let files = 0;
    for (const scope of await source.transcripts.list()) files += (await from.list(scope)).length;
    return files;
  }

  const none = async (): Promise<void> => {};
  const sourceSet: RecordSet = { kind: KIND, count, pages, find: async () => new Map(), add: none };
  const targetSet: RecordSet = {
    kind: KIND,
    count,
    pages,
    async find(records) {
      const found = new Map<string, CopiedRecord[]>();
      for (const { key, fields } of records) {
        const there = await recordIn(into, String(fields.scope), String(fields.name));
        if (there) found.set(key, [there]);
      }
      return found;
    },
    async add(records) {
      for (const { fields } of records) {
        const [scope, name] = [String(fields.scope), String(fields.name)];
        const content = await from.get(scope, name);
        if (content) await into.put(scope, name, content);
      }
    },
  };
  return { ...copiedRecords(sourceSet, targetSet), elsewhere: () => elsewhere };
}

async function recordIn(blobs: Blobs, scope: string, name: string): Promise<CopiedRecord | undefined> {
  const content = await blobs.get(scope, name);
  if (!content) return undefined;
  const { hash } = await import('node:crypto');
  const fields = { scope, name, bytes: content.length, sha256: hash('sha256', content) };
  return { key: `${scope}/${name}`, fields };
}
