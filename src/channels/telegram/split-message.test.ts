import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMarkdown } from './render-markdown.ts';
import { LIMIT } from './room.ts';
import { splitMessage } from './split-message.ts';

function fits(part: string): boolean {
  const { text, entities } = renderMarkdown(part);
  return text.length <= LIMIT.units && entities.length <= LIMIT.entities;
}

/** What a person reads of it, without white space. */
function wordsOf(...parts: string[]): string {
  return parts.map((part) => renderMarkdown(part).text.replace(/\s+/g, '')).join('');
}

describe('a long text for Telegram', () => {
  test('is cut between blocks, a fence kept whole', () => {
    const code = `\`\`\`ts\n${'const x = 1;\n'.repeat(200)}\`\`\``;
    const text = `${'Words before. '.repeat(200)}`.trim();
    expect(splitMessage(`${text}\n\n${code}\n\nAfter.`)).toEqual([text, `${code}\n\nAfter.`]);
  });

  test('a fence that is too long is closed and opened again with its language', () => {
    const lines = Array.from({ length: 900 }, (_, index) => `line ${index} \`\`\` here`);
    const parts = splitMessage(`\`\`\`\`py\n${lines.join('\n')}\n\`\`\`\``);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts)
      expect(renderMarkdown(part).entities).toMatchObject([{ type: 'pre', language: 'py', offset: 0 }]);
    expect(parts.map((part) => renderMarkdown(part).text).join('\n')).toBe(lines.join('\n'));
  });

  test('emphasis and links that span a cut continue after it', () => {
    const parts = splitMessage(
      `**${'bold words '.repeat(600).trim()}** then [${'linked words '.repeat(500).trim()}](https://e.org)`,
    );
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      const { text, entities } = renderMarkdown(part);
      expect(text).not.toMatch(/[*[\]]/);
      expect(entities.length).toBeGreaterThan(0);
    }
  });

  test('a list continues with its numbers, a table with its header', () => {
    const items = Array.from({ length: 300 }, (_, index) => `1. item number ${index + 1} of the list`);
    const listed = splitMessage(items.join('\n')).map((part) => renderMarkdown(part).text);
    expect(listed.join('\n').split('\n')).toEqual(items.map((item, index) => item.replace(/^1/, String(index + 1))));
    const rows = Array.from({ length: 300 }, (_, index) => `| row ${index} | value ${index} |`);
    const tables = splitMessage(['| name | value |', '|---|---|', ...rows].join('\n'));
    expect(tables.length).toBeGreaterThan(1);
    for (const table of tables) expect(renderMarkdown(table).text).toMatch(/^name +│ value\n─/);
    expect(tables.join('\n').match(/\| row \d+ \|/g)).toHaveLength(300);
  });

  test('addresses that are listed at the end are known in every part', () => {
    const parts = splitMessage(`${'See [here][1]. '.repeat(500)}\n\n[1]: https://e.org`);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(renderMarkdown(part).text).not.toContain('[');
  });

  test('many small marks are more than one message too', () => {
    const parts = splitMessage(Array.from({ length: 350 }, (_, index) => `**w${index}**`).join(' '));
    expect(parts).toHaveLength(4);
    expect(parts.every(fits)).toBe(true);
  });

  test('a word at a cut never becomes a list, a heading or a quote', () => {
    const text = `${'-\u00a0a '.repeat(10)}${'> 1. # - + * '.repeat(800)}`;
    const paragraph = `start ${text}`;
    expect(wordsOf(...splitMessage(paragraph))).toBe(wordsOf(paragraph));
  });

  test('texts made to be hard lose nothing either', () => {
    const nested = Array.from(
      { length: 60 },
      (_, level) => `${'  '.repeat(level)}- item ${level} ${'word '.repeat(40)}`,
    );
    const hard = ['> '.repeat(3_000), '- '.repeat(3_000), '_a'.repeat(9_000), '**a'.repeat(5_000), nested.join('\n')];
    for (const each of hard) {
      const parts = splitMessage(`${each} end`);
      expect(parts.every(fits)).toBe(true);
      const letters = (text: string): string => text.replace(/[^a-z\d]/g, '');
      expect(letters(parts.join(''))).toBe(letters(`${each} end`));
    }
  });

  test('nothing is nothing', () => {
    expect(splitMessage('')).toEqual([]);
    expect(splitMessage(' \n\n ')).toEqual([]);
  });

  test('whatever it is, each part fits and no word is lost', () => {
    const word = fc.oneof(
      {
        weight: 30,
        arbitrary: fc.constantFrom(
          'word',
          '字字',
          '😀',
          'a_b',
          '`code`',
          '**bold**',
          '*it*',
          '[l](https://e.org)',
          'x'.repeat(50),
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom('y😀'.repeat(3000), `**${'long '.repeat(1500)}end**`, `\`${'c'.repeat(5000)}\``),
      },
    );
    const line = fc.array(word, { minLength: 1, maxLength: 40 }).map((words) => words.join(' '));
    const lines = fc.array(line, { minLength: 1, maxLength: 25 });
    const block = fc.oneof(
      lines.map((each) => each.join('\n')),
      lines.map((each) => `\`\`\`js\n${each.join('\n')}\n\`\`\``),
      lines.map((each) => each.map((item) => `- ${item}`).join('\n')),
      lines.map((each) => each.map((item) => `> ${item}`).join('\n')),
      line.map((each) => `## ${each}`),
    );
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 10 }), (blocks) => {
        const markdown = blocks.join('\n\n');
        const parts = splitMessage(markdown);
        for (const part of parts) expect(fits(part)).toBe(true);
        expect(wordsOf(...parts)).toBe(wordsOf(markdown));
      }),
      { numRuns: 40 },
    );
  });
});
