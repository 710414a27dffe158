// sed, awk and jq: little languages that mostly transform text, and can do more. Only what is certainly a transformation
// passes; the program must be in the text.
import type { Word } from '../command.ts';
import { type Check, first, splitOptions } from './check.ts';

/** Longer ones are not everyday commands, and reading them takes time. */
const MAX_SCRIPT = 1_000;

const SED = {
  flags: 'nErsuz',
  values: 'e',
  long: ['--quiet', '--silent', '--regexp-extended', '--null-data', '--separate'],
};

export const sedCheck: Check = (words, judge) => {
  const { operands, objection } = splitOptions(words, SED);
  if (objection !== undefined) return objection;
  const scripts = words.filter((_, index) => /^-[nErsuz]*e$/.test(words[index - 1]?.text ?? ''));
  if (words.some((word) => /^-[nErsuz]*e./.test(word.text))) return 'its script could not be read';
  const given = scripts.length > 0 ? scripts : operands.slice(0, 1);
  const files = scripts.length > 0 ? operands : operands.slice(1);
  if (given.length === 0 || !given.every((word) => word.kind === 'static' && isHarmlessSed(word.text)))
    return 'its script is not known to be harmless';
  return first(files, judge.path);
};

/** Addresses and the commands that print, delete, replace (without e and w) and move within the pattern space. */
const SED_STATEMENT = ((): RegExp => {
  // A delimiter inside [ ] ends the pattern for some seds and not for others: it is not read at all.
  const pattern = (mark: string): string => String.raw`(?:[^${mark}\\\n[]|\\.|\[[^${mark}\]\\\n]+\])*${mark}`;
  const text = (mark: string): string => String.raw`(?:[^${mark}\\\n]|\\.)*${mark}`;
  const address = String.raw`(?:\d+(?:~\d+)?|\$|/${pattern('/')}I?)`;
  const replace = ['/', String.raw`\|`, '#', ',', '@', ':', '!', '%'].map(
    (mark) => `s${mark}${pattern(mark)}${text(mark)}[gpiI\\d]*`,
  );
  const command = String.raw`(?:[pdDPnNgGhHx=l]|[qQ]\d*|y/${text('/')}${text('/')}|${replace.join('|')})`;
  return new RegExp(String.raw`(?:${address}(?:,(?:${address}|[+~]\d+))?)? ?!?${command}(?=[ \t;\n]|$)`, 'y');
})();

function isHarmlessSed(script: string): boolean {
  if (script.length > MAX_SCRIPT) return false;
  let position = 0;
  while (position < script.length) {
    if (/[ \t;\n]/.test(script.charAt(position))) {
      position += 1;
      continue;
    }
    const statement = new RegExp(SED_STATEMENT);
    statement.lastIndex = position;
    const found = statement.exec(script);
    if (!found) return false;
    position += found[0].length;
  }
  return true;
}

export const awkCheck: Check = (words, judge) => {
  const { operands, objection } = splitOptions(words, { values: 'Fv' });
  if (objection !== undefined) return objection;
  const [program, ...files] = operands;
  if (program?.kind !== 'static') return 'its program is only known when it runs';
  if (!isHarmlessAwk(program.text)) return 'its program is not known to be harmless';
  return first(words, judge.text) ?? first(files, judge.path);
};

/** Without system(), getline, indirect calls and, inside an action, pipes and redirections, awk can only print. */
function isHarmlessAwk(program: string): boolean {
  if (/system|getline|ENVIRON|ARG[CV]|PROCINFO|SYMTAB|FUNCTAB|@|include|load/.test(program)) return false;
  const actions = program.includes('{') ? program.slice(program.indexOf('{')) : '';
  return !/[|>]/.test(withoutComparisons(actions).replaceAll('||', '').replaceAll('>=', ''));
}

/**
 * In parentheses `>` compares. What is in parentheses can be told only where no slash (a pattern, whose quotes and parentheses
 * are none) and no comment is there.
 */
function withoutComparisons(actions: string): string {
  if (/[/#\\]/.test(actions)) return actions;
  let rest = actions.replace(/"[^"]*"/g, '""');
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replace(/\([^()|]*\)/g, '');
  }
  return rest;
}

const JQ = {
  flags: 'rcsneMCSajR',
  long: (
    '--raw-output --compact-output --slurp --null-input --exit-status --monochrome-output --color-output --sort-keys --tab ' +
    '--indent --arg --argjson --raw-input --join-output --ascii-output'
  ).split(' '),
};

export const jqCheck: Check = (words, judge) => {
  const { operands, objection } = splitOptions(words, JQ);
  if (objection !== undefined) return objection;
  const [filter, ...files] = operands;
  if (filter?.kind !== 'static') return 'its filter is only known when it runs';
  return first(words, (word) => judge.text(word) ?? readsMore(word)) ?? first(files, judge.path);
};

/** The environment, and modules from elsewhere. */
function readsMore(word: Word): string | undefined {
  return /\benv\b|ENV|\bimport\b|\binclude\b|\binput_filename\b|\bmodulemeta\b/.test(word.text)
    ? 'reads more than its input'
    : undefined;
}
