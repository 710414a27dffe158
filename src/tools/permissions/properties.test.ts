import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../test/corpora/commands.ts';
import { processorTime } from '../../../test/support/processor-time.ts';
import { composed, dangerous, mutated } from '../../../test/support/shell-texts.ts';
import { classifyCommand } from './classify-command.ts';
import type { CommandParser } from './command.ts';
import { createCommandParser } from './parse-command.ts';

const context = {
  workspaceRoot: '/home/u/project',
  directory: '/home/u/project',
  userHome: '/home/u',
  lainclawHome: '/home/u/.lainclaw',
  isContained: true,
};

let parse: CommandParser;
beforeAll(async () => {
  parse = await createCommandParser();
});

const isReadOnly = (command: string): boolean => classifyCommand(parse(command), context).verdict === 'read-only';
const safe = fc.constantFrom(...COMMANDS.filter(({ label }) => label === 'safe').map(({ command }) => command));
const risky = fc.constantFrom(...COMMANDS.filter(({ label }) => label !== 'safe').map(({ command }) => command));

describe('classification', () => {
  it('a dangerous command is never read-only, however it is wrapped, substituted, quoted or chained', () => {
    fc.assert(
      fc.property(dangerous, (text) => !isReadOnly(text)),
      { numRuns: 3_000 },
    );
  });

  it('joining commands never makes the whole read-only unless both are', () => {
    const join = fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n', ' & ', ' |& ');
    fc.assert(
      fc.property(fc.oneof(safe, risky), join, fc.oneof(safe, risky), (left, between, right) => {
        // What follows a comment on its line is part of it.
        fc.pre((!left.includes('#') || between === '\n') && parse(left).parsed && parse(right).parsed);
        if (isReadOnly(`${left}${between}${right}`))
          expect([isReadOnly(left), isReadOnly(right)]).toEqual([true, true]);
      }),
      { numRuns: 5_000 },
    );
  });

  it('a command inside another never makes the whole read-only unless both are', () => {
    const inside = fc.constantFrom<(text: string) => string>(
      (text) => `echo $(${text}\n)`,
      (text) => `echo "$(${text}\n)"`,
      (text) => `ls <(${text}\n)`,
      (text) => `(${text}\n)`,
      (text) => `if true; then ${text}\nfi`,
      (text) => `[[ -n "$(${text}\n)" ]]`,
      (text) => `for i in 1 2; do ${text}\ndone`,
    );
    fc.assert(
      fc.property(fc.oneof(safe, risky), inside, (text, wrap) => {
        // A text that is not a command by itself can be completed by what is around it.
        fc.pre(parse(text).parsed);
        if (isReadOnly(wrap(text))) expect(isReadOnly(text), text).toBe(true);
      }),
      { numRuns: 3_000 },
    );
  });

  it('a risky command stays one with anything appended to its words', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          'rm x',
          'git push',
          'npm test',
          'sort -o x',
          'find . -delete',
          'git -c a=b status',
          'rg --pre=x y',
        ),
        fc.array(fc.constantFrom('-h', '--help', '--version', '--', '.', '2>/dev/null', '"$x"'), { maxLength: 3 }),
        (text, more) => !isReadOnly([text, ...more].join(' ')),
      ),
    );
  });
});

describe('reading a command', () => {
  it('never throws, whatever the text', () => {
    const anything = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.string({ unit: 'binary', maxLength: 100 }),
      fc
        .array(
          fc.constantFrom(
            '$(',
            ')',
            '`',
            '"',
            "'",
            '\\',
            '\n',
            '{',
            '}',
            '<<E\n',
            '${',
            '$((',
            '[[',
            ' ',
            'a',
            ';',
            '&',
            '|',
          ),
        )
        .map((all) => all.join('')),
      composed,
      mutated,
    );
    fc.assert(
      fc.property(anything, (text) => {
        classifyCommand(parse(text), context);
      }),
      { numRuns: 5_000 },
    );
  });

  it('analyses exactly the text it is given', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => parse(text).text === text));
  });

  it('answers within a second, also when the text is made to take long', () => {
    const long = [
      `ls ${'*'.repeat(9_900)}`,
      `sed '${' '.repeat(9_900)}' f`,
      `sed '${'s/a/b/;'.repeat(1_400)}' f`,
      `find . ${'* '.repeat(4_900)}`,
      `find . ${'*?'.repeat(4_900)}`,
      `echo ${'{a,b}'.repeat(1_900)}`,
      `echo ${'$('.repeat(3_000)}`,
      `echo ${'"$('.repeat(2_000)}ls${')"'.repeat(2_000)}`,
      `${'('.repeat(4_000)}ls${')'.repeat(4_000)}`,
      `${'ls;'.repeat(3_300)}`,
      `git log --format=${'%'.repeat(9_900)}`,
      `awk '${'{'.repeat(9_900)}'`,
      `${'! '.repeat(4_900)}ls`,
      `cat ${'../'.repeat(3_300)}`,
      `echo ${'\\'.repeat(9_900)}`,
      `for i in {1..64}; do echo ${'$i'.repeat(4_000)}; done`,
      `for f in a b; do cat ${'"$f"'.repeat(2_000)}; done`,
    ];
    for (const text of long) {
      const start = processorTime();
      classifyCommand(parse(text), context);
      expect(processorTime() - start, text.slice(0, 40)).toBeLessThan(1_000);
    }
  });
});
