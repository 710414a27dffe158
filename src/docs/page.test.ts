import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePage, slugOf } from './page.ts';

const PAGE = `# Tools

Opening words.

## Results

What comes back.

### \`meta\`

Facts.

\`\`\`
## not a heading
\`\`\`

## Results

Again.
`;

describe('a page', () => {
  it('is cut at its headings, each with an address of its own', () => {
    const { title, sections } = parsePage('tools/x.md', PAGE);
    expect(title).toBe('Tools');
    expect(sections.map(({ slug, level }) => [slug, level])).toEqual([
      ['tools', 1],
      ['results', 2],
      ['meta', 3],
      ['results-1', 2],
    ]);
    expect(sections[2]?.trail).toEqual(['Tools', 'Results', 'meta']);
  });

  it('gives a section with those below it, and alone', () => {
    const results = parsePage('x.md', PAGE).sections[1];
    expect(results?.own).toBe('## Results\n\nWhat comes back.');
    expect(results?.whole).toContain('## not a heading');
    expect(results?.whole).not.toContain('Again.');
  });

  it('may have no heading at all', () => {
    const { title, sections } = parsePage('notes.md', 'only text\n');
    expect(title).toBe('notes.md');
    expect(sections).toMatchObject([{ slug: '', own: 'only text' }]);
  });

  it('loses no line, whatever it holds', () => {
    const line = fc.constantFrom('# a', '## b', '### c', '```', '~~~', 'text', '', '    # code', '#none', '## b ##');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const { sections } = parsePage('x.md', lines.join('\n'));
        const kept = sections.flatMap(({ own }) => own.split('\n')).filter((text) => text.trim() !== '');
        expect(kept.map((text) => text.trim())).toEqual(lines.map((text) => text.trim()).filter((text) => text !== ''));
        const slugs = sections.map(({ slug }) => slug);
        expect(new Set(slugs).size).toBe(slugs.length);
      }),
    );
  });
});

it('an address is what GitHub makes of a heading', () => {
  expect(slugOf('One `ask`, a straight line')).toBe('one-ask-a-straight-line');
  expect(slugOf('`config.json`')).toBe('configjson');
  expect(slugOf('Память и поиск')).toBe('память-и-поиск');
  expect(slugOf('工作区')).toBe('工作区');
});
