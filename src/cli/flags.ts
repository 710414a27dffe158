// Parsers for flags. Each names the bad value and what is accepted; the command-line library adds the flag's name.
// A flag that takes one value may be given once.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { APPROVALS, MODES } from '../config/mode.ts';

/** `accepted`: all there are, where they can be counted. */
type Parse<T> = ((value: string) => T) & { accepted?: readonly string[] };

/** What completion wants to know of a flag beyond what the library keeps. */
export interface FlagValues {
  accepted?: readonly string[];
  /** Several, separated by commas. */
  isList?: boolean;
}

export function withValues(option: Option, values: FlagValues): Option & FlagValues {
  return Object.assign(option, values);
}

/** A flag with one value: missing, empty and repeated values are refused. */
export function single<T>(flags: string, description: string, parse: Parse<T>): Option {
  const option = new Option(flags, description).argParser<T>((value, previous) => {
    if (previous !== undefined) throw new InvalidArgumentError('It was given twice; give it once.');
    return parse(present(value, description));
  });
  return withValues(option, { accepted: parse.accepted });
}

/** A comma-separated list; repeating the flag adds to it. */
export function list(flags: string, description: string): Option {
  const option = new Option(flags, description).argParser<string[]>((value, previous) => {
    const names = present(value, description)
      .split(',')
      .map((name) => name.trim());
    if (names.includes('')) throw new InvalidArgumentError('Accepted: names separated by commas, none of them empty.');
    return [...(previous ?? []), ...names];
  });
  return withValues(option, { isList: true });
}

/** A path a time; repeating the flag adds to it. */
export function paths(flags: string, description: string): Option {
  return new Option(flags, description).argParser<string[]>((value, previous) => [
    ...(previous ?? []),
    present(value, description),
  ]);
}

export const text: Parse<string> = (value) => value;

export function oneOf<const T extends string>(accepted: readonly T[]): Parse<T> {
  const parse = (value: string): T => {
    if (!accepted.includes(value as T)) throw new InvalidArgumentError(`Accepted: ${accepted.join(', ')}.`);
    return value as T;
  };
  return Object.assign(parse, { accepted });
}

export function integerFrom(minimum: number): Parse<number> {
  return (value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < minimum) {
      throw new InvalidArgumentError(`Accepted: a whole number of at least ${minimum}.`);
    }
    return number;
  };
}

export const port: Parse<number> = (value) => {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) throw new InvalidArgumentError('Accepted: 0 to 65535.');
  return Number(value);
};

export const amount: Parse<number> = (value) => {
  const number = Number(value);
  if (!/^\d*\.?\d+$/.test(value) || !(number > 0)) throw new InvalidArgumentError('Accepted: an amount above 0.');
  return number;
};

export const webAddress: Parse<string> = (value) => {
  if (!/^https?:\/\/\S+$/.test(value) || !URL.canParse(value)) {
    throw new InvalidArgumentError('Accepted: an http:// or https:// address.');
  }
  return value;
};

export function switchOf(on: string, off: string): Parse<boolean> {
  const parse = oneOf([on, off]);
  return Object.assign((value: string) => parse(switchValue(value, [on, off]) ?? value) === on, {
    accepted: [on, off],
  });
}

/** Every switch understands `on`, `off`, `true` and `false`, whatever its own words are. */
function switchValue(value: string, [on, off]: readonly [on: string, off: string]): string | undefined {
  if (['on', 'true', on].includes(value)) return on;
  return ['off', 'false', off].includes(value) ? off : undefined;
}

/** Without names it is as if it were not given: all tools exist. */
export function toolAllow(): Option {
  const option = list('--tool-allow <names>', 'only these tools exist, e.g. time.now,shell.pwd; empty: all');
  const { parseArg } = option;
  return option.argParser<string[] | undefined>((value, previous) =>
    value.trim() === '' ? previous : parseArg?.(value, previous),
  );
}

export const mode = (): Option =>
  single('--mode <name>', `what needs permission: ${MODES.join(', ')} (default: ask)`, oneOf(MODES));
/** The older name of the mode. */
export const approve = (): Option =>
  single('--approve <how>', `the same as --mode, by its older name: ${APPROVALS.join(', ')}`, oneOf(APPROVALS));
export const workspace = (): Option =>
  single('--workspace <dir>', 'the directory file tools are confined to (default: the current one)', text);
export const json = (): Option => new Option('--json', 'print JSON, also on a terminal');
export const plainText = (): Option => new Option('--text', 'print text, also when not on a terminal');
export const withOutput = (command: Command): Command => command.addOption(json()).addOption(plainText());

function present(value: string, accepted: string): string {
  if (value.trim() === '') throw new InvalidArgumentError(`It needs a value. Accepted: ${accepted}`);
  if (value.startsWith('--'))
    throw new InvalidArgumentError(`It needs a value, and another flag follows it. Accepted: ${accepted}`);
  return value;
}

/**
 * Switches may stand alone, be negated or carry a value: `--memory`, `--no-memory`, `--memory=off`, `--memory off`.
 * The library would take whatever follows a lone switch as its value, so all forms become `--flag=value` first.
 */
export function expandSwitches(
  argv: readonly string[],
  switches: Record<string, readonly [on: string, off: string]>,
): string[] {
  const expanded: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] ?? '';
    if (argument === '--') return [...expanded, ...argv.slice(index)];
    const [, negated, name = ''] = /^--(no-)?(.+)$/.exec(argument) ?? [];
    const values = Object.hasOwn(switches, name) ? switches[name] : undefined;
    if (!values) {
      expanded.push(argument);
    } else if (negated) {
      expanded.push(`--${name}=${values[1]}`);
    } else {
      const given = switchValue(argv[index + 1] ?? '', values);
      expanded.push(`--${name}=${given ?? values[0]}`);
      if (given !== undefined) index += 1;
    }
  }
  return expanded;
}
