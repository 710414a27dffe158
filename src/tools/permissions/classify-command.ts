// Whether a command needs a question: read-only when every part of it is a program of the read-only table, used so that
// it only reads, and only inside the workspace; otherwise ask, with the reasons part by part. Nothing is ever allowed here
// for looking harmless: what is not known asks.
import { reasonText } from '../../vocabulary/reasons.ts';
import {
  baseName,
  type CommandReading,
  type Redirection,
  type SimpleCommand,
  spellCommand,
  type Word,
} from './command.ts';
import { type CommandContext, createJudge } from './judge.ts';
import { locate } from './paths.ts';
import type { Judge } from './read-only/check.ts';
import { READ_ONLY, TRANSPARENT } from './read-only/programs.ts';
import { isPlainVariable } from './read-only/shell.ts';

export interface Part {
  command: SimpleCommand;
  /** The same for every spelling of the same command. */
  text: string;
  /** Empty: it only reads. */
  reasons: readonly string[];
}

export interface Classification {
  verdict: 'read-only' | 'ask';
  reasons: readonly string[];
  parts: readonly Part[];
  /** All of it runs in the workspace's root: no other `cwd`, no `cd` to elsewhere. */
  inRoot: boolean;
  /** It starts outside the workspace: no part of it can vouch for the whole. */
  outside: boolean;
}

export function classifyCommand(reading: CommandReading, context: CommandContext): Classification {
  const judge = createJudge(reading, context);
  const parts = reading.commands.map((command) => {
    const objection = objectionTo(withNames(command, context), judge);
    return {
      command,
      text: spellCommand(command),
      reasons: objection === undefined ? [] : [describe(command, objection)],
    };
  });
  const whole = reading.parsed
    ? [...reading.redefines, ...reading.unseen]
    : [reasonText('not-judged', { detail: reading.reason })];
  const outside = locate(context.directory, context).relative === undefined;
  if (outside) whole.push(reasonText('runs-outside'));
  const reasons = [...new Set([...whole, ...parts.flatMap((part) => part.reasons)])];
  return { verdict: reasons.length === 0 ? 'read-only' : 'ask', reasons, parts, inRoot: judge.inRoot, outside };
}

/** In a sandbox, names that a lister printed are paths, whatever blanks are in them. */
function withNames({ words, ...command }: SimpleCommand, { isContained }: CommandContext): SimpleCommand {
  const isName = (word: Word): word is Word & { kind: 'dynamic' } =>
    word.kind === 'dynamic' && word.from.every((origin) => origin === 'names');
  const named = words.map(
    (word): Word => (isContained && isName(word) ? { ...word, prefix: './', splits: false } : word),
  );
  return { ...command, words: named };
}

function objectionTo(command: SimpleCommand, judge: Judge): string | undefined {
  return (
    command.hazards[0] ??
    command.assignments.map(({ name, value }) => assignmentObjection(name, value, command, judge)).find(Boolean) ??
    command.redirections.map((redirection) => redirectionObjection(redirection, judge)).find(Boolean) ??
    programObjection(command, judge)
  );
}

function programObjection({ program, words, starts, via, context }: SimpleCommand, judge: Judge): string | undefined {
  if (words.length === 0) return undefined;
  if (program === undefined) return 'its name is only known when it runs';
  if (program === 'for') return loopObjection(words, judge);
  const name = /^\/(?:usr\/)?bin\/[^/]+$/.test(program) ? baseName(program) : program;
  if (starts === 'others' && TRANSPARENT.has(name)) return words.map(judge.text).find(Boolean);
  // A builtin found inside a wrapper that starts programs would be a program of that name; they are as harmless.
  if (name === 'cd' && via.length > 0) return 'changes the directory inside a wrapper';
  // Alone it shows the environment of commands, which is ours; what looks for something in it looks for secrets.
  if (name === 'env' && words.length === 1 && context.length === 0) return undefined;
  const check = READ_ONLY.get(name);
  return check ? check(words.slice(1), judge) : 'is not known to only read';
}

function loopObjection([, name, ...words]: readonly Word[], judge: Judge): string | undefined {
  if (name === undefined || !isPlainVariable(name.text)) return 'sets a variable that can matter';
  return words.map(judge.text).find(Boolean);
}

function assignmentObjection(
  name: string,
  value: Word,
  { words, program }: SimpleCommand,
  judge: Judge,
): string | undefined {
  // Alone it sets a variable of this shell; before a command, a variable of that command's environment.
  if (words.length === 0) return isPlainVariable(name) ? judge.text(value) : `sets ${name}`;
  if (program === 'read' && name === 'IFS') return undefined;
  return value.kind === 'static' && isHarmlessSetting(name, value.text) ? undefined : `sets ${name} for the command`;
}

function isHarmlessSetting(name: string, value: string): boolean {
  if (/^(?:LC_[A-Z]+|LANG)$/.test(name)) return /^[\w.@-]*$/.test(value);
  if (name === 'TZ') return /^[A-Za-z][\w+/-]*$/.test(value);
  if (/^(?:PAGER|GIT_PAGER|MANPAGER)$/.test(name)) return value === 'cat';
  return /^(?:NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|CI)$/.test(name) && /^\w*$/.test(value);
}

function redirectionObjection(redirection: Redirection, judge: Judge): string | undefined {
  switch (redirection.access) {
    case 'duplicate':
      return undefined;
    case 'inline':
      return judge.text(redirection.content);
    case 'read':
      return judge.path(redirection.target);
    case 'write':
    case 'append': {
      const { target } = redirection;
      const harmless = target.kind === 'static' && /^\/dev\/(?:null|stdout|stderr|fd\/[12])$/.test(target.text);
      return harmless ? undefined : `writes to ${target.text}`;
    }
  }
}

function describe({ program, words, via }: SimpleCommand, objection: string): string {
  const name = program ?? words[0]?.text ?? 'an assignment';
  return `${via.length > 0 ? `${via.join(' → ')} → ` : ''}${name}: ${objection}`;
}
