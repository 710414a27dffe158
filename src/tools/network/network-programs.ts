// Programs that need the network, and the hosts that each reaches with given arguments. An entry answers with addresses or
// hosts; none when this use stays on the machine. What is not in the table gets no network unless the caller asks for hosts
// by name.
import type { SimpleCommand } from '../permissions/command.ts';
import type { NetworkSettings } from './network-settings.ts';

/** The words after the program's name, without those known only when it runs. */
export type Arguments = readonly string[];
type HostsOf = (args: Arguments, settings: NetworkSettings) => readonly string[];

const PYTHON_FILES = 'files.pythonhosted.org';
const GITHUB = ['github.com', 'codeload.github.com'];

const NPM_COMMANDS =
  'install i in ins isntall add ci clean-install ic install-clean install-test it cit update up upgrade udpate dedupe ddp audit outdated view info show v search find s se publish unpublish deprecate dist-tag ping whoami login adduser logout access owner org team token profile star unstar stars hook doctor create init innit install-ci-test query-registry diff pack';

export const NETWORK_PROGRAMS: Readonly<Record<string, HostsOf>> = {
  npm: (args, settings) =>
    isAny(args, NPM_COMMANDS) || isFetchedPackage(args, 'exec x') ? npmHosts(args, settings) : [],
  npx: (args, settings) => (fetchesPackage(args) ? npmHosts(args, settings) : []),
  pnpm: (args, settings) =>
    isAny(args, 'install i add update up upgrade dlx create fetch outdated audit view info publish patch dedupe import')
      ? npmHosts(args, settings)
      : [],
  yarn: (args, settings) =>
    args.length === 0 ||
    isAny(args, 'install add up upgrade upgrade-interactive dlx create info audit outdated npm import')
      ? ['registry.yarnpkg.com', ...npmHosts(args, settings)]
      : [],
  bun: (args, settings) =>
    isAny(args, 'install i add a update outdated audit publish create c x info pm') ? npmHosts(args, settings) : [],
  bunx: (args, settings) => (fetchesPackage(args) ? npmHosts(args, settings) : []),

  pip: pipHosts,
  python: (args, settings) => (args[0] === '-m' && args[1] === 'pip' ? pipHosts(args.slice(2), settings) : []),
  uv: (args, settings) =>
    isAny(args, 'add sync lock tool build publish') ||
    (isAny(args, 'pip') && isAny(args.slice(1), 'install sync compile'))
      ? indexHosts(args, settings)
      : [],
  uvx: indexHosts,
  poetry: (args, settings) =>
    isAny(args, 'install add update lock sync publish self') ? indexHosts(args, settings) : [],
  pipx: (args, settings) => (isAny(args, 'install run upgrade upgrade-all inject') ? indexHosts(args, settings) : []),
  pipenv: (args, settings) => (isAny(args, 'install update lock sync upgrade') ? indexHosts(args, settings) : []),
  conda: condaHosts,
  mamba: condaHosts,

  cargo: (args) =>
    isAny(args, 'add fetch install update search publish generate-lockfile vendor yank owner login info') &&
    !has(args, '--offline')
      ? ['index.crates.io', 'static.crates.io', 'crates.io', ...addresses(args)]
      : [],
  rustup: (args) => (isAny(args, 'update install toolchain target component self') ? ['static.rust-lang.org'] : []),
  go: (args, { goProxies }) =>
    isAny(args, 'get') || (isAny(args, 'mod') && isAny(args.slice(1), 'download tidy vendor')) || hasVersioned(args)
      ? [...goProxies, 'sum.golang.org']
      : [],
  gem: (args) =>
    isAny(args, 'install i update fetch outdated search push') ? ['rubygems.org', 'index.rubygems.org'] : [],
  bundle: (args) =>
    args.length === 0 || isAny(args, 'install update add outdated lock') ? ['rubygems.org', 'index.rubygems.org'] : [],
  composer: (args) =>
    isAny(args, 'install i update u upgrade require r create-project outdated show search audit')
      ? ['repo.packagist.org', 'packagist.org', 'api.github.com', ...GITHUB]
      : [],
  mvn: (args) => (has(args, '-o', '--offline') ? [] : ['repo.maven.apache.org']),
  gradle: gradleHosts,
  gradlew: gradleHosts,
  dotnet: (args) => (isAny(args, 'restore add tool nuget workload new') ? ['api.nuget.org', 'www.nuget.org'] : []),
  deno: (args, settings) =>
    isAny(args, 'add install i cache outdated update upgrade publish')
      ? ['jsr.io', 'deno.land', ...npmHosts([], settings)]
      : [],
  brew: (args) =>
    isAny(args, 'install upgrade update fetch reinstall')
      ? ['formulae.brew.sh', 'ghcr.io', 'pkg-containers.githubusercontent.com', ...GITHUB]
      : [],
  terraform: (args) => (isAny(args, 'init get providers') ? ['registry.terraform.io', 'releases.hashicorp.com'] : []),
  apt: aptHosts,
  'apt-get': aptHosts,

  git: gitHosts,
  gh: (args) =>
    args.length === 0 || isAny(args, 'help version completion config alias') ? [] : ['github.com', 'api.github.com'],
  curl: (args) => fetchedAddresses(args, CURL_VALUES),
  wget: (args) => fetchedAddresses(args, WGET_VALUES),
  aria2c: (args) => fetchedAddresses(args, /^-[odxsjkid]$|^--(?:dir|out|input-file)$/),
  http: (args) =>
    fetchedAddresses(
      args.filter((arg) => !/^[A-Z]+$/.test(arg)),
      /^-[abAo]$/,
    ).slice(0, 1),
  https: (args) =>
    fetchedAddresses(
      args.filter((arg) => !/^[A-Z]+$/.test(arg)),
      /^-[abAo]$/,
    ).slice(0, 1),
};

/** `pip3.11` is pip, `python3` is python. */
export function networkProgram(program: string): HostsOf | undefined {
  const name = program.slice(program.lastIndexOf('/') + 1).replace(/^(pip|python)[\d.]+$/, '$1');
  return Object.hasOwn(NETWORK_PROGRAMS, name) ? NETWORK_PROGRAMS[name] : undefined;
}

const SHOWING_PROGRAMS = /(?:^|\/)(?:curl|wget|aria2c|https?|gh|npx|bunx|uvx)$/;
const SHOWING_COMMANDS =
  'view info show v search find s se index changelog ls-remote diff archive audit exec x dlx create init run';

/** Whether it prints what it fetched, or runs it: then it prints what that says. */
export function showsFetched({ program = '', words }: Pick<SimpleCommand, 'program' | 'words'>): boolean {
  const [command = '', next] = operands(
    words.slice(1).map(({ text }) => text),
    /^$/,
  );
  const shown = command === 'tool' && next === 'run' ? next : command;
  return SHOWING_PROGRAMS.test(program) || SHOWING_COMMANDS.split(' ').includes(shown);
}

function npmHosts(args: Arguments, { npmRegistries }: NetworkSettings): string[] {
  if (has(args, '--offline')) return [];
  const registry = optionValue(args, '--registry', '--reg');
  const onGithub = args.some((arg) => /^(?:github:|git\+ssh:|git@github\.com|[\w.-]+\/[\w.-]+(?:#|$))/.test(arg));
  return [...(registry === undefined ? npmRegistries : [registry]), ...addresses(args), ...(onGithub ? GITHUB : [])];
}

function pipHosts(args: Arguments, settings: NetworkSettings): readonly string[] {
  return isAny(args, 'install download wheel index search') && !has(args, '--no-index')
    ? indexHosts(args, settings)
    : [];
}

function indexHosts(args: Arguments, { pipIndexes }: NetworkSettings): string[] {
  if (has(args, '--offline')) return [];
  const named = optionValue(args, '--index-url', '-i', '--default-index');
  const indexes = named === undefined ? pipIndexes : [named];
  const files = indexes.some((index) => /^https?:\/\/pypi\.org\//.test(index)) ? [PYTHON_FILES] : [];
  return [...indexes, ...files, ...addresses(args)];
}

function condaHosts(args: Arguments): string[] {
  return isAny(args, 'install create update upgrade search env') ? ['conda.anaconda.org', 'repo.anaconda.com'] : [];
}

function gradleHosts(args: Arguments): string[] {
  return has(args, '--offline')
    ? []
    : ['repo.maven.apache.org', 'plugins.gradle.org', 'plugins-artifacts.gradle.org', 'services.gradle.org', ...GITHUB];
}

function aptHosts(args: Arguments, { aptSources }: NetworkSettings): readonly string[] {
  return isAny(args, 'update install upgrade full-upgrade dist-upgrade download source build-dep changelog')
    ? aptSources
    : [];
}

const REMOTE_COMMANDS = 'clone fetch pull push ls-remote remote submodule archive lfs';

function gitHosts(args: Arguments, { gitRemotes }: NetworkSettings): string[] {
  const [command, ...rest] = operands(args, /^-[cC]$|^--(?:git-dir|work-tree|namespace|config-env|exec-path)$/);
  if (command === undefined || !REMOTE_COMMANDS.split(' ').includes(command)) return [];
  if (command === 'remote' && !['update', 'show', 'prune'].includes(rest[0] ?? '')) return [];
  if (command === 'archive' && !args.some((arg) => arg.startsWith('--remote'))) return [];
  const written = args.map(gitAddress).filter((address) => address !== undefined);
  if (written.length > 0 || command === 'clone') return written;
  const named = rest.flatMap((word) => gitRemotes[word] ?? []);
  const remotes = named.length > 0 ? named : Object.values(gitRemotes);
  return remotes.map(gitAddress).filter((address) => address !== undefined);
}

/** Only what can pass the proxy: keys for ssh are not visible in the sandbox. */
function gitAddress(text: string): string | undefined {
  return /^(?:https?|git):\/\//i.test(text) ? text : undefined;
}

/** Options that take a value; letters may stand before the last one, `-sSLo file`. */
const CURL_VALUES =
  /^-[^\WAbcCdDeEFhHKmoPQrTtuUwWxXyYz]*[AbcCdDeEFhHKmoPQrTtuUwWxXyYz]$|^--(?:user-agent|cookie|cookie-jar|data|data-raw|data-binary|data-urlencode|dump-header|referer|form|form-string|header|config|max-time|connect-timeout|output|output-dir|range|upload-file|user|proxy-user|write-out|request|retry|retry-delay|retry-max-time|cacert|cert|key|json|max-redirs|limit-rate|resolve|interface|trace|trace-ascii|netrc-file|stderr|variable)$/;
const WGET_VALUES =
  /^-[^\WOoaePtTwQUADRIXBil]*[OoaePtTwQUADRIXBil]$|^--(?:output-document|output-file|append-output|directory-prefix|tries|timeout|wait|user-agent|header|post-data|post-file|body-data|method|load-cookies|save-cookies|user|password|level|accept|reject|base|input-file|limit-rate)$/;

/** Programs that fetch what their operands name, with or without `https://` in front. */
function fetchedAddresses(args: Arguments, values: RegExp): string[] {
  const url = optionValue(args, '--url');
  const named = [...operands(args, values), ...(url === undefined ? [] : [url])];
  const addressed = named
    .map((name) => (/^[a-z][\w+.-]*:\/\//i.test(name) ? name : `http://${name}`))
    // The sandbox has a loopback of its own, where a server that this command started answers.
    .filter(
      (address) => !/^\w+:\/\/(?:[^/@]*@)?(?:localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\])(?:[:/?]|$)/i.test(address),
    );
  const proxy = optionValue(args, '-x', '--proxy', '--preproxy', '--connect-to');
  return proxy === undefined ? addressed : [...addressed, /:\/\//.test(proxy) ? proxy : `http://${proxy}`];
}

/** npx, bunx and npm exec use what is installed; these words say that a package is to be fetched. */
function fetchesPackage(args: Arguments): boolean {
  const [name = ''] = operands(args, /^-[pc]$|^--(?:package|call)$/);
  return (
    has(args, '-y', '--yes', '-p', '--package') || args.some((arg) => arg.startsWith('--package=')) || /.@./.test(name)
  );
}

function isFetchedPackage(args: Arguments, commands: string): boolean {
  return isAny(args, commands) && fetchesPackage(args.slice(1));
}

/** `go install tool@latest`, `go run tool@v1`. */
function hasVersioned(args: Arguments): boolean {
  return isAny(args, 'install run') && args.some((arg) => /^[\w.-]+\.[\w.-]+\/.+@/.test(arg));
}

/** Addresses in words: `https://…`, `git+https://…`, `name@https://…`, `--option=https://…`. */
function addresses(args: Arguments): string[] {
  return args.flatMap((arg) => /(?:^|[+@=\s])(https?:\/\/\S+)$/i.exec(arg)?.[1] ?? []);
}

/** Whether the first word that is not an option is one of these. */
function isAny(args: Arguments, commands: string): boolean {
  const [command] = operands(
    args,
    /^(?:--prefix|--dir|-C|--cwd|--manifest-path|--directory|--filter|-F|--workspace|-w)$/,
  );
  return command !== undefined && commands.split(' ').includes(command);
}

function has(args: Arguments, ...options: readonly string[]): boolean {
  return args.some((arg) => options.includes(arg));
}

function optionValue(args: Arguments, ...options: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    if (options.includes(arg)) return args[index + 1];
    const found = options.find((option) => option.startsWith('--') && arg.startsWith(`${option}=`));
    if (found !== undefined) return arg.slice(found.length + 1);
  }
  return undefined;
}

/** Words that are neither an option nor the value of one that takes one. */
function operands(args: Arguments, takesValue: RegExp): string[] {
  const found: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (takesValue.test(arg)) index += 1;
    else if (!arg.startsWith('-') || arg === '-') found.push(arg);
  }
  return found;
}
