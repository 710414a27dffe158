import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkMarkdown } from './chunk.ts';
import { typicalTokens } from './typical-tokens.ts';

const line = fc.oneof(
  fc.constantFrom(
    '# One',
    '## Two',
    '### Three ###',
    '#',
    '```',
    '```ts',
    '~~~',
    '',
    '   ',
    '- item',
    '> quote',
    '````',
  ),
  fc.string({ maxLength: 120 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '这是一个句子。第二句！第三句？',
    'Первое предложение. Второе! Третье?',
    'x'.repeat(900),
    '字'.repeat(500),
  ),
);
const markdown = fc.array(line, { maxLength: 60 }).map((lines) => lines.join('\n'));
const isFence = (text: string): boolean => /^\s*(`{3,}|~{3,})/.test(text);

describe('chunkMarkdown', () => {
  it('all chunks together are the text', () => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 16, max: 300 }), (text, size) => {
        const joined = chunkMarkdown(text, { size })
          .map((chunk) => chunk.text)
          .join('');
        expect(joined).toBe(text.trim() === '' ? '' : text);
      }),
    );
  });

  it('no chunk has more than twice the wanted tokens, but for white space and a single fence', () => {
    fc.assert(
      fc.property(markdown, fc.integer({ min: 16, max: 300 }), (text, size) => {
        for (const chunk of chunkMarkdown(text, { size })) {
          if (isFence(chunk.text) || /\n {0,3}(`{3,}|~{3,})/.test(chunk.text)) continue;
          expect(typicalTokens(chunk.text.trim())).toBeLessThanOrEqual(2 * size + 1);
        }
      }),
    );
  });

  it('is deterministic and never makes an empty chunk', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const chunks = chunkMarkdown(text);
        expect(chunkMarkdown(text)).toEqual(chunks);
        for (const chunk of chunks) expect(chunk.text.trim()).not.toBe('');
      }),
    );
  });

  it.each([
    ['blank lines', `a\n${' \n'.repeat(400_000)}b`],
    ['line ends', `${'\n'.repeat(800_000)}b`],
    ['blanks', `# a${' '.repeat(800_000)}b`],
    ['marks of headings', `# ${'# '.repeat(400_000)}b`],
    ['marks of code', `${'`'.repeat(800_000)}b\``],
    ['full stops', `a${'.'.repeat(800_000)}b`],
    ['quotes', `${'."'.repeat(400_000)}b`],
  ])('takes a text of nothing but %s', (_name, text) => {
    const chunks = chunkMarkdown(text);
    expect(chunks.map((chunk) => chunk.text).join('') === text).toBe(true);
  });

  it('the title of a heading ends before the marks that close it', () => {
    const contexts = ['# One #', '# C#', '#\tTwo ##  ', '# #'].map(
      (heading) => chunkMarkdown(`${heading}\n${'words '.repeat(300)}`).at(-1)?.context,
    );
    expect(contexts).toEqual(['One', 'C#', 'Two', '']);
  });

  it('a fence is never split, whatever its size', () => {
    const fence = `\`\`\`js\n${'const value = 1; // a line of code\n\n'.repeat(100)}\`\`\`\n`;
    const chunks = chunkMarkdown(`# Code\n\nBefore it.\n\n${fence}\nAfter it.\n`, { size: 50 });
    expect(chunks.filter(({ text }) => text.includes('const value'))).toHaveLength(1);
    expect(chunks.find(({ text }) => text.includes('const value'))?.text).toContain(fence);
  });

  it('a shorter or other fence inside a fence does not close it, and a heading inside is code', () => {
    const text = '````md\n```\n# not a heading\n```\n~~~\n````\n\nAfter.\n';
    expect(chunkMarkdown(text)).toEqual([{ context: '', text }]);
  });

  it('headings above a chunk are its context', () => {
    const text = '# Garden\n\nIntro.\n\n## Roses\n\nRed.\n\n### Pruning\n\nIn March.\n\n## Tools\n\nSpade.\n';
    expect(chunkMarkdown(text).map(({ context, text: body }) => [context, body.trim().split('\n').at(-1)])).toEqual([
      ['', 'Intro.'],
      ['Garden', 'Red.'],
      ['Garden › Roses', 'In March.'],
      ['Garden', 'Spade.'],
    ]);
  });

  it('Chinese is cut between sentences', () => {
    const chunks = chunkMarkdown('春天来了，花园里的玫瑰开了。'.repeat(40), { size: 100 });
    expect(chunks.length).toBeGreaterThan(3);
    for (const { text } of chunks) expect(text).toMatch(/。$/);
  });

  it('English and Russian are cut between sentences, not inside numbers', () => {
    for (const sentence of ['Version 2.5 costs 3.50 today. ', 'Версия 2.5 стоит 3.50 рубля. ']) {
      for (const { text } of chunkMarkdown(sentence.repeat(60), { size: 60 }))
        expect(text.trim()).toMatch(/(today|рубля)\.$/);
    }
  });
});
