import { describe, expect, it } from 'vitest';
import { processorTime } from '../../../test/support/processor-time.ts';
import { hasPlainScript, isPlainSed } from './plain-scripts.ts';

describe('a script of sed', () => {
  it.each([
    ...['', 'p', '1,20p', '$!d', '/^#/d', '/a\\/b/,/c/p', '1~2d', '5q', '5,+3p', '/x/I!d', '=;p', 'N;P;D', 'n;d'],
    ...[
      's/a/b/',
      's/read/write/g',
      's|/usr|/opt|gI',
      's/a\\/r/b\\/e/3',
      's,x,y,p',
      'y/abc/xyz/',
      ':a;N;$!ba;s/\\n/ /g',
    ],
    ...['/a/{s/b/c/;p}', '1{h;d};G', '$!{N;D}'],
  ])('%s shows what it is given', (script) => expect(isPlainSed(script)).toBe(true));

  it.each([
    ...[
      'r inbox/x',
      '1r inbox/x',
      '/a/R inbox/x',
      '$r/etc/x',
      'p;r x',
      's/a/b/e',
      's/a/b/ge',
      'e cat x',
      '1e',
      's/a/b/w x',
    ],
    ...['/a/{p;r x', 's/a/b', 's a b r ', '1,2{r x\n}', 'w x', 'W x', 'F', 'a text', 's/a/b/;e id', '}r x'],
  ])('%s may show more', (script) => expect(isPlainSed(script)).toBe(false));
});

it('of any length is judged at once', () => {
  const started = processorTime();
  for (const text of [' ', 'p;', '/a', 's/\\', '{', '1,'])
    for (const length of [1_999, 100_000]) isPlainSed(`${text.repeat(length).slice(0, length)}r`);
  expect(processorTime() - started).toBeLessThan(2_000);
});

it.each<[boolean, string, string[]]>([
  [true, 'sed', ['-n', '1p', 'read.txt', 'e.txt']],
  [true, 'sed', ['-ne', '1p', 'r.txt']],
  [true, 'sed', ['--expression=1p', '-s', 'r.txt']],
  [false, 'sed', ['-e', '1p', '-e', 'r x', 'a']],
  [false, 'sed', ['-ner x', 'a']],
  [false, 'sed', ['--expr=r x', 'a']],
  [false, 'sed', ['--file=x', 'a']],
  [true, 'awk', ['-F,', '{ s += $2 } END { print s }', 'a.csv']],
  [false, 'gawk', ['{ "date" | getline d; print d }']],
  [false, 'awk', ['BEGIN { ARGV[ARGC++] = "x" } 1', 'a']],
  [true, 'jq', ['.a | .b', 'a.json']],
  [true, 'cat', ['system', 'r x']],
])('%s: %s %j', (isPlain, name, words) => expect(hasPlainScript(name, words)).toBe(isPlain));
