import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readDefinition } from './definition.ts';

const read = (text: string) => readDefinition(Buffer.from(text));

it('takes name, description, tools and model from the front matter, and the rest as instructions', async () => {
  const text =
    '\uFEFF---\nname: code-reader\ndescription: Reads: code  and more\ntools: [grep, fs.read_file]\nmodel: small\n---\r\n\n# Be\n\nbrief.\n';
  expect(await read(text)).toEqual({
    ok: true,
    facts: {
      name: 'code-reader',
      description: 'Reads: code and more',
      tools: ['grep', 'fs.read_file'],
      model: 'small',
    },
    instructions: '# Be\n\nbrief.',
  });
});

it('has all tools when it names none', async () => {
  expect(await read('---\nname: a\ndescription: b\n---\nGo.')).toMatchObject({ ok: true, facts: { tools: 'all' } });
});

it.each([
  ['no front matter', 'first line must be ---'],
  ['---\nname: a\n', 'does not end'],
  [`---\nname: ${'a'.repeat(101)}\ndescription: x\n---\ny`, 'up to 100'],
  ['---\nname: "a\\tb"\ndescription: x\n---\ny', 'cannot be seen'],
  ['---\ndescription: x\n---\ny', 'it has no name'],
  ['---\nname: a\n---\ny', 'it has no description'],
  ['---\nname: a\ndescription: x\ntools: some\n---\ny', 'must be "all" or a list'],
  ['---\nname: a\ndescription: x\ntools: []\n---\ny', 'must be "all" or a list'],
  ['---\nname: a\ndescription: x\nmodel: 7\n---\ny', 'name of a model'],
  ['---\nname: a\ndescription: x\nhook: rm\n---\ny', '"hook" is not a setting'],
  ['---\nname: a\ndescription: x\n---\n \n', 'no instructions'],
  [`---\nname: a\ndescription: x\n---\n${'y'.repeat(70_000)}`, 'over the limit'],
])('%j is refused with the reason', async (text, reason) => {
  const found = await read(text);
  expect(found.ok ? '' : found.reason).toContain(reason);
});

it('tells every error at once', async () => {
  const found = await read('---\nname: "\\0"\ntools: 5\nmodl: x\n---\n');
  expect(found.ok ? '' : found.reason.split('; ')).toHaveLength(5);
});

it.each(['A b', '代码 审查', 'Проверка', 'a/b'])('may be named %s', async (name) => {
  expect(await read(`---\nname: ${name}\ndescription: x\n---\ny`)).toMatchObject({ ok: true, facts: { name } });
});

it('never throws, whatever the bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.string(), async (bytes, text) => {
      await readDefinition(Buffer.from(bytes));
      await readDefinition(Buffer.from(`---\n${text}\n---\n${text}`));
    }),
  );
});
