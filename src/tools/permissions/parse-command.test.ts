// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
import { beforeAll, describe, expect, it } from 'vitest';
import { type CommandParser, type SimpleCommand, spellCommand } from './command.ts';
import { createCommandParser } from './parse-command.ts';

let parse: CommandParser;
beforeAll(async () => {
  parse = await createCommandParser();
});

const spelled = (text: string): string[] =>
  parse(text).commands.map((command) => [...command.via, spellCommand(command)].join(' → '));
const last = (text: string): SimpleCommand => {
  const command = parse(text).commands.at(-1);
  if (!command) throw new Error(`nothing in ${text}`);
  return command;
};

describe('the simple commands of a text', () => {
  it.each<[string, string[]]>([
    ['ls -l | wc -l && rm x; cat y', ['ls -l', 'wc -l', 'rm x', 'cat y']],
    ['l""s "a b" \'c\'', ["ls 'a b' c"]],
    ['A=1 B="x y" ls', ["A=1 B='x y' ls"]],
    ['ls > out 2>&1 < in >> log', ['ls > out 2>&1 < in >> log']],
    ['echo $(rm x) "`mv y`"', ['rm x', 'mv y', 'echo $(rm x) "`mv y`"']],
    ['timeout 5 nice -n 3 rm x', ['timeout 5 nice -n 3 rm x', 'timeout → nice -n 3 rm x', 'timeout → nice → rm x']],
    ['env -u A B=1 rm x', ['env -u A B=1 rm x', 'env → B=1 rm x']],
    ["bash -c 'ls; rm x'", ["bash -c 'ls; rm x'", 'bash → ls', 'bash → rm x']],
    [
      'find . -exec rm {} \\; -exec mv {} y +',
      ["find . -exec rm '{}' ';' -exec mv '{}' y +", "find → rm '{}'", "find → mv '{}' y"],
    ],
    ['ls | xargs rm -f', ['ls', 'xargs rm -f', 'xargs → rm -f …']],
    ['for f in a b; do rm "$f"; done', ['for f a b', 'rm "$f"']],
    ['[[ -f a ]] && (( 1 > 0 )) && rm b', ["'[[' a", "'(('", 'rm b']],
    ['# only a comment', []],
    ['', []],
  ])('%s', (text, commands) => {
    expect(parse(text).parsed).toBe(true);
    expect(spelled(text)).toEqual(commands);
  });

  it('says where each of them is', () => {
    const contexts = (text: string): string[] =>
      parse(text).commands.map(({ program, context }) => `${program}: ${context.join(' ')}`);
    expect(contexts('ls | wc; (rm x) & if a; then b; fi; f() { c; }; echo $(d); trap e EXIT')).toEqual([
      'ls: pipe',
      'wc: pipe',
      'rm: background subshell',
      'a: condition',
      'b: condition',
      'c: function',
      'd: substitution',
      'echo: ',
      'trap: ',
      'e: detached',
    ]);
  });

  it('tells static words from the others, and where those come from', () => {
    expect(last('rm a *.ts "$HOME" $X "$(ls)" <(ls) x{1,2} {a..c} $((1+1))').words.slice(1)).toEqual([
      { kind: 'static', text: 'a' },
      { kind: 'glob', text: '*.ts' },
      { kind: 'dynamic', text: '"$HOME"', prefix: '', from: ['shell'], splits: false },
      { kind: 'dynamic', text: '$X', prefix: '', from: ['environment'], splits: true },
      { kind: 'dynamic', text: '"$(ls)"', prefix: '', from: ['names'], splits: false },
      { kind: 'dynamic', text: '<(ls)', prefix: '', from: ['pipe'], splits: false },
      { kind: 'static', text: 'x1' },
      { kind: 'static', text: 'x2' },
      { kind: 'dynamic', text: '{a..c}', prefix: '', from: ['output'], splits: true },
      { kind: 'dynamic', text: '$((1+1))', prefix: '', from: ['shell'], splits: false },
    ]);
  });

  it('says what it cannot see', () => {
    const unseen = (text: string): readonly string[] => {
      const reading = parse(text);
      return reading.parsed ? [...reading.unseen, ...reading.redefines] : [reading.reason];
    };
    expect(unseen('$X y')).toEqual(['the name of the program is computed: $X']);
    expect(unseen('curl x | sh')).toEqual(['sh runs what it reads']);
    expect(unseen('bash -c "$X"')).toEqual(['bash -c is given text that is only known when it runs']);
    expect(unseen('eval "$X"')).toEqual(['eval evaluates text that is only known when it runs']);
    expect(unseen('timeout $T rm x')).toEqual(['timeout is given words that are only known when it runs']);
    expect(unseen('ls() { rm x; }')).toEqual(['defines the function ls']);
    expect(unseen('. ./x')).toEqual(['runs ./x in this shell']);
    expect(unseen("bash <<< 'rm x'")).toEqual([]);
  });
});

describe('a text that cannot be judged', () => {
  it.each([
    ['ls "x', /unterminated double quote/],
    ['ls )', /unexpected token/],
    ['echo $(ls', /unterminated command substitution/],
    ['cat <<EOF\nx', /here-document has no end/],
    ['ls \u0007', /control characters/],
    ['ls\r\n', /control characters/],
    ['ls \u200b', /invisible characters/],
    ['ls\u00a0x', /invisible characters/],
    ['ls \ud800', /not valid Unicode/],
    ['l\\\ns', /middle of a word/],
    ['echo $[1]', /\$\[ \]/],
    ['echo ${ ls; }', /versions of bash/],
    ['ls ${ c>at {a,b}| rm', /versions of bash/],
    ['echo "${x:- "$""(rm)"}"', /quotes and expansions are mixed/],
    ['ls @(a|b)', /extended glob/],
    [`ls ${'a'.repeat(10_000)}`, /longer than 10000/],
    ['env '.repeat(9).concat('ls'), /nested more than 8 deep/],
    ['ls;'.repeat(301), /more than 300 commands/],
    ['echo >& "`x`"', /expanded twice/],
    ['echo ${x[%$(rm)}]}', /could not be read/],
  ])('%j', (text, reason) => {
    const reading = parse(text);
    expect(reading.parsed).toBe(false);
    expect(!reading.parsed && reading.reason).toMatch(reason);
  });

  it('keeps the commands found before the place where reading stopped', () => {
    expect(spelled('ls; rm x; echo >& "`y`"')).toEqual(['ls', 'rm x', 'y']);
  });
});
