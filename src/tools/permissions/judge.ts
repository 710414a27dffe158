// What a command may read without a question: files inside the workspace, by names that are in the text, from every
// directory the command can be in; and no secret of the environment.
import type { CommandReading, GlobWord, StaticWord } from './command.ts';
import { isInside, locate, type PathContext } from './paths.ts';
import { first, type Judge, possible } from './read-only/check.ts';
import { objectToRead } from './sensitive-paths.ts';

/** `directory` is where the command starts. */
export interface CommandContext extends PathContext {
  /**
   * It runs in a sandbox: there, a file name that is cut into other words can name nothing but what the sandbox shows, and no
   * option that it turns into can write, since what only reads sees the workspace read-only.
   */
  isContained?: boolean;
}

/** Outside the workspace, and harmless. */
const HARMLESS_FILES =
  /^\/dev\/(?:null|stdin|stdout|stderr|fd\/\d)$|^\/etc\/(?:os-release|hostname|lsb-release|debian_version)$|^\/proc\/(?:cpuinfo|meminfo|version|uptime|loadavg)$/;

/** A name that starts with a dot and a wildcard can be `..`; one after a wildcard leads back up; hidden names are private. */
const WIDE_GLOB = /[*?[].*\/\.\.?(?:\/|$)|(?:^|\/)\.[^/]*[*?[]/;

const MAX_PATH = 4_096;
const MAX_DIRECTORIES = 32;

export function createJudge(reading: CommandReading, context: CommandContext): Judge {
  const start = locate(context.directory, context).path;
  const directories = directoriesOf(reading, start, context);
  const moves = reading.commands.filter((command) => command.program === 'cd').length;
  const leading = reading.parsed && reading.leadingCd !== undefined ? 1 : 0;
  // A `cd` that is not at the start can put any part anywhere: then only paths without `..` stay below where they start.
  const wanders = moves > leading || reading.commands.some(({ program }) => /^(?:pushd|popd)$/.test(program ?? ''));

  const pathOf = (word: StaticWord | GlobWord, from: readonly string[]): string | undefined => {
    if (word.text === '' || word.text === '-' || HARMLESS_FILES.test(word.text)) return undefined;
    if (word.text.length > MAX_PATH) return 'a path is too long';
    if (word.kind === 'glob' && WIDE_GLOB.test(word.text))
      return `${word.text} can match hidden files and other directories`;
    if (wanders && /(?:^|\/)\.\.(?:\/|$)/.test(word.text)) return `${word.text} depends on a change of directory`;
    // Of a glob, the directories before its first wildcard are certain, and it stays below them.
    const fixed = word.kind === 'glob' ? word.text.replace(/[^/]*[*?[].*$/s, '') || '.' : word.text;
    return first(from, (directory) => {
      const location = locate(fixed, { ...context, directory });
      return location.relative === undefined
        ? `${word.text} is outside the workspace`
        : objectToRead(location, context)?.reason;
    });
  };

  return {
    isContained: context.isContained ?? false,
    inRoot: !wanders && directories.every((directory) => directory === context.workspaceRoot),
    holdsHome: [context.userHome, context.lainclawHome].some((home) => isInside(home, context.workspaceRoot)),
    directory: (word) => pathOf(word, [start]),
    text: (word) =>
      word.kind === 'dynamic' && word.from.includes('environment') ? `shows ${word.text}, perhaps a secret` : undefined,
    path: (word) => {
      if (word.kind !== 'dynamic') return first(possible(word), (option) => pathOf(option, directories));
      return word.from.every(
        (origin) => origin === 'pipe' || origin === 'listed' || (origin === 'names' && context.isContained),
      )
        ? undefined
        : `${word.text} names a file that is only known when it runs`;
    },
  };
}

/** Every directory that a part of the command could be in, as far as its `cd`s are written out. */
export function reachedDirectories(reading: CommandReading, context: CommandContext): readonly string[] {
  const reached = [locate(context.directory, context).path];
  for (const { program, words } of reading.commands) {
    const target = /^(?:cd|pushd)$/.test(program ?? '') && words[1]?.kind === 'static' ? words[1].text : undefined;
    if (target === undefined || reached.length > MAX_DIRECTORIES) continue;
    reached.push(...reached.map((directory) => locate(target, { ...context, directory }).path));
  }
  return [...new Set(reached)];
}

/** Where the parts of a command can run: its start, and what a `cd` at its very beginning leads to. */
function directoriesOf(reading: CommandReading, start: string, context: CommandContext): string[] {
  if (!reading.parsed || !reading.leadingCd) return [start];
  const { target, certain } = reading.leadingCd;
  const there = locate(target, { ...context, directory: start }).path;
  return certain ? [there] : [start, there];
}
