// Pages that were fetched, by address, while this process runs: a page that has not changed is not sent again. A page without a
// validator is not kept, since nobody could tell whether it is still the same.
import type { Downloaded } from './download.ts';

const MOST_PAGES = 50;
const MOST_BYTES = 20_000_000;

export interface PageCache {
  get(url: string): Downloaded | undefined;
  put(url: string, page: Downloaded): void;
}

export function createPageCache(): PageCache {
  // In the order of their use.
  const pages = new Map<string, Downloaded>();
  const size = (): number => pages.values().reduce((sum, { bytes }) => sum + bytes.length, 0);
  return {
    get: (url) => pages.get(url),
    put(url, page) {
      pages.delete(url);
      const { etag, lastModified } = page.validators;
      if (page.status !== 200 || (etag === undefined && lastModified === undefined)) return;
      pages.set(url, page);
      for (const oldest of [...pages.keys()]) {
        if (pages.size <= MOST_PAGES && size() <= MOST_BYTES) return;
        pages.delete(oldest);
      }
    },
  };
}
