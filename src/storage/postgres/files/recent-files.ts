// Files that this process has read lately, so that the pictures of a conversation are not sent from the database with each turn.

interface RecentFile {
  sha256: string;
  content: Buffer;
}

export interface RecentFiles {
  get(scope: string, name: string): RecentFile | undefined;
  add(scope: string, name: string, file: RecentFile): void;
  remove(scope: string, name: string): void;
}

const MOST_BYTES = 16 * 1024 * 1024;

export function createRecentFiles(mostBytes = MOST_BYTES): RecentFiles {
  /** The one that was used longest ago first. */
  const files = new Map<string, RecentFile>();
  const keyOf = (scope: string, name: string): string => JSON.stringify([scope, name]);
  let bytes = 0;

  function drop(key: string): void {
    bytes -= files.get(key)?.content.length ?? 0;
    files.delete(key);
  }
  return {
    get(scope, name) {
      const key = keyOf(scope, name);
      const file = files.get(key);
      if (!file) return undefined;
      files.delete(key);
      files.set(key, file);
      return file;
    },
    add(scope, name, file) {
      const key = keyOf(scope, name);
      drop(key);
      if (file.content.length > mostBytes / 2) return;
      files.set(key, file);
      bytes += file.content.length;
      for (const oldest of files.keys()) {
        if (bytes <= mostBytes) return;
        drop(oldest);
      }
    },
    remove: (scope, name) => drop(keyOf(scope, name)),
  };
}
