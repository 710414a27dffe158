// Paths that no rule opens silently. Each entry says why. Names are compared without regard to case, because some file
// systems do so; a protected path is protected also while it does not exist.
import { isInLainclawHome, type Location, type PathContext } from './paths.ts';

export type Objection = { verdict: 'ask' | 'deny'; reason: string };

const STARTS_PROGRAMS = 'it can start programs';

/** Writing here makes something else run later, or with other rights. */
const PROTECTED_WRITES: readonly [pattern: RegExp, reason: string][] = [
  [/(?:^|\/)\.git(?:\/|$)/, 'git runs hooks and commands named in there'],
  [/(?:^|\/)\.(?:gitconfig|gitmodules|gitattributes)$/, 'it decides which commands git runs'],
  // In capitals only: `head` is an ordinary name.
  [/(?:^|\/)HEAD$/, 'git takes a directory with it for a repository, and runs commands named there'],
  [
    /\.git\/(?:config|config\.worktree|commondir|hooks|info|modules|worktrees)(?:\/|$)/,
    'git runs hooks and commands named in there',
  ],
  [/(?:^|\/)(?:\.githooks|\.husky|\.lefthook)(?:\/|$)/, 'git hooks run from there'],
  [/(?:^|\/)(?:\.pre-commit-config\.yaml|lefthook\.ya?ml)$/, 'git hooks run from there'],
  [
    /(?:^|\/)\.(?:bash(?:rc|_profile|_login|_logout|_aliases)|profile|z(?:shrc|shenv|profile|login|logout)|kshrc|cshrc|tcshrc|inputrc|xinitrc|xprofile|xsession)$/,
    'a shell or session reads it at its start',
  ],
  [/(?:^|\/)\.config\/(?:fish|autostart|systemd|git|environment\.d)(?:\/|$)/, 'it is read at the start of a session'],
  [/(?:^|\/)(?:Library\/LaunchAgents|var\/spool\/cron)(?:\/|$)/i, STARTS_PROGRAMS],
  [/(?:^|\/)\.(?:ssh|gnupg)(?:\/|$)/, 'it decides who may log in and as whom'],
  [/(?:^|\/)\.(?:aws|kube|docker)(?:\/|$)|(?:^|\/)\.(?:netrc|git-credentials|pypirc)$/, 'it holds credentials'],
  [/(?:^|\/)\.(?:envrc|tool-versions|mise\.toml)$/, 'it runs when the directory is entered'],
  [/(?:^|\/)\.(?:npmrc|yarnrc(?:\.yml)?|pnpmfile\.cjs)$/, 'package managers take commands and registries from it'],
  [/(?:^|\/)\.vscode\/(?:tasks|launch|settings|extensions)\.json$|\.code-workspace$/, 'the editor runs tasks from it'],
  [/(?:^|\/)\.(?:idea|fleet|zed|devcontainer)(?:\/|$)/, 'the editor runs tasks from it'],
  [
    /(?:^|\/)\.(?:claude|cursor|codex|gemini|continue)(?:\/|$)|(?:^|\/)\.mcp\.json$/,
    'agents take commands and permissions from it',
  ],
  [/(?:^|\/)heartbeat\.md$/, 'it makes scheduled turns'],
  [
    /(?:^|\/)\.github\/(?:workflows|actions)(?:\/|$)|(?:^|\/)\.circleci(?:\/|$)/,
    'it runs in CI, with the secrets of CI',
  ],
  [
    /(?:^|\/)(?:\.gitlab-ci\.ya?ml|\.travis\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|jenkinsfile)$/,
    'it runs in CI, with the secrets of CI',
  ],
];

/** Ordinary work of a person; written by a tainted turn, they carry its content on into what others run or follow. */
const RUN_BY_OTHERS: readonly [pattern: RegExp, reason: string][] = [
  [/(?:^|\/)(?:package\.json|composer\.json|deno\.jsonc?)$/, 'package managers run the scripts in it'],
  [
    /(?:^|\/)(?:gnu)?makefile(?:\.[\w.]+)?$|\.mk$|(?:^|\/)(?:justfile|rakefile|taskfile\.ya?ml|dockerfile(?:\.[\w.]+)?|vagrantfile|procfile|cmakelists\.txt)$|(?:^|\/)(?:docker-)?compose[\w.-]*\.ya?ml$/,
    'a build runs the commands in it',
  ],
  [
    /(?:^|\/)(?:setup\.(?:py|cfg)|pyproject\.toml|tox\.ini|noxfile\.py|conftest\.py|build\.rs|build\.gradle(?:\.kts)?|pom\.xml|gemfile)$/,
    'a build or test run executes it',
  ],
  [
    /(?:^|\/)(?:vite|vitest|jest|webpack|rollup|babel|eslint|prettier|next|nuxt|tailwind|postcss)\.config\.[cm]?[jt]s$/,
    'development tools run it',
  ],
  [
    /(?:^|\/)\.(?:eslintrc(?:\.[\w]+)?|prettierrc(?:\.[\w]+)?|env(?:\.[\w.-]+)?)$/,
    'other programs take settings from it',
  ],
  [/(?:^|\/)(?:agents|claude|gemini|copilot-instructions)\.md$/, 'assistants follow it in later conversations'],
  [/^skills\/|(?:^|\/)skill\.md$|(?:^|\/)\.lainclaw(?:\/|$)/, 'assistants follow it in later conversations'],
];

/** Reading here shows credentials to the model and its provider. */
const PROTECTED_READS: readonly [pattern: RegExp, reason: string][] = [
  [/(?:^|\/)\.(?:ssh|gnupg|aws|kube|docker|password-store)(?:\/|$)/, 'it holds keys or credentials'],
  [/(?:^|\/)\.config\/(?:gh|gcloud|op|hub)(?:\/|$)/, 'it holds credentials'],
  [/(?:^|\/)\.(?:netrc|git-credentials|pypirc|npmrc|pgpass|my\.cnf)$/, 'it holds credentials'],
  [/(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)$/, 'it is a private key'],
  [/^\/proc\/[^/]+\/(?:environ|mem|maps|fd)(?:\/|$)/, 'it shows the secrets of a process'],
  [/^\/etc\/(?:shadow|gshadow|sudoers)/, 'it holds credentials'],
];

export function objectToWrite({ path, relative }: Location, context: PathContext): Objection | undefined {
  if (isInLainclawHome(path, context))
    return { verdict: 'deny', reason: `${path} belongs to Lainclaw itself: a tool may not change its own permissions` };
  const found = find(PROTECTED_WRITES, path) ?? (context.tainted ? find(RUN_BY_OTHERS, relative ?? path) : undefined);
  return found === undefined ? undefined : { verdict: 'ask', reason: `${path} is protected: ${found}` };
}

export function objectToRead({ path }: Location, context: PathContext): Objection | undefined {
  if (isInLainclawHome(path, context)) return { verdict: 'ask', reason: `${path} belongs to Lainclaw itself` };
  const found = find(PROTECTED_READS, path);
  return found === undefined ? undefined : { verdict: 'ask', reason: `${path} is protected: ${found}` };
}

function find(list: readonly [RegExp, string][], path: string): string | undefined {
  const lower = path.toLowerCase();
  return list.find(([pattern]) => pattern.test(path) || pattern.test(lower))?.[1];
}
