import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkEntities } from '../../../test/fakes/telegram-server/entities.ts';
import { renderMarkdown } from './render-markdown.ts';

/** The text of each entity, by type. */
function marked(markdown: string): string[] {
  const { text, entities } = renderMarkdown(markdown);
  return entities.map(({ type, offset, length }) => `${type}: ${text.slice(offset, offset + length)}`);
}

describe('Markdown on Telegram', () => {
  test('styles are entities, with offsets in UTF-16 units', () => {
    const { text, entities } = renderMarkdown('🌍🌍 **bold** *slanted* ~~gone~~ `code`');
    expect(text).toBe('🌍🌍 bold slanted gone code');
    expect(entities).toEqual([
      { type: 'bold', offset: 5, length: 4 },
      { type: 'italic', offset: 10, length: 7 },
      { type: 'strikethrough', offset: 18, length: 4 },
      { type: 'code', offset: 23, length: 4 },
    ]);
  });

  test('styles nest, but never around code', () => {
    expect(marked('**a *b* c**')).toEqual(['bold: a b c', 'italic: b']);
    expect(marked('**a `b` c**')).toEqual(['bold: a ', 'code: b', 'bold:  c']);
    expect(marked('# Use `x` now')).toEqual(['bold: Use ', 'code: x', 'bold:  now']);
    expect(marked('# **a**')).toEqual(['bold: a']);
    expect(marked('[`x`](https://e.org)')).toEqual(['text_link: x']);
  });

  test('a fence is pre with its language, and its content untouched', () => {
    const code = 'if (a < b && c) {\n\treturn "*x*";\n}';
    const { text, entities } = renderMarkdown(`Look:\n\n\`\`\`ts title=x\n${code}\n\`\`\``);
    expect(text).toBe(`Look:\n\n${code}`);
    expect(entities).toEqual([{ type: 'pre', language: 'ts', offset: 7, length: code.length }]);
    expect(renderMarkdown('    indented')).toEqual({
      text: 'indented',
      entities: [{ type: 'pre', offset: 0, length: 8 }],
    });
  });

  test('links lead only where Telegram goes; other addresses are written out', () => {
    expect(renderMarkdown('[site](https://e.org/?a=1&b=2) and [app](tg://user?id=1)').entities).toMatchObject([
      { type: 'text_link', url: 'https://e.org/?a=1&b=2' },
      { type: 'text_link', url: 'tg://user?id=1' },
    ]);
    expect(renderMarkdown('[guide](docs/a.md) [run](javascript:alert(1)) a@b.de')).toEqual({
      text: 'guide (docs/a.md) run (javascript:alert(1)) a@b.de',
      entities: [],
    });
    expect(marked('![a chart](https://e.org/c.png)')).toEqual(['text_link: a chart']);
    expect(marked('[words][1]\n\n[1]: https://e.org')).toEqual(['text_link: words']);
  });

  test('lists keep their numbers, levels and boxes', () => {
    const { text } = renderMarkdown('Steps:\n\n3. three\n3. four\n   - under\n     deeper\n\n- [x] done\n- [ ] open');
    expect(text).toBe('Steps:\n\n3. three\n4. four\n  • under\n    deeper\n\n☑ done\n☐ open');
    expect(renderMarkdown('You need:\n- a\n- b').text).toBe('You need:\n• a\n• b');
  });

  test('quotes are block quotes; one within another keeps its sign', () => {
    expect(marked('> a\n>\n> **b**')).toEqual(['blockquote: a\nb', 'bold: b']);
    expect(marked('> a\n> > b')).toEqual(['blockquote: a\n> b']);
  });

  test('tables are aligned in a fixed width, wide characters counted twice', () => {
    const { text, entities } = renderMarkdown('| name | n |\n|:--|--:|\n| 中文 | 1 |\n| [x](https://e.org) | 22 |');
    expect(text.split('\n')).toEqual([
      'name              │  n',
      '──────────────────┼───',
      '中文              │  1',
      'x (https://e.org) │ 22',
    ]);
    expect(entities).toEqual([{ type: 'pre', offset: 0, length: text.length }]);
  });

  test('what looks like markup of another kind is shown as it is', () => {
    expect(renderMarkdown('a <b>c</b> &amp; &lt;d&gt; &#x1F30D; &nope; \\*e\\*').text).toBe(
      'a <b>c</b> & <d> 🌍 &nope; *e*',
    );
    expect(renderMarkdown('one<br>two').text).toBe('one\ntwo');
  });

  test('lines that were written apart stay apart, control characters go', () => {
    expect(renderMarkdown('a\r\nb\u0007\u0000c\n\n\n\nd').text).toBe('a\nbc\n\nd');
  });

  test('whatever the text, Telegram takes the entities', () => {
    const bit = fc.constantFrom(
      '**',
      '*',
      '_',
      '__',
      '~~',
      '`',
      '``',
      '```\n',
      '\n',
      '\n\n',
      '> ',
      '- ',
      '1. ',
      '# ',
      '[',
      '](https://e.org)',
      '![',
      '| a | b |\n|---|---|\n',
      '|',
      ' ',
      '    ',
      'word',
      '字',
      '😀',
      '&amp;',
      '<b>',
      '\\',
      '- [x] ',
      '---\n',
      '\t',
    );
    fc.assert(
      fc.property(fc.array(bit, { maxLength: 40 }), (bits) => {
        const { text, entities } = renderMarkdown(bits.join(''));
        checkEntities(text, entities);
        expect(text).toBe(text.trimEnd());
      }),
      { numRuns: 500 },
    );
  });
});
