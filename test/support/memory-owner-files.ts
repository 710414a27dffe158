import type { OwnerFiles } from '../../src/storage/storage.ts';

/** The owner's files, kept in memory; `texts` is what is on the disk. */
export function memoryOwnerFiles(initial: Record<string, string> = {}): OwnerFiles & { texts: Map<string, string> } {
  const texts = new Map(Object.entries(initial));
  return {
    texts,
    read: async (name) => texts.get(name),
    async update(name, change) {
      const text = change(texts.get(name));
      if (text === null) texts.delete(name);
      else if (text !== undefined) texts.set(name, text);
    },
    append: async (name, line) => void texts.set(name, `${texts.get(name) ?? ''}${line}\n`),
    async rename(name, to) {
      texts.set(to, texts.get(name) ?? '');
      texts.delete(name);
    },
    list: async () => [...texts.keys()],
    location: (name) => name,
  };
}
