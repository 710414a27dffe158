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
  [
    /(?:^|\/)(?:\.pre-commit-config\.ya?ml|\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.overcommit\.yml|\.?simple-git-hooks\.(?:[cm]?js|json))$/,
    'git hooks run from there',
  ],
  [/(?:^|\/)\.hg\/hgrc(?:-not-shared)?$|(?:^|\/)\.jj\/(?:.*\/)?[\w-]*config\.toml$/, 'it names programs that run'],
  [
    /(?:^|\/)\.(?:bash(?:rc|_profile|_login|_logout|_aliases)|profile|z(?:shrc|shenv|profile|login|logout)|kshrc|cshrc|tcshrc|inputrc|xinitrc|xprofile|xsession)$/,
    'a shell or session reads it at its start',
  ],
  [/(?:^|\/)\.config\/(?:fish|autostart|systemd|git|environment\.d)(?:\/|$)/, 'it is read at the start of a session'],
  [/(?:^|\/)(?:Library\/LaunchAgents|var\/spool\/cron)(?:\/|$)/i, STARTS_PROGRAMS],
  [/(?:^|\/)\.(?:ssh|gnupg)(?:\/|$)/, 'it decides who may log in and as whom'],
  [/(?:^|\/)\.(?:aws|kube|docker)(?:\/|$)|(?:^|\/)\.(?:netrc|git-credentials|pypirc)$/, 'it holds credentials'],
  [
    /(?:^|\/)(?:\.envrc|\.tool-versions|\.?mise(?:\.[\w-]+)*\.toml|\.?mise\/config(?:\.[\w-]+)*\.toml)$/,
    'it runs when the directory is entered',
  ],
  [/(?:^|\/)\.(?:npmrc|yarnrc(?:\.yml)?|pnpmfile\.[cm]?js)$/, 'package managers take commands and registries from it'],
  [
    /(?:^|\/)\.vscode\/(?:tasks|launch|settings|extensions|mcp)\.json$|\.code-workspace$/,
    'the editor runs tasks from it',
  ],
  [
    /(?:^|\/)\.(?:idea|fleet|zed|devcontainer|nova|vs)(?:\/|$)|(?:^|\/)\.devcontainer\.json$|\.sublime-project$/,
    'the editor runs tasks from it',
  ],
  [
    /(?:^|\/)\.(?:exrc|n?vimrc|lvimrc|local\.vimrc|nvim\.lua|emacs|dir-locals(?:-2)?\.el|gdbinit|lldbinit|ghci)$/,
    'an editor or a debugger runs it',
  ],
  [
    /(?:^|\/)\.(?:claude|cursor|codex|gemini|continue|windsurf|roo|kiro|opencode|amazonq|augment|factory|goose|junie|qwen|trae)(?:\/|$)|(?:^|\/)(?:\.?mcp\.json|opencode\.jsonc?|\.aider\.conf\.ya?ml|\.?crush\.json)$/,
    'agents take commands and permissions from it',
  ],
  [/(?:^|\/)heartbeat\.md$/, 'it makes scheduled turns'],
  [
    /(?:^|\/)\.(?:github|gitea|forgejo)\/(?:workflows|actions)(?:\/|$)|(?:^|\/)\.(?:circleci|buildkite|woodpecker|semaphore|teamcity|azuredevops|azure-pipelines|builds|tekton)(?:\/|$)/,
    'it runs in CI, with the secrets of CI',
  ],
  [
    /(?:^|\/)(?:[\w.-]*\.gitlab-ci\.ya?ml|(?:cloudbuild|buildspec|codemagic)\.ya?ml|\.build\.yml|\.travis\.ya?ml|\.(?:drone|woodpecker|appveyor|cirrus)\.ya?ml|appveyor\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|jenkinsfile)$/,
    'it runs in CI, with the secrets of CI',
  ],
];

/** Ordinary work of a person; written by a tainted turn, they carry its content on into what others run or follow. */
export const RUN_BY_OTHERS: readonly ReasonedPattern[] = [
  [
    /(?:^|\/)(?:package\.json5?|package\.ya?ml|pnpm-workspace\.ya?ml|bunfig\.toml|yarn\.config\.[cm]?js|\.bowerrc|bower\.json|composer\.json|deno\.jsonc?|lerna\.json|nx\.json|project\.json|angular\.json|rush\.json|turbo\.json)$|(?:^|\/)\.yarn\//,
    'package managers run the scripts in it',
  ],
  [
    /(?:^|\/)(?:gnu)?makefile(?:\.[\w.]+)?$|\.mk$|(?:^|\/)(?:justfile|rakefile|brewfile|snakefile|earthfile|fastfile|podfile|dangerfile|guardfile|capfile|thorfile|cakefile|jakefile|containerfile|configure(?:\.ac|\.in)?|cmake(?:user)?presets\.json|conanfile\.py|xmake\.lua|premake5\.lua|package\.swift|mix\.exs|rebar\.config|build\.(?:sbt|sc|zig)|dune(?:-project)?|project\.clj|deps\.edn|taskfile\.ya?ml|dockerfile(?:\.[\w.]+)?|vagrantfile|procfile|cmakelists\.txt|tiltfile|meson\.build|sconstruct|wscript|build\.xml|build\.bazel|workspace\.bazel|module\.bazel|\.bazelrc)$|\.(?:nix|bzl|cmake|gradle(?:\.kts)?|(?:cs|fs|vb|vcx)?proj|props|targets|sln|gemspec|podspec|cabal)$|(?:^|\/)(?:WORKSPACE|SConscript)$|(?:^|\/)(?:docker-)?compose[\w.-]*\.ya?ml$|(?:^|\/)BUILD$/,
    'a build runs the commands in it',
  ],
  [
    /(?:^|\/)(?:setup\.(?:py|cfg|hs)|pyproject\.toml|tox\.ini|pytest\.ini|noxfile\.py|conftest\.py|fabfile\.py|dodo\.py|\.?pylintrc|\.?mypy\.ini|\.flake8|\.coveragerc|\.rspec|\.rubocop\.yml|phpunit\.xml(?:\.dist)?|phpstan\.neon(?:\.dist)?|(?:site|user)customize\.py|build\.rs|cargo\.toml|gradle\.properties|gradlew|mvnw|pom\.xml|gemfile)$|\.pth$|(?:^|\/)\.(?:cargo|mvn)\//,
    'a build or test run executes it',
  ],
  [
    /(?:^|\/)(?:vite|vitest|jest|webpack|rollup|babel|eslint|prettier|stylelint|next|nuxt|svelte|astro|tailwind|postcss|playwright|cypress|tsup|commitlint|lint-staged|metro|karma|ava|wdio|gatsby|remix|vue|rspack|rsbuild|farm|drizzle|craco|puppeteer|tsdown|unbuild|uno|eleventy|docusaurus|ecosystem|release|vitest\.workspace)\.conf(?:ig)?\.[cm]?[jt]s$|(?:^|\/)(?:gulpfile|gruntfile|knexfile|ember-cli-build|config-overrides)\.[cm]?[jt]s$|(?:^|\/)\.storybook\/|(?:^|\/)(?:ts|js)config[\w.-]*\.json$|(?:^|\/)(?:nodemon\.json|\.nodemonrc(?:\.\w+)?|wrangler\.(?:toml|jsonc?)|serverless\.ya?ml|ansible\.cfg|netlify\.toml|vercel\.json)$/,
    'development tools run it',
  ],
  [
    /(?:^|\/)\.(?:(?:eslint|prettier|stylelint|babel|mocha|nyc|lintstaged|commitlint|husky|swc)rc(?:\.[\w]+)?|env(?:\.[\w.-]+)?|rprofile|renviron|octaverc|irbrc|pryrc|pythonrc|psqlrc|curlrc|wgetrc|screenrc|tmux\.conf)$|(?:^|\/)\.(?:vim|emacs\.d)\/|\.desktop$/,
    'other programs take settings from it',
  ],
  [
    /(?:^|\/)(?:agents|claude|gemini|soul|user|warp|qwen|crush|copilot-instructions)\.md$|(?:^|\/)\.(?:cursor|windsurf|cline|roo)rules(?:\/|$)|(?:^|\/)\.(?:goosehints|rules)$|(?:^|\/)\.github\/(?:instructions|prompts|chatmodes|agents|skills|hooks)\//,
    'assistants follow it in later conversations',
  ],
  [/^skills\/|(?:^|\/)skill\.md$|(?:^|\/)\.lainclaw(?:\/|$)/, 'assistants follow it in later conversations'],
];

const EXECUTED = [...PROTECTED_WRITES, ...RUN_BY_OTHERS];
/** One look tells of most paths that they are nothing of this kind. */
const ANY_EXECUTED = new RegExp(EXECUTED.map(([pattern]) => pattern.source).join('|'), 'i');
/** What could be found through a link that has the name of a directory of this kind. */
const BELOW_A_LINK = ['tasks.json', 'workflows/x', 'systemd/x', 'prompts/x', 'hgrc', 'x'];

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
