import { expect, it } from 'vitest';
import { tellingArgument } from './telling-argument.ts';

it.each([
  ['a command', { timeoutMs: 5, command: 'npm test' }, 'npm test'],
  ['a pattern and its folder', { path: 'src', pattern: 'round\\(' }, 'round\\( in src'],
  ['a pattern alone', { pattern: '*.ts', path: '.' }, '*.ts'],
  ['a file', { path: 'a.ts', content: 'x' }, 'a.ts'],
  ['a range of lines', { path: 'a.ts', startLine: 5, maxLines: 20 }, 'a.ts:5-24'],
  ['lines from one on', { path: 'a.ts', startLine: 5 }, 'a.ts:5-'],
  ['the first lines', { path: 'a.ts', maxLines: 20 }, 'a.ts:1-20'],
  ['a question', { query: 'tea', limit: 3 }, 'tea'],
  [
    'the files of a patch',
    { patch: ['a', 'b', 'c', 'd', 'a'].map((name) => `*** Update File: ${name}\n-x`).join('\n') },
    'a, b, c and 1 more',
  ],
  ['nothing', { limit: 3, path: '' }, undefined],
])('tells %s', (_what, args, told) => {
  expect(tellingArgument(args)).toBe(told);
});
