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

it('what was typed becomes the values that the schema wants; what was left alone is absent', () => {
  expect(
    valuesOf(schema, { name: '', count: '3', isOn: false, tags: 'one\n two \n', more: '{"x":1}', kind: 'b' }),
  ).toEqual({ name: '', count: 3, isOn: false, tags: ['one', 'two'], more: { x: 1 }, kind: 'b' });
  expect(valuesOf(schema, { name: 'n', count: '' })).toEqual({ name: 'n' });
});

it('JSON that cannot be read is refused', () => {
  expect(() => valuesOf(schema, { name: 'n', more: '{' })).toThrow(SyntaxError);
});
