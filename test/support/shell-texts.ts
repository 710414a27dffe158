// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
// Test support: arbitrary shell texts. No "/" in any of them: see bash-oracle.ts.
import fc from 'fast-check';

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same word, spelled in another way. */
const spelled = (word: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    word,
    `"${word}"`,
    quote(word),
    `$'${word}'`,
    `\\${word}`,
    `${word.slice(0, 1)}""${word.slice(1)}`,
    `${word.slice(0, 1)}''${word.slice(1)}`,
    `${word.slice(0, 1)}\\${word.slice(1)}`,
  );

const argument = fc.constantFrom(
  'x',
  '-rf',
  '"a b"',
  "'c d'",
  '"$HOME"',
  '$v',
  '*.txt',
  'e{1,2}',
  '\\;',
  "'#'",
  '"`"\'`\'',
  '""',
  "$'t\\x41'",
);

/** One simple command, without operators. */
function simple(names: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(
      fc.constantFrom(...names).chain(spelled),
      fc.array(
        argument.filter((each) => !each.includes('`')),
        { maxLength: 2 },
      ),
    )
    .map((words) => words.flat().join(' '));
}

/** Every way to put one text into another that still runs it. */
const AROUND: readonly ((text: string) => string)[] = [
  (text) => `( ${text} )`,
  (text) => `{ ${text}\n}`,
  (text) => `! ${text}`,
  (text) => `time ${text}`,
  (text) => `echo $(${text}\n)`,
  (text) => `echo "a$(${text}\n)b"`,
  (text) => `echo $(echo $(${text}\n))`,
  (text) => `x=$(${text}\n)`,
  (text) => `: \${y:-$(${text}\n)}`,
  (text) => `: "\${y:-$(${text}\n)}"`,
  (text) => `cat <<EOT\n$(${text}\n)\nEOT\n`,
  (text) => `cat <<< "$(${text}\n)"`,
  (text) => `cat <(${text}\n)`,
  (text) => `[[ -n $(${text}\n) ]]`,
  (text) => `if ${text}\nthen ls; fi`,
  (text) => `if true; then ${text}\nfi`,
  (text) => `for i in 1 2; do ${text}\ndone`,
  (text) => `while true; do ${text}\nbreak; done`,
  (text) => `case a in a) ${text}\n;; esac`,
  (text) => `f() { ${text}\n}; f`,
  (text) => `bash -c ${quote(text)}`,
  (text) => `bash -c "$(cat <<'EOT'\n${text}\nEOT\n)"`,
  (text) => `eval ${quote(text)}`,
  (text) => `trap ${quote(text)} EXIT`,
  (text) => `bash <<'EOT'\n${text}\nEOT\n`,
  (text) => `bash <<< ${quote(text)}`,
  (text) => `timeout 2 bash -c ${quote(text)}`,
  (text) => `env bash -c ${quote(text)}`,
  (text) => `ls\n${text}`,
  (text) => `${text}\nls`,
  (text) => `true && ${text}`,
  (text) => `false || ${text}`,
  (text) => `ls | ${text}`,
  (text) => `ls # '"\n${text}`,
  (text) => `ls \\\n  -l; ${text}`,
];

/** Wrappers that take a command without operators. */
const BEFORE: readonly string[] = [
  'env ',
  'env -u A ',
  'env -i PATH="$PATH" ORACLE_LOG="$ORACLE_LOG" ',
  'timeout 2 ',
  'timeout --signal=TERM 2 ',
  'nice ',
  'nice -n 1 ',
  'nohup ',
  'stdbuf -oL ',
  'command ',
  'exec ',
  'xargs ',
  'echo a | xargs ',
  'echo a | xargs -I{} ',
  'find . -maxdepth 0 -exec ',
  'A=1 ',
];

function wrapped(names: readonly string[]): fc.Arbitrary<string> {
  return fc.tuple(simple(names), fc.array(fc.constantFrom(...BEFORE), { maxLength: 2 })).map(([command, before]) => {
    const text = `${before.filter((each) => !/find|A=1|exec|\|/.test(each)).join('')}${command}`;
    const [first] = before;
    if (first?.startsWith('find')) return `${first}${text} {} \\;`;
    return first !== undefined && /A=1|exec|\|/.test(first) ? `${first}${text}` : text;
  });
}

function around(inner: fc.Arbitrary<string>, depth: number): fc.Arbitrary<string> {
  return fc
    .tuple(inner, fc.array(fc.constantFrom(...AROUND), { maxLength: depth }))
    .map(([text, wraps]) => wraps.reduce((whole, wrap) => wrap(whole), text));
}

/** A command that must never run unasked, somewhere inside. */
export const dangerous: fc.Arbitrary<string> = around(wrapped(['rm', 'mv', 'curl', 'evil']), 4);

export const composed: fc.Arbitrary<string> = fc
  .tuple(
    around(wrapped(['rm', 'ls', 'git', 'evil']), 3),
    fc.constantFrom('\n', '; ', ' && ', ' | '),
    around(wrapped(['cat', 'mv', 'wc']), 2),
  )
  .map(([left, join, right]) => (left.endsWith('\n') ? `${left}${right}` : `${left}${join}${right}`));

const SHARDS = [
  ...[
    'ls',
    'rm',
    ' ',
    ';',
    '&&',
    '||',
    '|',
    '&',
    '$(',
    ')',
    '(',
    '`',
    '"',
    "'",
    '\\',
    '\n',
    '#',
    ' #',
    '{ ',
    '}',
    '<<EOF\n',
    '\nEOF\n',
  ],
  ...[
    "<<'EOF'\n",
    '${x:-',
    '${x#',
    '$((',
    '))',
    '[[ ',
    ' ]]',
    'if ',
    'then ',
    'fi',
    'do ',
    'done',
    'case x in ',
    'esac',
    ';;',
    'x)',
    '=',
  ],
  ...[
    '$x',
    '<(',
    '>',
    '<',
    'a[',
    ']',
    '$',
    '!',
    '*',
    '~',
    '@(',
    '|&',
    '<<<',
    "$'",
    '$"',
    '\t',
    '\\\n',
    ' \\\n',
    '{a,b}',
    '\\"',
    "\\'",
    '\\`',
  ],
  ...['"$(', ')"', '""', "''", '>&', '&>', '((', '\\\\', '${#', '${!x', '@Q}', '$[', '..', '${', '$\\\n', 'EOF', '-eq'],
];

/** A composed text with pieces of syntax put in and characters taken out. */
export const mutated: fc.Arbitrary<string> = fc
  .tuple(
    composed,
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        cut: fc.nat(2),
        put: fc.constantFrom(...SHARDS, ''),
      }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
  )
  .map(([text, changes]) =>
    changes.reduce((whole, { at, cut, put }) => {
      const index = Math.floor(at * whole.length);
      return `${whole.slice(0, index)}${put}${whole.slice(index + cut)}`;
    }, text),
  );
