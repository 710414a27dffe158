// The files of access: {version:1, <key>:[…]}. One that cannot be read is never taken for an empty one, which would forget who
// was admitted, or for whom a limit holds.
import { newerVersion, type OwnerFiles } from '../../storage/storage.ts';
import { AccessError } from './access-error.ts';

const VERSION = 1;

export interface ListFile<T> {
  read(): Promise<T[]>;
  /** Read, changed and written without another process in between. The same list again writes nothing. */
  update(change: (items: T[]) => T[]): Promise<void>;
}

export function listFile<T>(
  files: OwnerFiles,
  name: string,
  key: string,
  parseItem: (value: unknown) => T | undefined,
): ListFile<T> {
  const parse = (text: string | undefined): T[] => {
    if (text === undefined) return [];
    const damaged = (): AccessError =>
      new AccessError('PAIRING_FILE_DAMAGED', `${name} in the home cannot be read: repair it, or move it away`);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw damaged();
    }
    const { version, [key]: items } = (value ?? {}) as Record<string, unknown>;
    if (typeof version === 'number' && version > VERSION) throw newerVersion(files.location(name), version, VERSION);
    if (version !== VERSION || !Array.isArray(items)) throw damaged();
    return items.map((item) => {
      const parsed = parseItem(item);
      if (parsed === undefined) throw damaged();
      return parsed;
    });
  };
  return {
    read: async () => parse(await files.read(name)),
    update: (change) =>
      files.update(name, (text) => {
        const items = parse(text);
        const before = JSON.stringify(items);
        const changed = change(items);
        if (JSON.stringify(changed) === before) return undefined;
        return `${JSON.stringify({ version: VERSION, [key]: changed }, undefined, 2)}\n`;
      }),
  };
}
