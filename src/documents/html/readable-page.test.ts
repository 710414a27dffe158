import { describe, expect, it } from 'vitest';
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

const described = (data: unknown): string =>
  shown(
    '<div id="root"></div><script src="/app.js"></script>',
    `<title>Retries</title><script type="application/ld+json">${JSON.stringify(data)}</script>`,
  );

describe('a page whose text is only in what it tells search engines', () => {
  it('is read there: an article with its author and day, and not what describes the site', () => {
    const article = {
      '@type': ['NewsArticle'],
      headline: 'Retries\nexplained',
      author: [{ '@type': 'Person', name: 'Ann Lee' }, { name: 'Bo' }],
      datePublished: '2026-03-01',
      publisher: { '@type': 'Organization', name: 'The Publisher' },
      articleBody: 'The queue retries <b>five</b> times.<p>Then it stops.</p>',
    };
    const site = { '@type': 'WebSite', name: 'A site', description: 'About everything' };
    expect(described({ '@graph': [site, article] })).toBe(
      '## Retries explained\n\nAnn Lee, Bo, 2026-03-01\n\nThe queue retries **five** times.\n\nThen it stops.',
    );
  });

  it.each<[string, unknown, string]>([
    [
      'questions with answers',
      {
        '@type': 'FAQPage',
        mainEntity: [{ '@type': 'Question', name: '多久？', acceptedAnswer: { '@type': 'Answer', text: '三十秒。' } }],
      },
      '## 多久？\n\n三十秒。',
    ],
    [
      'a recipe',
      {
        '@type': 'Recipe',
        name: 'Щи',
        recipeIngredient: ['капуста', 'вода'],
        recipeInstructions: [{ '@type': 'HowToStep', text: 'Варить час.' }],
      },
      '## Щи\n\n- капуста\n- вода\n\nВарить час.',
    ],
  ])('is read there: %s', (_, data, text) => {
    expect(described(data)).toBe(text);
  });

  it.each([
    ['damaged data', '<script type="application/ld+json">{"a": </script>'],
    [
      'data in itself a hundred thousand times',
      `<script type="application/ld+json">${'['.repeat(100_000)}${']'.repeat(100_000)}</script>`,
    ],
  ])('%s is passed over, and the sentence about the page is shown', (_, script) => {
    const head = `<meta name="description" content="All about retries.">${script}`;
    expect(shown('<div id="root"></div>', head)).toBe('All about retries.');
  });

  it('is shown by its own text where it has one', () => {
    const text = 'The queue keeps every message until a worker has confirmed it. '.repeat(12);
    const html = `<html><head><script type="application/ld+json">${JSON.stringify({ articleBody: 'x'.repeat(5_000) })}</script></head><body><p>${text}</p></body></html>`;
    expect(readablePage(html, '')).toMatchObject({ markdown: text.trim(), needsScripts: false });
  });
});

it('says of a page that it needs its scripts', () => {
  const page =
    '<html><head><title>App</title></head><body><div id="root"></div><script src="/a.js"></script></body></html>';
  expect(readablePage(page, '').needsScripts).toBe(true);
  expect(readablePage('<p>A short page.</p>', '').needsScripts).toBe(false);
});
