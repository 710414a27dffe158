// trust.json: {version:1, folders:[{folder, grantedAt}], declined?:[folder]}. One that cannot be read is never taken for an empty
// one and overwritten.
import { newerVersion, type OwnerFiles, StorageError, type Trust, type TrustedFolder } from './storage.ts';

const FILE = 'trust.json';
const VERSION = 1;

interface Decisions {
  folders: TrustedFolder[];
  declined: string[];
}

export function createTrust({ files, now }: { files: OwnerFiles; now(): number }): Trust {
  const parse = (text: string | undefined): Decisions => parseDecisions(text, files.location(FILE));
  const read = async (): Promise<Decisions> => parse(await files.read(FILE));

  /** Writes only where `make` changes something. Resolves with whether the list of trusted folders is another. */
  async function change(make: (before: Decisions) => Decisions): Promise<boolean> {
    let isChanged = false;
    await files.update(FILE, (text) => {
      const before = parse(text);
      const after = make(before);
      isChanged = after.folders.length !== before.folders.length;
      if (!isChanged && after.declined.length === before.declined.length) return undefined;
      const { folders, declined } = after;
      const written = { version: VERSION, folders, ...(declined.length > 0 && { declined }) };
      return `${JSON.stringify(written, undefined, 2)}\n`;
    });
    return isChanged;
  }

  return {
    list: async () => (await read()).folders,
    declined: async () => (await read()).declined,
    add: (folder) =>
      change(({ folders, declined }) => ({
        folders: folders.some((each) => each.folder === folder)
          ? folders
          : [...folders, { folder, grantedAt: new Date(now()).toISOString() }],
        declined: declined.filter((each) => each !== folder),
      })),
    remove: (folder) =>
      change(({ folders, declined }) => {
        const left = folders.filter((each) => each.folder !== folder);
        const isRemoved = left.length < folders.length && !declined.includes(folder);
        return { folders: left, declined: isRemoved ? [...declined, folder] : declined };
      }),
    async decline(folder) {
      await change(({ folders, declined }) => ({
        folders,
        declined: declined.includes(folder) ? declined : [...declined, folder],
      }));
    },
  };
}

function parseDecisions(text: string | undefined, location: string): Decisions {
  if (text === undefined) return { folders: [], declined: [] };
  const damaged = new StorageError('STORAGE_FAILED', `${location} cannot be read: repair it, or move it away`);
  let value: { version?: unknown; folders?: unknown; declined?: unknown } | null;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged;
  }
  const { version, folders, declined = [] } = value ?? {};
  if (typeof version === 'number' && version > VERSION) throw newerVersion(location, version, VERSION);
  if (version !== VERSION || !Array.isArray(folders) || !folders.every(isTrustedFolder)) throw damaged;
  if (!Array.isArray(declined) || !declined.every((folder) => typeof folder === 'string')) throw damaged;
  return { folders, declined };
}

function isTrustedFolder(value: unknown): value is TrustedFolder {
  const { folder, grantedAt } = (value ?? {}) as Record<string, unknown>;
  return typeof folder === 'string' && typeof grantedAt === 'string';
}
