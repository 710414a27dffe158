import { expect, it } from 'vitest';
import { resultText } from './result-text.ts';

it.each<[string, unknown, string]>([
  ['a command by what it printed', { exitCode: 0, stdout: 'a\n', stderr: '', output: 'a\nb\n' }, 'a\nb'],
  ['a failed command with its exit code', { exitCode: 2, output: 'no such file\n' }, 'no such file\n[exit code 2]'],
  ['a file by its content', { path: 'a.txt', content: 'one\ntwo', size: 7 }, 'one\ntwo'],
  ['an edit by its diff', { path: 'a.txt', diff: '--- a\n+++ b' }, '--- a\n+++ b'],
  ['a text', 'plain', 'plain'],
  ['nothing', undefined, ''],
  ['anything else as data', { files: ['a'] }, '{\n  "files": [\n    "a"\n  ]\n}'],
])('%s', (_, data, text) => {
  expect(resultText({ data })).toBe(text);
});
