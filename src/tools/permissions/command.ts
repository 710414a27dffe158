// What a command text would execute, as far as the text alone can tell: the contract between reading it
// (parse-command), judging it (classify-command) and matching rules on it (command-pattern).

/** A word a program is given, after quotes are removed. */
export type Word =
  /** Exactly this text, whatever happens. `~` at its start is not expanded here. */
  | { kind: 'static'; text: string }
  /** Existing paths that match, or the text itself. Never leaves the directory its own text names. */
  | { kind: 'glob'; text: string }
  /** One of these: the words of a `for`, or the fixed values of a variable. */
  | { kind: 'one-of'; text: string; options: readonly (StaticWord | GlobWord)[] }
  /**
   * Known only when it runs. `text` is its source, `prefix` the text it certainly starts with. `splits`: it can become
   * several words, or none.
   */
  | { kind: 'dynamic'; text: string; prefix: string; from: readonly Origin[]; splits: boolean };

export type StaticWord = { kind: 'static'; text: string };
export type GlobWord = { kind: 'glob'; text: string };

/**
 * Where a dynamic word's content comes from. shell: numbers and names the shell itself knows ($?, $USER). environment: any
 * other variable, perhaps a secret. output: what a command printed, or input it read. listed: paths that a lister of this
 * command printed, one each. names: the same, but cut at blanks: a strange file name can become any word. pipe: the name of a process substitution.
 */
export type Origin = 'shell' | 'environment' | 'output' | 'listed' | 'names' | 'pipe';

export interface Assignment {
  name: string;
  value: Word;
}

export type Redirection =
  /** `descriptor` duplicated or closed: 2>&1, >&-. */
  | { access: 'duplicate'; text: string }
  /** A here-document or here-string. */
  | { access: 'inline'; text: string; content: Word }
  | { access: 'read' | 'write' | 'append'; text: string; target: Word };

export type Context =
  | 'pipe'
  | 'background'
  | 'subshell'
  | 'condition'
  | 'loop'
  | 'function'
  | 'substitution'
  | 'coproc'
  /** Runs later or elsewhere: a trap, another host. */
  | 'detached'
  /** Perhaps not a command at all: the name of a package and its words. */
  | 'guessed';

/** One program, builtin or construct ([[ ]], (( )), for) that would run. */
export interface SimpleCommand {
  /** The name when the text fixes it; undefined when only running would tell, or for assignments alone. */
  program: string | undefined;
  /** The name first. Empty for assignments or redirections alone. */
  words: readonly Word[];
  assignments: readonly Assignment[];
  redirections: readonly Redirection[];
  context: readonly Context[];
  /** The wrappers it was found in, outermost first: ['sudo', 'env']. */
  via: readonly string[];
  /** As it was written, or as its wrapper gives it. */
  source: string;
  /** What the simple command before it in a pipeline is. */
  pipedFrom: SimpleCommand | undefined;
  /** This command only starts the ones found in it: timeout, env, xargs. */
  starts: 'nothing' | 'others';
  /** Things in it that no table of programs can vouch for: an assignment to PATH in an expansion, a translated string. */
  hazards: readonly string[];
}

/** The hazard of code in another language: it is not read, only said to be there. */
export const FOREIGN_CODE = 'runs code of its own language';
/** The hazard of a script of the workspace: `bash run.sh`. */
export const RUNS_FILE = 'runs a file';
/** The hazard of npx and its kind. */
export const RUNS_PACKAGE = 'runs a package';
/** The hazard of nohup and its kind. */
export const LASTING = 'continues to run after this command';
/** The hazard of sudo and its kind. */
export const ELEVATED = 'runs with other rights';

export type CommandReading =
  | {
      parsed: true;
      text: string;
      /** Everything that would or could run, in the order found. */
      commands: readonly SimpleCommand[];
      /** Changes of what names mean (functions, aliases): no name in the text can be trusted then. */
      redefines: readonly string[];
      /** Code that would run but is not in the text: a dynamic name, a pipe into sh. */
      unseen: readonly string[];
      /** The `cd` the whole text starts with, and whether everything after it runs only when it worked. */
      leadingCd: { target: string; certain: boolean } | undefined;
    }
  | { parsed: false; text: string; reason: string; commands: readonly SimpleCommand[] };

export type CommandParser = (text: string) => CommandReading;

/** A word in shell syntax, the same for every spelling of the same text: quoted only where it must be. */
export function spellWord(word: Word): string {
  if (word.kind !== 'static') return word.text;
  return /^[\w@%+=:,./~-]+$/.test(word.text) ? word.text : `'${word.text.replaceAll("'", `'\\''`)}'`;
}

/** One spelling for all ways of writing the same simple command. */
export function spellCommand({ assignments, words, redirections }: SimpleCommand): string {
  return [
    ...assignments.map(({ name, value }) => `${name}=${spellWord(value)}`),
    ...words.map(spellWord),
    ...redirections.map(({ text }) => text),
  ].join(' ');
}

/** `/usr/bin/env` is env. */
export function baseName(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
