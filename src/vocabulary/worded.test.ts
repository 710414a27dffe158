import { expect, it } from 'vitest';
import { fillIn } from './worded.ts';

it.each([
  ['{path} is empty', { path: 'a.json' }, 'a.json is empty'],
  ['{files:file}, none damaged', { files: 1 }, '1 file, none damaged'],
  ['{files:file}, none damaged', { files: 2 }, '2 files, none damaged'],
  ['{count:line is|lines are} damaged', { count: 1 }, '1 line is damaged'],
  ['{count:line is|lines are} damaged', { count: 3 }, '3 lines are damaged'],
  ['{path}: {detail}', { path: '{detail}', detail: '$&' }, '{detail}: $&'],
  ['{path} is empty', {}, '{path} is empty'],
])('%j with %j is %j', (text, values, filled) => {
  expect(fillIn(text, values as never)).toBe(filled);
});
