import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asRead } from './as-read.ts';

const leaf = fc.oneof(
  fc.string(),
  fc.double(),
  fc.boolean(),
  fc.date(),
  fc.constantFrom(null, undefined, () => 1, -0),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('value')), fc.dictionary(fc.string(), tie('value'))),
}));

test('a copy is what a reader of the JSON gets', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value), (original) => {
      expect(asRead(original)).toStrictEqual(JSON.parse(JSON.stringify(original)));
    }),
  );
});

test('a later change of the original does not change the copy', () => {
  const original = { calls: [{ args: { path: 'a' } }] };
  const copy = asRead(original);
  for (const { args } of original.calls) args.path = 'b';
  original.calls.push({ args: { path: 'c' } });
  expect(copy).toEqual({ calls: [{ args: { path: 'a' } }] });
});
