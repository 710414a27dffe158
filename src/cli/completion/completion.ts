// What may follow at the end of a command line. The program itself is asked: its commands, arguments and flags are all there is
// to know, so that nothing here can fall behind. Values that must be looked up are named by their kind.
import type { Argument, Command, Option } from 'commander';
import type { FlagValues } from '../flags.ts';

export interface Candidate {
  /** The whole word. */
  value: string;
  description: string;
}

/** A value of a flag or an argument that is being written. */
export interface WantedValue {
  /** Of the command, without the program. */
  path: string;
  /** `--flag`, or the argument's name. */
  name: string;
  /** All that can be, where it is known. */
  accepted?: readonly string[];
  /** What stands before the value in the same word: `--flag=`, `a,b,`. */
  before: string;
  written: string;
  /** Already in the list. */
  taken: readonly string[];
}

export interface Place {
  /** What the flags before were given. */
  flags: ReadonlyMap<string, string>;
  /** The arguments before. */
  operands: readonly string[];
  value?: WantedValue;
  /** What fits where no value does. */
  candidates: Candidate[];
}

type Flag = Option & FlagValues;

/** `words` are those after the program; the last one is being written. */
export function placeIn(program: Command, words: readonly string[]): Place {
  const current = words.at(-1) ?? '';
  const { command, flags, given, operands, pending, hasEnded } = walk(program, words.slice(0, -1));
  const path = pathOf(command);
  const place = { flags, operands };
  const valueFor = (flag: Flag, before: string, text: string): WantedValue => {
    const comma = flag.isList ? text.lastIndexOf(',') + 1 : 0;
    return {
      path,
      name: flag.long ?? '',
      accepted: flag.accepted,
      before: before + text.slice(0, comma),
      written: text.slice(comma),
      taken: text.slice(0, comma).split(','),
    };
  };

  if (pending && !isSwitch(pending)) return { ...place, value: valueFor(pending, '', current), candidates: [] };
  const [, name = '', text] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  const assigned = hasEnded || text === undefined ? undefined : flagOf(command, name);
  if (assigned?.required) return { ...place, value: valueFor(assigned, `${name}=`, text ?? ''), candidates: [] };
  const ownFlags = hasEnded ? [] : flagCandidates(command, given);
  if (current.startsWith('-') && !hasEnded) return { ...place, candidates: starting(ownFlags, current) };

  const switched = pending ? (pending.accepted ?? []).map((value) => ({ value, description: '' })) : [];
  if (command.commands.length > 0)
    return { ...place, candidates: starting([...switched, ...commandCandidates(command)], current) };
  const argument = argumentAt(command, operands.length);
  const besides = switched.length > 0 || current !== '' ? switched : ownFlags;
  const candidates = starting(besides, current);
  if (!argument) return { ...place, candidates };
  const value = { path, name: argument.name(), accepted: argument.argChoices, before: '', written: current, taken: [] };
  return { ...place, value, candidates };
}

/** The command that words name first: the only one that has to be loaded for them. */
export function commandNameIn(words: readonly string[]): string | undefined {
  return words.slice(0, -1).find((word) => !word.startsWith('-'));
}

interface Walked {
  command: Command;
  flags: Map<string, string>;
  given: Set<string>;
  operands: string[];
  /** A flag whose value comes next. */
  pending: Flag | undefined;
  /** After `--` there are no flags. */
  hasEnded: boolean;
}

function walk(program: Command, words: readonly string[]): Walked {
  const walked: Walked = {
    command: program,
    flags: new Map(),
    given: new Set(),
    operands: [],
    pending: undefined,
    hasEnded: false,
  };
  for (const word of words) {
    const { command, pending } = walked;
    walked.pending = undefined;
    if (pending && (!isSwitch(pending) || pending.accepted?.includes(word))) {
      walked.flags.set(pending.long ?? '', word);
    } else if (walked.hasEnded) {
      walked.operands.push(word);
    } else if (word === '--') {
      walked.hasEnded = true;
    } else if (/^-./s.test(word)) {
      const [, name = word, text] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
      const flag = flagOf(command, name);
      walked.given.add(flag?.long ?? name);
      if (flag && text !== undefined) walked.flags.set(name, text);
      else if (flag?.required) walked.pending = flag;
    } else {
      const next = command.commands.find((each) => each.name() === word);
      if (next) walked.command = next;
      else walked.operands.push(word);
    }
  }
  return walked;
}

/** A flag whose value may be left out: `--memory`, `--memory off`, `--no-memory`. */
function isSwitch({ accepted = [] }: Flag): boolean {
  return accepted.length === 2 && (accepted.includes('off') || accepted.includes('false'));
}

function flagOf(command: Command, name: string): Flag | undefined {
  return command.options.find(({ long, short }) => long === name || short === name);
}

function flagCandidates(command: Command, given: ReadonlySet<string>): Candidate[] {
  const flags = command.createHelp().visibleOptions(command) as Flag[];
  return flags
    .filter(({ long, description, isList }) => !given.has(long ?? '') || isList || /may be repeated/.test(description))
    .flatMap((flag) => {
      const { long = '', description } = flag;
      const positive = { value: long, description };
      return isSwitch(flag) ? [positive, { value: long.replace(/^--/, '--no-'), description }] : [positive];
    });
}

function commandCandidates(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), description: each.description() }));
}

function argumentAt(command: Command, index: number): Argument | undefined {
  const all = command.registeredArguments;
  const last = all.at(-1);
  return all[index] ?? (last?.variadic ? last : undefined);
}

function starting(candidates: readonly Candidate[], text: string): Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(text));
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}`.trim() : '';
}
