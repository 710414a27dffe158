// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BashOracle, createBashOracle, type Ran, REFUSED } from '../../../test/support/bash-oracle.ts';
import { composed, mutated } from '../../../test/support/shell-texts.ts';
import { classifyCommand } from './classify-command.ts';
import type { CommandParser, CommandReading, SimpleCommand, Word } from './command.ts';
import { createCommandParser } from './parse-command.ts';

const context = { workspaceRoot: '/w', directory: '/w', userHome: '/home/u', lainclawHome: '/home/u/.lainclaw' };

let parse: CommandParser;
let oracle: BashOracle;
beforeAll(async () => {
  parse = await createCommandParser();
  oracle = createBashOracle();
});
afterAll(() => oracle.remove());

/** What ran and is not in the analysis. A text the analysis calls unreadable or partly unseen promises nothing. */
async function surprises(text: string): Promise<{ reading: CommandReading; unforeseen: Ran[]; ran: readonly Ran[] }> {
  const reading = parse(text);
  const ran = reading.parsed ? await oracle.run(text) : [];
  if (!reading.parsed || reading.unseen.length > 0) return { reading, unforeseen: [], ran };
  return {
    reading,
    unforeseen: ran.filter((each) => !reading.commands.some((command) => foresees(command, each))),
    ran,
  };
}

function foresees({ words }: SimpleCommand, { program, args }: Ran): boolean {
  const [name, ...rest] = words;
  return name?.kind === 'static' && name.text === program && fits(rest, args);
}

function fits([word, ...words]: readonly Word[], args: readonly string[]): boolean {
  if (!word) return args.length === 0;
  if (word.kind === 'static') return word.text === args[0] && fits(words, args.slice(1));
  // Anything else can be any number of words.
  return args.some((_, count) => fits(words, args.slice(count))) || fits(words, []);
}

async function expectForeseen(text: string): Promise<void> {
  const { reading, unforeseen, ran } = await surprises(text);
  expect(unforeseen, text).toEqual([]);
  const readOnly = classifyCommand(reading, context).verdict === 'read-only';
  expect(readOnly && ran.some(({ program }) => /^(?:rm|mv|curl|evil)$/.test(program)), text).toBe(false);
}

it('the oracle notes every program and its words', async () => {
  expect(await oracle.run('ls "a b" $(rm -f x); env mv y')).toEqual([
    { program: 'rm', args: ['-f', 'x'] },
    { program: 'ls', args: ['a b'] },
    { program: 'mv', args: ['y'] },
  ]);
  await expect(oracle.run('/bin/ls')).rejects.toThrow('not for the oracle');
});

describe('every program that bash really runs was foreseen', () => {
  it.each([
    'ls; rm x',
    'r""m x',
    "r''m x",
    '\\rm x',
    'r\\m "a b"',
    "$'rm' x",
    "$'\\x72\\x6d' x",
    '{rm,-rf,x}',
    'r{m,mdir} x',
    'rm {a,b}{1,2} {1..3}',
    'rm *.txt',
    'for c in rm; do $c x; done',
    'for f in a b; do rm "$f.txt"; done',
    'rm a#b # c',
    "rm 'a'\\''b'",
    'rm "a\\"b" "c\\$d" "e\\\\f"',
    'rm -- -x "" \'\'',
    'x=1 rm $x',
    'ls | rm x',
    'echo $(rm x) `rm y` "$(rm z)"',
    'echo `echo \\`rm x\\``',
    'cat <<EOF\n$(rm x)\nEOF',
    "cat <<'EOF'\n$(evil)\nEOF\nrm x",
    'cat <<A <<B\n$(rm a)\nA\n$(rm b)\nB\nrm c',
    'cat <<-EOF\n\t$(rm x)\n\tEOF\nrm y',
    'echo ${x:-$(rm x)} "${y:-`rm y`}"',
    'echo $((1 + $(rm x)))',
    '[[ -n $(rm x) ]]',
    'case $(rm x) in *) rm y;; esac',
    '! rm x; time rm y',
    'ls() { rm x; }; ls',
    'rm() { evil; }; rm',
    'f() (rm x); f',
    'env rm x',
    'env -u A B=1 rm x',
    "env -S 'rm x'",
    'env env -i rm',
    'timeout 5 rm x',
    'timeout -k 1 --signal=TERM 5 nice -n 1 rm x',
    'nohup rm x',
    'setsid -w rm x',
    'stdbuf -oL rm x',
    'command rm x',
    'exec rm x',
    'exec -a ls rm x',
    'eval "r""m x"',
    "eval 'ls; rm x'",
    "bash -c 'rm x'",
    'bash -c "bash -c \'rm x\'"',
    'bash <<EOF\nrm x\nEOF',
    "bash <<< 'rm x'",
    "sh -c 'rm e{1,2}'",
    "sh <<< 'rm e{1,2}'",
    "sh -c 'rm x &> y'",
    'sh -c "rm $\'a\'"',
    "env sh -c 'ls | rm x'",
    'echo "rm x" | bash',
    'echo a b | xargs rm',
    'echo a b | xargs -n1 rm -f',
    "echo 'a b' | xargs -I{} rm '<{}>'",
    'find . -maxdepth 0 -exec rm {} \\; -exec evil {} +',
    "trap 'rm x' EXIT; ls",
    'coproc rm x; wait',
    'rm x & wait',
    'cat <(rm x)',
    '(rm x); { rm y; }',
    'if rm a; then rm b; else rm c; fi',
    'while rm a; do rm b; break; done',
    'until rm a; do break; done',
    'for ((i=0; i<1; i++)); do rm x; done',
    'a[$(rm x)]=1',
    'x=$(rm x) ls',
    'ls \\\n  -l; rm x',
    'ls # rm\nrm x',
    'echo "#"; rm x',
    'ls 2>&1 | rm x',
    'x=rm; $x y',
    "IFS=,; x='rm,y'; $x",
  ])('%s', expectForeseen);

  // Ten at a time: most of the time goes into starting processes.
  const ten = (text: fc.Arbitrary<string>): fc.Arbitrary<string[]> => fc.array(text, { minLength: 10, maxLength: 10 });

  it('random compositions of wrappers, substitutions, quotings and chains', async () => {
    await fc.assert(
      fc.asyncProperty(ten(composed), async (texts) => void (await Promise.all(texts.map(expectForeseen)))),
      { numRuns: 25, endOnFailure: true },
    );
  });

  it('random damage to them', async () => {
    const harmless = mutated.filter((text) => !REFUSED.test(text));
    await fc.assert(
      fc.asyncProperty(ten(harmless), async (texts) => void (await Promise.all(texts.map(expectForeseen)))),
      { numRuns: 60, endOnFailure: true },
    );
  });
});
