// Everyday tools with an option that starts a command: find -exec, git -c alias, tar --to-command, interpreters with -e.
import { FOREIGN_CODE, RUNS_PACKAGE, type Word } from './command.ts';
import { fill } from './unwrap-xargs.ts';
import type { Inner, Unwrapped } from './unwrapped.ts';

const INTERPRETERS =
  /^(?:python|python\d(?:\.\d+)?|node|nodejs|deno|bun|perl|ruby|php|lua|osascript|Rscript|julia|tclsh|expect|pwsh|g?awk|mawk|nawk|sed|vim?|nvim|ex|emacs|gdb|lldb|sqlite3|psql|mysql)$/;
/** Configuration of git whose value is a command. */
const GIT_COMMANDS =
  /(?:^alias\.|pager|editor|command|textconv|clean|smudge|process|program|helper|askpass|fsmonitor|external|proxy|uploadpack|receivepack)/i;
const TAR_COMMANDS =
  /^--(?:to-command|checkpoint-action=exec|use-compress-program|rsh-command|info-script|new-volume-script)=/;

export function unwrapTool(name: string, words: readonly Word[]): Unwrapped | undefined {
  switch (name) {
    case 'find':
    case 'gfind':
      return find(words);
    case 'fd':
    case 'fdfind':
      return fd(words);
    case 'git':
      return git(words);
    case 'tar':
    case 'gtar':
      return tar(words);
    case 'rsync':
      return options(words, /^(?:-e|--rsh)$/, /^(?:-e|--rsh=)/, 'rsync starts a remote shell');
    case 'npx':
    case 'bunx':
    case 'pnpx':
    case 'uvx':
      return runsPackage(words);
    case 'npm':
    case 'pnpm':
    case 'yarn':
      return /^(?:exec|x|dlx)$/.test(operandsOf(words)[0]?.text ?? '')
        ? runsPackage(operandsOf(words).slice(1))
        : undefined;
    default:
      return INTERPRETERS.test(name) ? interpreter(name, words) : undefined;
  }
}

function find(words: readonly Word[]): Unwrapped | undefined {
  const inner: Inner[] = [];
  const hazards: string[] = [];
  const found = { kind: 'dynamic', text: '{}', prefix: rootOf(words), from: ['listed'], splits: false } as const;
  words.forEach((word, index) => {
    if (word.kind !== 'static' || !/^-(?:exec|execdir|ok|okdir)$/.test(word.text)) return;
    if (word.text !== '-exec') hazards.push(`find ${word.text}`);
    const end = words.findIndex((other, at) => at > index && other.kind === 'static' && /^[;+]$/.test(other.text));
    const command = words.slice(index + 1, end < 0 ? undefined : end);
    if (command.length > 0) inner.push({ kind: 'command', words: fill(command, '{}', found), assignments: [] });
  });
  const unsure = words.some((word) => word.kind === 'dynamic' && word.prefix === '' && !word.text.startsWith('"'));
  return {
    inner,
    hazards,
    unseen: inner.length > 0 && unsure ? 'find is given words that are only known when it runs' : undefined,
  };
}

/** Like -exec of find; without a mark the path is the last word. */
function fd(words: readonly Word[]): Unwrapped | undefined {
  const at = words.findIndex((word) => word.kind === 'static' && /^(?:-x|-X|--exec|--exec-batch)$/.test(word.text));
  if (at < 0) return undefined;
  const command = words.slice(at + 1);
  const ends = command.some((word) => word.text === ';' || /^-(?:x|X|-exec)/.test(word.text));
  const marks = command.filter((word) => /\{[/.]*\}/.test(word.text));
  const found = { kind: 'dynamic', text: '{}', prefix: '', from: ['listed'], splits: false } as const;
  const filled = marks.length > 0 ? fill(command, '{}', found) : [...command, found];
  const inner: Inner[] = command.length > 0 ? [{ kind: 'command', words: filled, assignments: [] }] : [];
  // Other marks, and more commands after it, are not read.
  const isPlain = !ends && marks.every((word) => word.text.includes('{}'));
  return { inner, hazards: isPlain ? [] : ['starts a command for what it finds'] };
}

/** What every path that find prints begins with, where there is one root: never a dash. */
function rootOf(words: readonly Word[]): string {
  const end = words.findIndex(({ text }) => /^[-(!]/.test(text) && !/^-[HPL]$/.test(text));
  const roots = words.slice(0, end < 0 ? undefined : end).filter(({ text }) => !/^-[HPL]$/.test(text));
  const [root] = roots;
  if (root === undefined) return './';
  return roots.length === 1 && root.kind === 'static' ? root.text : '';
}

/** The package's name and its words, in case they are a command: only deny and ask rules look at them. */
function runsPackage(words: readonly Word[]): Unwrapped {
  const found = operandsOf(words);
  const inner: Inner[] = found.length > 0 ? [{ kind: 'command', words: found, assignments: [], how: 'guessed' }] : [];
  return { inner, hazards: [RUNS_PACKAGE] };
}

function operandsOf(words: readonly Word[]): readonly Word[] {
  const start = words.findIndex((word) => !word.text.startsWith('-'));
  return start < 0 ? [] : words.slice(start);
}

/** The values of an option, separate or glued, as scripts. */
function options(words: readonly Word[], separate: RegExp, glued: RegExp, hazard: string): Unwrapped | undefined {
  const inner = words.flatMap((word, index): Inner[] => {
    if (word.kind !== 'static') return [];
    const next = words[index + 1];
    if (separate.test(word.text)) return next?.kind === 'static' ? [{ kind: 'script', text: next.text }] : [];
    return glued.test(word.text) ? [{ kind: 'script', text: word.text.replace(glued, '') }] : [];
  });
  return inner.length > 0 ? { inner, hazards: [hazard] } : undefined;
}

function git(words: readonly Word[]): Unwrapped | undefined {
  const texts = words.map((word) => (word.kind === 'static' ? word.text : ''));
  const scripts = texts.flatMap((text, index): string[] => {
    const setting =
      texts[index - 1] === '-c' ? text : text.startsWith('-c') && text.includes('=') ? text.slice(2) : undefined;
    if (setting !== undefined) {
      const equals = setting.indexOf('=');
      return GIT_COMMANDS.test(setting.slice(0, equals)) ? [setting.slice(equals + 1).replace(/^!/, '')] : [];
    }
    if (/^(?:-x|--exec|--extcmd|--upload-pack|--receive-pack|--\w+-filter)$/.test(text))
      return [texts[index + 1] ?? ''];
    const value = /^--(?:exec|extcmd|upload-pack|receive-pack)=(.*)$/s.exec(text)?.[1];
    return value === undefined ? [] : [value];
  });
  const runs = texts.findIndex((text, index) =>
    /^(?:bisect run|submodule foreach)$/.test(`${texts[index - 1]} ${text}`),
  );
  if (runs >= 0)
    scripts.push(
      texts
        .slice(runs + 1)
        .filter((text) => !text.startsWith('--'))
        .join(' '),
    );
  const inner = scripts.filter((text) => text.trim() !== '').map((text): Inner => ({ kind: 'script', text }));
  return inner.length > 0 ? { inner, hazards: ['git starts a command that it is given'] } : undefined;
}

function tar(words: readonly Word[]): Unwrapped | undefined {
  return options(
    words,
    /^(?:-I|-F|--use-compress-program|--to-command)$/,
    TAR_COMMANDS,
    'tar starts a command that it is given',
  );
}

/** Code of another language is not read; only said to be there. */
function interpreter(name: string, words: readonly Word[]): Unwrapped | undefined {
  const runs = words.some((word) =>
    /awk$|^sed$/.test(name)
      ? /system|\||getline/.test(word.text)
      : word.kind === 'static' && /^(?:-[A-Za-z]*[cerE]|--eval|--print|--execute|--command)(?:$|=)/.test(word.text),
  );
  return runs && name !== 'sed' ? { inner: [], hazards: [FOREIGN_CODE] } : undefined;
}
