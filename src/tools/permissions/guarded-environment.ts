// The environment a command must run in for its analysis to hold: `bash --noprofile --norc -c <the analysed text>` with these
// variables. What could make bash read the text differently, or change what a name means, is taken out for every command. A
// command that runs without a question (read-only) also loses what could make a reader start a program or use the network.
import { isInside } from './paths.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Files read at start, functions, options and separators of the shell itself. */
const SHELL =
  /^(?:BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|BASH_COMPAT|PS4|PROMPT_COMMAND|CDPATH|GLOBIGNORE|IFS|POSIXLY_CORRECT|EXECIGNORE|TMOUT)$/;

/** Options and helpers that readers take from the environment: --pre of ripgrep, an external diff, a preprocessor of less. */
const READERS =
  /^(?:RIPGREP_CONFIG_PATH|GREP_OPTIONS|GREP_COLORS?|LESS|LESSOPEN|LESSCLOSE|TAR_OPTIONS|GZIP|LS_OPTIONS|TREE_.*|FD_.*|GIT_(?!AUTHOR_|COMMITTER_).*|MANPAGER|PERL5OPT|RUBYOPT|PYTHON(?:STARTUP|PATH|HOME|INSPECT)|NODE_OPTIONS|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|MAKEFLAGS)$/;

export type GitSetting = readonly [key: string, value: string];

/** Overrides the configuration of whatever repository git finds: no hooks, no monitor, no pager, no embedded bare repository. */
const GIT_SETTINGS: readonly GitSetting[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['log.showSignature', 'false'],
  ['safe.bareRepository', 'explicit'],
];

const QUIET: Environment = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  NO_UPDATE_NOTIFIER: '1',
  npm_config_update_notifier: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
};

export interface GuardOptions {
  readOnly: boolean;
  workspaceRoot: string;
  /** Overridden besides, for a command that only reads. */
  gitSettings?: readonly GitSetting[];
}

export function guardedEnvironment(
  environment: Environment,
  { readOnly, workspaceRoot, gitSettings = [] }: GuardOptions,
): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value === undefined || SHELL.test(name) || (readOnly && READERS.test(name)) ? [] : [[name, value]],
  );
  if (!readOnly) return Object.fromEntries(kept);
  const settings = [...GIT_SETTINGS, ...gitSettings];
  const git = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...Object.fromEntries(kept),
    ...(QUIET as Record<string, string>),
    ...Object.fromEntries(git),
    GIT_CONFIG_COUNT: String(settings.length),
    PATH: outsidePath(environment.PATH ?? '/usr/local/bin:/usr/bin:/bin', workspaceRoot),
  };
}

/** A program of the workspace (node_modules/.bin) must not be taken for the `ls` of the system. */
function outsidePath(path: string, workspaceRoot: string): string {
  return path
    .split(':')
    .filter((entry) => entry.startsWith('/') && !isInside(entry, workspaceRoot) && !entry.includes('/node_modules/'))
    .join(':');
}
