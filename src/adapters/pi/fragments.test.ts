import { describe, expect, test } from 'vitest';
import { createFragments } from './fragments.ts';
import { dataOf } from './frames.ts';

const ARGUMENTS = '{"city":"Zürich 🌧\\n"}';

const dialects = {
  responses: (text: string) => ({ type: 'response.function_call_arguments.delta', output_index: 2, delta: text }),
  messages: (text: string) => ({
    type: 'content_block_delta',
    index: 1,
    delta: { type: 'input_json_delta', partial_json: text },
  }),
  chat: (text: string) => ({
    id: 'x',
    choices: [{ index: 0, finish_reason: null, delta: { tool_calls: [{ index: 0, function: { arguments: text } }] } }],
  }),
};

describe.each(Object.entries(dialects))('%s', (_name, event) => {
  const frame = (text: string): string => `event: e\ndata: ${JSON.stringify(event(text))}`;

  test('a run of fragments becomes one, right before what follows', () => {
    const fragments = createFragments();
    for (const character of ARGUMENTS) expect(fragments.take(frame(character), event(character))).toEqual([]);
    const [merged, other, ...more] = fragments.take('data: {"other":1}', { other: 1 });
    expect(merged?.startsWith('event: e\n')).toBe(true);
    expect(JSON.parse(dataOf(merged ?? '') ?? '')).toEqual(event(ARGUMENTS));
    expect(other).toBe('data: {"other":1}');
    expect(more).toEqual([]);
    expect(fragments.flush()).toEqual([]);
  });

  test('what is left at the end is not lost', () => {
    const fragments = createFragments();
    fragments.take(frame('{'), event('{'));
    fragments.take(frame('}'), event('}'));
    expect(JSON.parse(dataOf(fragments.flush()[0] ?? '') ?? '')).toEqual(event('{}'));
  });
});

test('fragments of two calls that take turns stay apart', () => {
  const fragments = createFragments();
  const part = (index: number, delta: string) => ({
    type: 'response.function_call_arguments.delta',
    output_index: index,
    delta,
  });
  for (const event of [part(0, 'a'), part(1, 'x'), part(0, 'b'), part(1, 'y')])
    fragments.take(`data: ${JSON.stringify(event)}`, event);
  expect(fragments.flush().map((frame) => JSON.parse(dataOf(frame) ?? ''))).toEqual([part(0, 'ab'), part(1, 'xy')]);
});

test.for([
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '' } }] } }] },
  { choices: [{ index: 0, delta: { content: 'hi', tool_calls: [{ index: 0, function: { arguments: '{' } }] } }] },
  {
    choices: [{ index: 0, finish_reason: 'stop', delta: { tool_calls: [{ index: 0, function: { arguments: '{' } }] } }],
  },
  { choices: [{ index: 0, delta: { content: 'hi' } }] },
  { choices: [] },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
  { type: 'response.output_text.delta', delta: 'hi' },
  null,
  7,
])('%o passes as it is', (event) => {
  const frame = `data: ${JSON.stringify(event)}`;
  expect(createFragments().take(frame, event)).toEqual([frame]);
});
