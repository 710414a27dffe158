// Files that other programs run or follow, by path. Each entry says why. Names are compared without regard to case, because some file
// systems do so.
import { reasonText } from '../../vocabulary/reasons.ts';

export type ReasonedPattern = readonly [pattern: RegExp, reason: string];

const STARTS_PROGRAMS = reasonText('starts-programs');

/** Writing here makes something else run later, or with other rights: asked about in every turn. */
export const PROTECTED_WRITES: readonly ReasonedPattern[] = [
  [/(?:^|\/)\.git(?:\/|$)/, reasonText('git-commands')],
  [/(?:^|\/)\.(?:gitconfig|gitmodules|gitattributes)$/, reasonText('git-decides')],
  // In capitals only: `head` is an ordinary name.
  [/(?:^|\/)HEAD$/, reasonText('git-repository')],
  [/\.git\/(?:config|config\.worktree|commondir|hooks|info|modules|worktrees)(?:\/|$)/, reasonText('git-commands')],
  [/(?:^|\/)(?:\.githooks|\.husky|\.lefthook)(?:\/|$)/, reasonText('git-hooks')],
  [
    /(?:^|\/)(?:\.pre-commit-config\.ya?ml|\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.overcommit\.yml|\.?simple-git-hooks\.(?:[cm]?js|json))$/,
    reasonText('git-hooks'),
  ],
  [/(?:^|\/)\.hg\/hgrc(?:-not-shared)?$|(?:^|\/)\.jj\/(?:.*\/)?[\w-]*config\.toml$/, reasonText('names-programs')],
  [
    /(?:^|\/)\.(?:bash(?:rc|_profile|_login|_logout|_aliases)|profile|z(?:shrc|shenv|profile|login|logout)|kshrc|cshrc|tcshrc|inputrc|xinitrc|xprofile|xsession)$/,
    reasonText('shell-start'),
  ],
  [/(?:^|\/)\.config\/(?:fish|autostart|systemd|git|environment\.d)(?:\/|$)/, reasonText('session-start')],
  [/(?:^|\/)(?:Library\/LaunchAgents|var\/spool\/cron)(?:\/|$)/i, STARTS_PROGRAMS],
  [/(?:^|\/)\.(?:ssh|gnupg)(?:\/|$)/, reasonText('log-in')],
  [/(?:^|\/)\.(?:aws|kube|docker)(?:\/|$)|(?:^|\/)\.(?:netrc|git-credentials|pypirc)$/, reasonText('credentials')],
  [
    /(?:^|\/)(?:\.envrc|\.tool-versions|\.?mise(?:\.[\w-]+)*\.toml|\.?mise\/config(?:\.[\w-]+)*\.toml)$/,
    reasonText('on-entering'),
  ],
  [/(?:^|\/)\.(?:npmrc|yarnrc(?:\.yml)?|pnpmfile\.[cm]?js)$/, reasonText('package-managers')],
  [/(?:^|\/)\.vscode\/(?:tasks|launch|settings|extensions|mcp)\.json$|\.code-workspace$/, reasonText('editor-tasks')],
  [
    /(?:^|\/)\.(?:idea|fleet|zed|devcontainer|nova|vs)(?:\/|$)|(?:^|\/)\.devcontainer\.json$|\.sublime-project$/,
    reasonText('editor-tasks'),
  ],
  [
    /(?:^|\/)\.(?:exrc|n?vimrc|lvimrc|local\.vimrc|nvim\.lua|emacs|dir-locals(?:-2)?\.el|gdbinit|lldbinit|ghci)$/,
    reasonText('editor-or-debugger'),
  ],
  [
    /(?:^|\/)\.(?:claude|cursor|codex|gemini|continue|windsurf|roo|kiro|opencode|amazonq|augment|factory|goose|junie|qwen|trae)(?:\/|$)|(?:^|\/)(?:\.?mcp\.json|opencode\.jsonc?|\.aider\.conf\.ya?ml|\.?crush\.json)$/,
    reasonText('agents-commands'),
  ],
  [/(?:^|\/)heartbeat\.md$/, reasonText('scheduled-turns')],
  [
    /(?:^|\/)\.(?:github|gitea|forgejo)\/(?:workflows|actions)(?:\/|$)|(?:^|\/)\.(?:circleci|buildkite|woodpecker|semaphore|teamcity|azuredevops|azure-pipelines|builds|tekton)(?:\/|$)/,
    reasonText('in-ci'),
  ],
  [
    /(?:^|\/)(?:[\w.-]*\.gitlab-ci\.ya?ml|(?:cloudbuild|buildspec|codemagic)\.ya?ml|\.build\.yml|\.travis\.ya?ml|\.(?:drone|woodpecker|appveyor|cirrus)\.ya?ml|appveyor\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|jenkinsfile)$/,
    reasonText('in-ci'),
  ],
];

/** Ordinary work of a person; written by a tainted turn, they carry its content on into what others run or follow. */
export const RUN_BY_OTHERS: readonly ReasonedPattern[] = [
  [
    /(?:^|\/)(?:package\.json5?|package\.ya?ml|pnpm-workspace\.ya?ml|bunfig\.toml|yarn\.config\.[cm]?js|\.bowerrc|bower\.json|composer\.json|deno\.jsonc?|lerna\.json|nx\.json|project\.json|angular\.json|rush\.json|turbo\.json)$|(?:^|\/)\.yarn\//,
    reasonText('package-scripts'),
  ],
  [
    /(?:^|\/)(?:gnu)?makefile(?:\.[\w.]+)?$|\.mk$|(?:^|\/)(?:justfile|rakefile|brewfile|snakefile|earthfile|fastfile|podfile|dangerfile|guardfile|capfile|thorfile|cakefile|jakefile|containerfile|configure(?:\.ac|\.in)?|cmake(?:user)?presets\.json|conanfile\.py|xmake\.lua|premake5\.lua|package\.swift|mix\.exs|rebar\.config|build\.(?:sbt|sc|zig)|dune(?:-project)?|project\.clj|deps\.edn|taskfile\.ya?ml|dockerfile(?:\.[\w.]+)?|vagrantfile|procfile|cmakelists\.txt|tiltfile|meson\.build|sconstruct|wscript|build\.xml|build\.bazel|workspace\.bazel|module\.bazel|\.bazelrc)$|\.(?:nix|bzl|cmake|gradle(?:\.kts)?|(?:cs|fs|vb|vcx)?proj|props|targets|sln|gemspec|podspec|cabal)$|(?:^|\/)(?:WORKSPACE|SConscript)$|(?:^|\/)(?:docker-)?compose[\w.-]*\.ya?ml$|(?:^|\/)BUILD$/,
    reasonText('build-commands'),
  ],
  [
    /(?:^|\/)(?:setup\.(?:py|cfg|hs)|pyproject\.toml|tox\.ini|pytest\.ini|noxfile\.py|conftest\.py|fabfile\.py|dodo\.py|\.?pylintrc|\.?mypy\.ini|\.flake8|\.coveragerc|\.rspec|\.rubocop\.yml|phpunit\.xml(?:\.dist)?|phpstan\.neon(?:\.dist)?|(?:site|user)customize\.py|build\.rs|cargo\.toml|gradle\.properties|gradlew|mvnw|pom\.xml|gemfile)$|\.pth$|(?:^|\/)\.(?:cargo|mvn)\//,
    reasonText('build-or-test'),
  ],
  [
    /(?:^|\/)(?:vite|vitest|jest|webpack|rollup|babel|eslint|prettier|stylelint|next|nuxt|svelte|astro|tailwind|postcss|playwright|cypress|tsup|commitlint|lint-staged|metro|karma|ava|wdio|gatsby|remix|vue|rspack|rsbuild|farm|drizzle|craco|puppeteer|tsdown|unbuild|uno|eleventy|docusaurus|ecosystem|release|vitest\.workspace)\.conf(?:ig)?\.[cm]?[jt]s$|(?:^|\/)(?:gulpfile|gruntfile|knexfile|ember-cli-build|config-overrides)\.[cm]?[jt]s$|(?:^|\/)\.storybook\/|(?:^|\/)(?:ts|js)config[\w.-]*\.json$|(?:^|\/)(?:nodemon\.json|\.nodemonrc(?:\.\w+)?|wrangler\.(?:toml|jsonc?)|serverless\.ya?ml|ansible\.cfg|netlify\.toml|vercel\.json)$/,
    reasonText('development-tools'),
  ],
  [
    /(?:^|\/)\.(?:(?:eslint|prettier|stylelint|babel|mocha|nyc|lintstaged|commitlint|husky|swc)rc(?:\.[\w]+)?|env(?:\.[\w.-]+)?|rprofile|renviron|octaverc|irbrc|pryrc|pythonrc|psqlrc|curlrc|wgetrc|screenrc|tmux\.conf)$|(?:^|\/)\.(?:vim|emacs\.d)\/|\.desktop$/,
    reasonText('other-settings'),
  ],
  [
    /(?:^|\/)(?:agents|claude|gemini|soul|user|warp|qwen|crush|copilot-instructions)\.md$|(?:^|\/)\.(?:cursor|windsurf|cline|roo)rules(?:\/|$)|(?:^|\/)\.(?:goosehints|rules)$|(?:^|\/)\.github\/(?:instructions|prompts|chatmodes|agents|skills|hooks)\//,
    reasonText('assistants-follow'),
  ],
  [/^skills\/|(?:^|\/)skill\.md$|(?:^|\/)\.lainclaw(?:\/|$)/, reasonText('assistants-follow')],
];

const EXECUTED = [...PROTECTED_WRITES, ...RUN_BY_OTHERS];
/** One look is enough for most paths: they are nothing of this kind. */
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
