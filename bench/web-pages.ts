// What web_fetch keeps of thirty pages in three languages: the main text, and not what is around it.
import { readablePage } from '../src/documents/html/readable-page.ts';
import { savedPages } from '../test/fakes/web-pages.ts';
import type { Bench } from './bench.ts';

const LIMIT_PERCENT = 5;

export const webPages: Bench = {
  name: 'web-pages',
  async run() {
    const pages = savedPages().map((page) => ({
      ...page,
      shown: readablePage(page.html, 'https://example.org/').markdown,
    }));
    const lost = pages.flatMap(({ main, shown }) => main.filter((mark) => !shown.includes(mark)));
    const left = pages.flatMap(({ around, shown }) => around.filter((mark) => shown.includes(mark)));
    const total = (of: 'main' | 'around'): number => pages.reduce((sum, page) => sum + page[of].length, 0);
    const figure = (name: string, count: number, all: number) => ({
      name,
      value: (100 * count) / all,
      unit: '%',
      limit: LIMIT_PERCENT,
      detail: `${count} of ${all} on ${pages.length} pages`,
    });
    return [
      figure('main text that is lost', lost.length, total('main')),
      figure('navigation that is left', left.length, total('around')),
    ];
  },
};
