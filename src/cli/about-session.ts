import type { SessionEntry } from '../storage/storage.ts';

/** What a conversation is about: its title and, where that says something else, how it began. */
export function aboutSession({ title, firstWords }: Pick<SessionEntry, 'title'> & { firstWords?: string }): string {
  if (title === undefined) return firstWords ?? '';
  if (firstWords === undefined || firstWords.startsWith(title.replace(/…$/, ''))) return title;
  return `${title} · ${firstWords}`;
}
