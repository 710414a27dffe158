import { expect, it } from 'vitest';
import { foundPagesIn } from './found-pages.tsx';

it('only pages of the web are links', () => {
  const good = { url: 'https://example.org/', title: 'A page' };
  const data = { answer: 'yes', results: [good, { url: 'javascript:alert(1)' }, { url: 7 }, null] };
  expect(foundPagesIn(data)).toEqual({ answer: 'yes', pages: [good] });
});

it('other results are not taken for pages', () => {
  for (const data of [undefined, 'text', { results: 'x' }, { results: [] }, { results: [{ path: 'a' }] }])
    expect(foundPagesIn(data)).toBeUndefined();
});
