import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseManualTrigger } from './manual-trigger.ts';

const callsOf = (input: string) => {
  const trigger = parseManualTrigger(input);
  return trigger?.kind === 'calls' ? trigger.calls : trigger;
};

describe('input', () => {
  it.each(['hello', '', ' ', 'tools:x', 'Tool:x', 'TOOL:x', 'the tool:x', '"tool:x"', 'tool x'])(
    '%j is a question like any other',
    (input) => {
      expect(parseManualTrigger(input)).toBeUndefined();
    },
  );

  it.each([
    ['tool:a', [{ name: 'a', args: {} }]],
    ['\n tool: a \n', [{ name: 'a', args: {} }]],
    ['tool:a {"x":1}', [{ name: 'a', args: { x: 1 } }]],
    ['tool:a\t{"x":"a b\\nc"}', [{ name: 'a', args: { x: 'a b\nc' } }]],
    ['tool:{"name":"a"}', [{ name: 'a', args: {} }]],
    ['tool:{"args":{"x":1},"name":"a","id":"mine"}', [{ name: 'a', args: { x: 1 } }]],
    [
      'tool:[{"name":"a"},{"name":"b","args":{}}]',
      [
        { name: 'a', args: {} },
        { name: 'b', args: {} },
      ],
    ],
    ['tool:имя {"ключ":"值"}', [{ name: 'имя', args: { ключ: '值' } }]],
  ])('%j is calls', (input, calls) => {
    expect(callsOf(input)).toEqual(calls);
  });

  it.each([
    ['tool:a\nwhy?', 'why?'],
    ['tool:a {"x":1}\n\n  why?\nreally?  \n', 'why?\nreally?'],
    ['tool:a\r\nwhy?', 'why?'],
    ['tool:a\n \n', ''],
    ['tool:a', ''],
    ['tool:a\ntool:b', 'tool:b'],
  ])('%j asks %j about the results', (input, question) => {
    expect(parseManualTrigger(input)).toMatchObject({ kind: 'calls', question });
  });

  it.each([
    ['tool:', '(unparsed)'],
    ['tool:\na', '(unparsed)'],
    ['tool:[', '(unparsed)'],
    ['tool:[]', '(unparsed)'],
    ['tool:{"name":"a","args":1}', 'a'],
    ['tool:{"name":"a","arg":{}}', 'a'],
    ['tool:a {', 'a'],
    ['tool:a []', 'a'],
    ['tool:a b', 'a'],
    ['tool:[{"name":"a"},{"name":"b","args":[]}]', 'b'],
  ])('%j is unparsable, blamed on %s', (input, tool) => {
    expect(parseManualTrigger(input)).toEqual({
      kind: 'unparsable',
      tool,
      message: expect.stringContaining('expected tool:name'),
    });
  });
});

it('never throws, and always says one of three things', () => {
  const json = fc.json({ noUnicodeString: false });
  const input = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'binary' }).map((rest) => `tool:${rest}`),
    json.map((rest) => `tool:${rest}`),
    fc.tuple(fc.string(), json).map(([name, args]) => `tool:${name} ${args}`),
  );
  fc.assert(
    fc.property(input, (text) => {
      const trigger = parseManualTrigger(text);
      expect(trigger === undefined).toBe(!text.trimStart().startsWith('tool:'));
      if (trigger?.kind !== 'calls') return;
      expect(trigger.calls.length).toBeGreaterThan(0);
      for (const { name, args } of trigger.calls) {
        expect(name).not.toBe('');
        expect(Object.prototype.toString.call(args)).toBe('[object Object]');
      }
    }),
    { numRuns: 1_000 },
  );
});

it('any list of calls that is written is read back', () => {
  const call = fc.record({
    name: fc.string({ unit: 'grapheme', minLength: 1 }),
    args: fc.dictionary(fc.string(), fc.jsonValue()),
  });
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 4 }), (calls) => {
      const text = JSON.stringify(calls);
      expect(callsOf(`tool:${text}`)).toEqual(JSON.parse(text));
    }),
  );
});
