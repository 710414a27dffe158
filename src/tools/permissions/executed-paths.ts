// Files that other programs run or follow, by path. Each entry says why. Names are compared without regard to case, because some file
// systems do so.

export type ReasonedPattern = readonly [pattern: RegExp, reason: string];

const STARTS_PROGRAMS = 'it can start programs';

/** Writing here makes something else run later, or with other rights: asked about in every turn. */
export const PROTECTED_WRITES: readonly ReasonedPattern[] = [
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
  [
    /(?:^|\/)\.(?:idea|fleet|zed|devcontainer|nova|vs)(?:\/|$)|(?:^|\/)\.devcontainer\.json$|\.sublime-project$/,
    'the editor runs tasks from it',
  ],
  [/(?:^|\/)\.(?:exrc|n?vimrc|nvim\.lua|dir-locals\.el|gdbinit|lldbinit)$/, 'an editor or a debugger runs it'],
  [
    /(?:^|\/)\.(?:claude|cursor|codex|gemini|continue|windsurf|roo|kiro|opencode)(?:\/|$)|(?:^|\/)(?:\.mcp\.json|opencode\.jsonc?|\.aider\.conf\.ya?ml)$/,
    'agents take commands and permissions from it',
  ],
  [/(?:^|\/)heartbeat\.md$/, 'it makes scheduled turns'],
  [
    /(?:^|\/)\.(?:github|gitea|forgejo)\/(?:workflows|actions)(?:\/|$)|(?:^|\/)\.(?:circleci|buildkite|woodpecker)(?:\/|$)/,
    'it runs in CI, with the secrets of CI',
  ],
  [
    /(?:^|\/)(?:\.gitlab-ci\.ya?ml|\.travis\.ya?ml|\.(?:drone|woodpecker|appveyor|cirrus)\.ya?ml|appveyor\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|jenkinsfile)$/,
    'it runs in CI, with the secrets of CI',
  ],
];

/** Ordinary work of a person; written by a tainted turn, they carry its content on into what others run or follow. */
export const RUN_BY_OTHERS: readonly ReasonedPattern[] = [
  [
    /(?:^|\/)(?:package\.json5?|package\.ya?ml|composer\.json|deno\.jsonc?|lerna\.json|nx\.json|turbo\.json)$|(?:^|\/)\.yarn\//,
    'package managers run the scripts in it',
  ],
  [
    /(?:^|\/)(?:gnu)?makefile(?:\.[\w.]+)?$|\.mk$|(?:^|\/)(?:justfile|rakefile|taskfile\.ya?ml|dockerfile(?:\.[\w.]+)?|vagrantfile|procfile|cmakelists\.txt|tiltfile|meson\.build|sconstruct|wscript|build\.xml|build\.bazel|workspace\.bazel|module\.bazel|\.bazelrc)$|(?:^|\/)(?:shell|default|flake)\.nix$|(?:^|\/)(?:docker-)?compose[\w.-]*\.ya?ml$|(?:^|\/)BUILD$/,
    'a build runs the commands in it',
  ],
  [
    /(?:^|\/)(?:setup\.(?:py|cfg)|pyproject\.toml|tox\.ini|noxfile\.py|conftest\.py|(?:site|user)customize\.py|build\.rs|cargo\.toml|(?:build|settings|init)\.gradle(?:\.kts)?|gradle\.properties|gradlew|mvnw|pom\.xml|gemfile)$|\.pth$|(?:^|\/)\.(?:cargo|mvn)\//,
    'a build or test run executes it',
  ],
  [
    /(?:^|\/)(?:vite|vitest|jest|webpack|rollup|babel|eslint|prettier|stylelint|next|nuxt|svelte|astro|tailwind|postcss|playwright|cypress|tsup|commitlint|lint-staged|metro|karma)\.conf(?:ig)?\.[cm]?[jt]s$|(?:^|\/)(?:gulpfile|gruntfile)\.[cm]?[jt]s$/,
    'development tools run it',
  ],
  [
    /(?:^|\/)\.(?:(?:eslint|prettier|stylelint|babel|mocha|nyc|lintstaged|commitlint|husky|swc)rc(?:\.[\w]+)?|env(?:\.[\w.-]+)?|rprofile|irbrc|pryrc|pythonrc)$/,
    'other programs take settings from it',
  ],
  [
    /(?:^|\/)(?:agents|claude|gemini|soul|user|copilot-instructions)\.md$|(?:^|\/)\.(?:cursor|windsurf|cline|roo)rules$/,
    'assistants follow it in later conversations',
  ],
  [/^skills\/|(?:^|\/)skill\.md$|(?:^|\/)\.lainclaw(?:\/|$)/, 'assistants follow it in later conversations'],
];

const EXECUTED = [...PROTECTED_WRITES, ...RUN_BY_OTHERS];
/** One look tells of most paths that they are nothing of this kind. */
const ANY_EXECUTED = new RegExp(EXECUTED.map(([pattern]) => pattern.source).join('|'), 'i');
/** What could be found through a link that has the name of a directory of this kind. */
const BELOW_A_LINK = ['tasks.json', 'workflows/x', 'systemd/x', 'x'];

/** Why other programs run or follow what is at this path; undefined when they do not. */
export function executedReason(path: string, kind: 'file' | 'link'): string | undefined {
  if (ANY_EXECUTED.test(path)) return reasonAmong(EXECUTED, path);
  if (kind === 'file') return undefined;
  const found = BELOW_A_LINK.find((name) => ANY_EXECUTED.test(`${path}/${name}`));
  return found && reasonAmong(EXECUTED, `${path}/${found}`);
}

export function reasonAmong(list: readonly ReasonedPattern[], path: string): string | undefined {
  const lower = path.toLowerCase();
  return list.find(([pattern]) => pattern.test(path) || pattern.test(lower))?.[1];
}
