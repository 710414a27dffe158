// trust.json: {version:1, folders:[{folder, grantedAt}]}. One that cannot be read is never taken for an empty one and overwritten.
import { newerVersion, type OwnerFiles, StorageError, type Trust, type TrustedFolder } from '../storage.ts';

const FILE = 'trust.json';
const VERSION = 1;

export function createTrust({ files, now }: { files: OwnerFiles; now(): number }): Trust {
  const parse = (text: string | undefined): TrustedFolder[] => parseFolders(text, files.location(FILE));

  /** Writes only where `make` changes the list. */
  async function change(make: (folders: TrustedFolder[]) => TrustedFolder[]): Promise<boolean> {
    let isChanged = false;
    await files.update(FILE, (text) => {
      const before = parse(text);
      const folders = make(before);
      isChanged = folders.length !== before.length;
      return isChanged ? `${JSON.stringify({ version: VERSION, folders }, undefined, 2)}\n` : undefined;
    });
    return isChanged;
  }

  return {
    list: async () => parse(await files.read(FILE)),
    add: (folder) =>
      change((folders) =>
        folders.some((each) => each.folder === folder)
          ? folders
          : [...folders, { folder, grantedAt: new Date(now()).toISOString() }],
      ),
    remove: (folder) => change((folders) => folders.filter((each) => each.folder !== folder)),
  };
}

function parseFolders(text: string | undefined, location: string): TrustedFolder[] {
  if (text === undefined) return [];
  const damaged = new StorageError('STORAGE_FAILED', `${location} cannot be read: repair it, or move it away`);
  let value: { version?: unknown; folders?: unknown } | null;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged;
  }
  const { version, folders } = value ?? {};
  if (typeof version === 'number' && version > VERSION) throw newerVersion(location, version, VERSION);
  if (version !== VERSION || !Array.isArray(folders) || !folders.every(isTrustedFolder)) throw damaged;
  return folders;
}

function isTrustedFolder(value: unknown): value is TrustedFolder {
  const { folder, grantedAt } = (value ?? {}) as Record<string, unknown>;
  return typeof folder === 'string' && typeof grantedAt === 'string';
}
