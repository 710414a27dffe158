import { expect, it } from 'vitest';
import { newerVersionIn } from './newer-version.ts';

it.each([
  ['{"version":2}', 2],
  ['{\n "a": 1,\n "version" : 10 }', 10],
  ['{"version":1}', undefined],
  ['{"version":1,"inner":{"version":9}}', undefined],
  ['{"version":"9"}', undefined],
  ['{"text":"\\"version\\": 9"}', undefined],
  ['[{"version":9}]', undefined],
  ['{"version":9', undefined],
  ['', undefined],
  ['null', undefined],
])('%s is of the newer version %s', (text, version) => {
  expect(newerVersionIn(text, 1)).toBe(version);
});
