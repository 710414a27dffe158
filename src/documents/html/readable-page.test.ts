import { expect, it } from 'vitest';
import { readablePage } from './readable-page.ts';

const shown = (body: string, head = ''): string =>
  readablePage(`<!doctype html><html><head>${head}</head><body>${body}</body></html>`, 'https://example.org/').markdown;

it('keeps the columns of a table whose cells span several columns and rows', () => {
  const table =
    '<table><tr><th rowspan="2">Plan</th><th colspan="2">Retries</th></tr><tr><th>least</th><th>most</th></tr><tr><td>Free</td><td>1</td><td>5</td></tr></table>';
  expect(shown(table)).toBe('| Plan | Retries |  |\n| --- | --- | --- |\n|  | least | most |\n| Free | 1 | 5 |');
});

it('keeps the lines of code, however the page breaks them', () => {
  expect(shown('<pre><span>a = 1</span><br><span>b = 2</span>\nc = 3</pre>')).toBe('```\na = 1\nb = 2\nc = 3\n```');
});
