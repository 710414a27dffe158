import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { processorTime } from '../../test/support/processor-time.ts';
import { FRONT_MATTER_BYTES } from '../lib/front-matter.ts';
import { type FrontMatter, readFrontMatter } from './front-matter.ts';

const read = (text: string): Promise<FrontMatter> => readFrontMatter(Buffer.from(text));
const withLines = (...lines: string[]): Promise<FrontMatter> => read(['---', ...lines, '---', '', 'Body'].join('\n'));
const reasonOf = async (...lines: string[]): Promise<string> => {
  const found = await withLines(...lines);
  return found.ok ? 'accepted' : found.reason;
};

describe('front matter', () => {
  it('with a name and a description is a skill', async () => {
    expect(await withLines('name: pdf-tools', 'description: Reads PDF files.')).toEqual({
      ok: true,
      facts: { name: 'pdf-tools', description: 'Reads PDF files.' },
    });
  });

  it('may have the optional fields, and others, which mean nothing', async () => {
    const found = await withLines(
      'name: a1',
      'description: >',
      '  Two lines',
      '  of text.',
      'license: Apache-2.0',
      'compatibility: Needs git',
      'metadata:',
      '  author: someone',
      '  version: 1.5',
      'allowed-tools: Bash(git add:*) Read',
      'hooks: { start: "rm -rf /" }',
    );
    expect(found).toEqual({
      ok: true,
      facts: {
        name: 'a1',
        description: 'Two lines of text.',
        license: 'Apache-2.0',
        compatibility: 'Needs git',
        metadata: { author: 'someone', version: '1.5' },
        allowedTools: ['Bash(git add:*)', 'Read'],
      },
    });
  });

  it('may begin with a byte order mark and end its lines in the Windows way', async () => {
    expect(await read('\uFEFF---\r\nname: a\r\ndescription: b\r\n---\r\nBody')).toMatchObject({ ok: true });
  });

  it('may have a colon in its description, the slip most often made', async () => {
    expect(await withLines('name: a', 'description: Use when: the user asks # twice')).toMatchObject({
      facts: { description: 'Use when: the user asks # twice' },
    });
  });

  it.each([
    ['a'.repeat(101), 'up to 100'],
    ['""', 'empty'],
    ['"a\\nb"', 'line break'],
    ['"a\\u200bb"', 'cannot be seen'],
    ['12', 'not a text'],
    ['[a]', 'not a text'],
  ])('with the name %s is refused', async (name, reason) => {
    expect(await reasonOf(`name: ${name}`, 'description: b')).toContain(reason);
  });

  it.each(['pdf', 'Upper', 'with space', '发布 说明', 'Заметки', '-a', '../x', '字'.repeat(100)])(
    'may have the name %s',
    async (name) => {
      expect(await withLines(`name: "${name}"`, 'description: b')).toMatchObject({ ok: true, facts: { name } });
    },
  );

  it('counts a description in characters, up to 1024', async () => {
    expect(await reasonOf('name: a', `description: ${'字'.repeat(1_024)}`)).toBe('accepted');
    expect(await reasonOf('name: a', `description: ${'😀'.repeat(1_024)}`)).toBe('accepted');
    expect(await reasonOf('name: a', `description: ${'a'.repeat(1_025)}`)).toContain('it has 1025');
    expect(await reasonOf('name: a', 'description: "  "')).toContain('it has 0');
  });

  it.each([
    [['description: b'], 'no name'],
    [['name: a'], 'no description'],
    [['name: a', 'description: [b]'], 'not a text'],
    [['- name'], '"key: value"'],
    [['just text'], '"key: value"'],
    [[], '"key: value"'],
    [['name: a', 'name: b', 'description: c'], 'YAML'],
    [['name: &x a', 'description: *x'], 'YAML'],
    [['name: a', 'description: b', 'metadata: 3'], 'metadata'],
    [['name: a', 'description: b', `compatibility: ${'c'.repeat(501)}`], 'compatibility'],
    [['name: a', 'description: b', `x: ${'['.repeat(900)}`], 'nested'],
    [['name: a', 'description: b', 'x:', `  ${'- '.repeat(900)}y`], 'nested'],
    [['name: a', `description: b${'\0'}`], 'NUL'],
  ])('%j is refused', async (lines, reason) => {
    expect(await reasonOf(...lines)).toContain(reason);
  });

  it('must open the file and end within the first 8 KiB', async () => {
    expect(await read('# Title\n---\nname: a\n---\n')).toMatchObject({ ok: false });
    expect(await read('')).toMatchObject({ ok: false });
    expect(await read('---\nname: a\ndescription: b\n')).toMatchObject({ ok: false });
    const late = `---\nname: a\ndescription: b\n# ${'x'.repeat(FRONT_MATTER_BYTES)}\n---\n`;
    expect(await read(late)).toMatchObject({ ok: false, reason: expect.stringContaining('8192') });
  });

  it('that is not UTF-8 is refused', async () => {
    const bytes = Buffer.concat([
      Buffer.from('---\nname: a\ndescription: '),
      Buffer.from([0xff]),
      Buffer.from('\n---\n'),
    ]);
    expect(await readFrontMatter(bytes)).toMatchObject({ ok: false, reason: expect.stringContaining('UTF-8') });
  });
});

describe('whatever the bytes', () => {
  async function check(bytes: Uint8Array): Promise<void> {
    const started = processorTime();
    const found = await readFrontMatter(bytes);
    expect(processorTime() - started).toBeLessThan(1_000);
    if (!found.ok) {
      expect(found.reason.length).toBeLessThan(600);
      return;
    }
    const { name, description } = found.facts;
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(name.length).toBeLessThanOrEqual(64);
    expect([...description].length).toBeGreaterThan(0);
    expect([...description].length).toBeLessThanOrEqual(1_024);
    expect(description).not.toContain('\n');
  }

  it('reading never throws, and what is accepted keeps the rules', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), check), { numRuns: 300 });
    const pieces = fc.constantFrom(
      ...[
        'name',
        'description',
        ': ',
        ':',
        '\n',
        '\n---\n',
        ' ',
        '- ',
        '? ',
        '[',
        ']',
        '{',
        '}',
        '&a',
        '*a',
        '!!js/function',
        '!x',
      ],
      ...[
        '"',
        "'",
        '|',
        '>',
        '#',
        '<<',
        '%YAML 1.1',
        '...',
        'a',
        '字',
        '\t',
        '\r\n',
        '\0',
        '\uFEFF',
        '__proto__',
        'metadata:\n  ',
      ],
    );
    const yaml = fc.array(pieces, { maxLength: 60 }).map((parts) => Buffer.from(`---\n${parts.join('')}\n---\nbody`));
    await fc.assert(fc.asyncProperty(yaml, check), { numRuns: 2_000 });
    const valued = fc
      .array(pieces, { maxLength: 20 })
      .map((parts) => Buffer.from(`---\nname: a\ndescription: ${parts.join('')}\n---\n`));
    await fc.assert(fc.asyncProperty(valued, check), { numRuns: 1_000 });
  });

  it.each(['[', '{', '- ', '? ', '{a: ', '"', '&a ', '!!map ', '*a ', ': ', '\n ', '- [', '<<: ', 'a: b\n'])(
    '8 KiB of %j are read in no time',
    async (piece) => {
      const filling = piece.repeat(Math.floor(8_000 / piece.length));
      await check(Buffer.from(`---\n${filling}\n---\n`));
      await check(Buffer.from(`---\nname: a\ndescription: b\nx: ${filling}\n---\n`));
    },
  );
});
