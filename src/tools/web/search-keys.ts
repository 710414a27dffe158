// Keys of search services that a person typed in set-up: web-search.json, a private file of the home. A key in the environment comes first.
import type { OwnerFiles } from '../../storage/storage.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';

const FILE = 'web-search.json';
const VERSION = 1;

export interface SearchKeys {
  read(service: string): Promise<string | undefined>;
  /** Durable when it resolves. */
  store(service: string, key: string): Promise<void>;
}

export function createSearchKeys(files: Pick<OwnerFiles, 'read' | 'update' | 'location'>): SearchKeys {
  const parsed = (text: string | undefined): Record<string, unknown> => {
    if (text === undefined) return {};
    const keys = keysIn(text);
    if (keys) return keys;
    const path = files.location(FILE);
    throw new CodedError('SEARCH_KEYS_DAMAGED', `${path} cannot be read: remove it, then run "lainclaw setup"`);
  };
  return {
    async read(service) {
      const keys = parsed(await files.read(FILE));
      const key = Object.hasOwn(keys, service) ? keys[service] : undefined;
      return typeof key === 'string' && key !== '' ? key : undefined;
    },
    store: (service, key) =>
      files.update(
        FILE,
        (current) => `${JSON.stringify({ version: VERSION, keys: { ...parsed(current), [service]: key } }, null, 2)}\n`,
      ),
  };
}

/** Undefined: the file is damaged. The parser's own words would quote it, and so a key. */
function keysIn(text: string): Record<string, unknown> | undefined {
  try {
    const { version, keys } = JSON.parse(text) as { version?: unknown; keys?: unknown };
    const isFitting = version === VERSION && typeof keys === 'object' && keys !== null && !Array.isArray(keys);
    return isFitting ? (keys as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
