import { expect, it } from 'vitest';
import { valuesOf } from './schema-form.tsx';

const schema = {
  properties: {
    name: { type: 'string' },
    count: { type: 'integer' },
    isOn: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    more: { type: 'object' },
    kind: { enum: ['a', 'b'] },
  },
  required: ['name'],
};

it('several choices are a list, and a yes or no that is required is an answer', () => {
  const shown = {
    properties: {
      agreed: { type: 'boolean' },
      isOn: { type: 'boolean', default: true },
      songs: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['b'] },
      heroes: { type: 'array', items: { anyOf: [{ const: 'x', title: 'Ex' }] } },
    },
    required: ['agreed'],
  };
  expect(valuesOf(shown, {})).toEqual({ agreed: false });
  expect(valuesOf(shown, { agreed: true, isOn: false, songs: 'a\nb', heroes: 'x' })).toEqual({
    agreed: true,
    isOn: false,
    songs: ['a', 'b'],
    heroes: ['x'],
  });
});

it('what was typed becomes the values that the schema wants; what was left alone is absent', () => {
  expect(
    valuesOf(schema, { name: '', count: '3', isOn: false, tags: 'one\n two \n', more: '{"x":1}', kind: 'b' }),
  ).toEqual({ name: '', count: 3, isOn: false, tags: ['one', 'two'], more: { x: 1 }, kind: 'b' });
  expect(valuesOf(schema, { name: 'n', count: '' })).toEqual({ name: 'n' });
});

it('JSON that cannot be read is refused', () => {
  expect(() => valuesOf(schema, { name: 'n', more: '{' })).toThrow(SyntaxError);
});
