// Which rules and which protected paths a command touches, by its words and by the paths it names, from every directory it
// could be in. Names in the text are all that can be seen here: the sandbox is what holds when a program makes up its own.
import type { Part } from './classify-command.ts';
import type { CommandReading } from './command.ts';
import { touchesCommand } from './deny-command.ts';
import { reachedDirectories } from './judge.ts';
import { touchesPath } from './path-pattern.ts';
import { locate, type PathContext } from './paths.ts';
import { namesTool, type Rule } from './rules.ts';
import { type Objection, objectToWrite } from './sensitive-paths.ts';

/** A deny or ask rule about the command itself, or about a path that it names. `names`: of the tool that runs it. */
export function touchingRule(
  rules: readonly Rule[],
  names: readonly string[],
  reading: CommandReading,
  context: PathContext,
): Rule | undefined {
  const directories = reachedDirectories(reading, context);
  return rules.find((rule) => {
    if (!namesTool(rule, names)) return namesPath(rule, reading, context, directories);
    // A pattern that is none of commands cannot see into one: the rule is taken for the whole tool.
    return rule.pattern.kind !== 'command' || touchesCommand(rule.pattern.source, reading);
  });
}

/** Protected paths that a part which does more than read writes to (as for the file tools) or names (asks). */
export function protectedPaths(reading: CommandReading, parts: readonly Part[], context: PathContext): Objection[] {
  const directories = reachedDirectories(reading, context);
  const object = (path: string): Objection[] =>
    directories.flatMap((directory) => objectToWrite(locate(path, { ...context, directory }), context) ?? []);
  return parts
    .filter(({ reasons }) => reasons.length > 0)
    .flatMap(({ command }) => [
      ...writtenBy(command).flatMap(object),
      ...namedBy(command).flatMap((path) =>
        object(path).map((objection): Objection => ({ ...objection, verdict: 'ask' })),
      ),
    ]);
}

/** Files that a package manager changes without naming them, absolute: who approves the command approves that. */
export function changedManifests(reading: CommandReading, context: PathContext): string[] {
  const directories = reachedDirectories(reading, context);
  const names = reading.commands.flatMap(manifestsOf);
  return names.flatMap((name) => directories.map((directory) => locate(name, { ...context, directory }).path));
}

/** fs.read_file(secrets/**) also holds for `cat secrets/key`, and file_write(…) for a redirection into it. */
function namesPath(rule: Rule, reading: CommandReading, context: PathContext, directories: readonly string[]): boolean {
  const { pattern } = rule;
  if (pattern.kind !== 'path') return false;
  const paths = reading.commands.flatMap((command) => [
    ...(rule.governs === 'read' ? [...namedBy(command), ...readBy(command)] : []),
    ...(rule.governs === 'write' || rule.governs === 'change' ? writtenBy(command) : []),
  ]);
  return paths.some((path) =>
    directories.some((directory) => {
      const here = { ...context, directory };
      return touchesPath(pattern.path, path, locate(path, here), here);
    }),
  );
}

type Command = Part['command'];

/** Words that could be paths: all but the program, and the values of options. */
function namedBy({ program, words }: Command): string[] {
  return (
    words
      .slice(1)
      .map(({ text }) => text.replace(/^-[^=]*=/, ''))
      // To git, HEAD and origin/HEAD are commits.
      .filter((text) => text !== '' && !text.startsWith('-') && !(program === 'git' && /(?:^|\/)HEAD$/.test(text)))
  );
}

const MANIFESTS: readonly [program: RegExp, verb: RegExp, file: string][] = [
  [
    /^(?:npm|pnpm|yarn|bun)$/,
    /^(?:i|in|install|add|a|r|rm|un|remove|uninstall|up|update|upgrade|version|pkg|init|create|set-script|link|dedupe)$/,
    'package.json',
  ],
  [/^composer$/, /^(?:require|remove|update|init|config)$/, 'composer.json'],
  [/^(?:uv|poetry|pdm|hatch)$/, /^(?:add|remove|init|version)$/, 'pyproject.toml'],
  [/^cargo$/, /^(?:add|remove|init|new)$/, 'Cargo.toml'],
  [/^bundle$/, /^(?:add|remove|init)$/, 'Gemfile'],
];

function manifestsOf({ program = '', words }: Command): string[] {
  const texts = words.slice(1).map(({ text }) => text);
  return MANIFESTS.flatMap(([name, verb, file]) =>
    name.test(program) && texts.some((text) => verb.test(text)) ? [file] : [],
  );
}

function readBy({ redirections }: Command): string[] {
  return redirections.flatMap((redirection) => (redirection.access === 'read' ? [redirection.target.text] : []));
}

function writtenBy({ redirections }: Command): string[] {
  return redirections.flatMap((redirection) =>
    redirection.access === 'write' || redirection.access === 'append' ? [redirection.target.text] : [],
  );
}
