// Reads the settings that decide which hosts programs reach: variables first, then files of the project, then the person's
// own, as the programs themselves do. A file that is missing, too long or not readable says nothing. The person's files are not
// visible in the sandbox, because they hold tokens: the addresses in them are handed on as variables, without passwords.
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Workspace } from '../../workspace/workspace.ts';
import { DEFAULT_SETTINGS, type NetworkSettings } from './network-settings.ts';

export interface SettingSources {
  /** The person's environment. */
  variables: Readonly<Record<string, string | undefined>>;
  userHome: string;
  workspace: Pick<Workspace, 'openFile'>;
  /** Where the command runs, relative to the root of the workspace. */
  directory: string;
}

export interface FoundSettings {
  settings: NetworkSettings;
  /** Variables that make the programs inside the sandbox use these addresses. */
  environment: Readonly<Record<string, string>>;
}

const LONGEST_FILE = 262_144;
const APT_LISTS = '/etc/apt/sources.list.d';

export async function readNetworkSettings(sources: SettingSources): Promise<FoundSettings> {
  const [npm, pip, aptSources, gitRemotes] = await Promise.all([
    readNpm(sources),
    readPip(sources),
    readApt(),
    readRemotes(sources),
  ]);
  const goProxy = variable(sources, 'GOPROXY');
  return {
    settings: {
      npmRegistries: npm.registries,
      pipIndexes: pip.indexes,
      goProxies: goProxy === undefined ? DEFAULT_SETTINGS.goProxies : goProxy.split(/[,|]/).filter(isAddress),
      aptSources,
      gitRemotes,
    },
    environment: { ...npm.environment, ...pip.environment, ...withoutPasswords('GOPROXY', goProxy) },
  };
}

/** In npm a variable beats the project's .npmrc, which beats the person's. */
async function readNpm(sources: SettingSources) {
  const [project, own] = await Promise.all([upwards(sources, '.npmrc'), readOwn(join(sources.userHome, '.npmrc'))]);
  const set = variable(sources, 'npm_config_registry') ?? variable(sources, 'NPM_CONFIG_REGISTRY');
  const ours = project.flatMap((text) => npmRegistry(text) ?? [])[0];
  const theirs = own === undefined ? undefined : npmRegistry(own);
  const handedOn = set ?? (ours === undefined ? theirs : undefined);
  const registry = set ?? ours ?? theirs;
  const scopes = project.flatMap((text) =>
    [...text.matchAll(/^\s*@[\w.~-]+:registry\s*=\s*(\S+)/gm)].map((found) => found[1] ?? ''),
  );
  return {
    registries: [
      ...(registry === undefined ? DEFAULT_SETTINGS.npmRegistries : [registry]),
      ...scopes.filter(isAddress),
    ],
    environment: withoutPasswords('npm_config_registry', handedOn),
  };
}

function npmRegistry(text: string): string | undefined {
  const found = /^\s*registry\s*=\s*"?([^\s"]+)"?/m.exec(text)?.[1];
  return found !== undefined && isAddress(found) ? found : undefined;
}

async function readPip(sources: SettingSources) {
  const { userHome } = sources;
  const files = [join(userHome, '.config/pip/pip.conf'), join(userHome, '.pip/pip.conf'), '/etc/pip.conf'];
  const texts = await Promise.all(files.map(readOwn));
  const inFile = (name: string): string | undefined =>
    texts
      .flatMap((text) => new RegExp(`^\\s*${name}\\s*[=:]\\s*(\\S+)`, 'm').exec(text ?? '')?.[1] ?? [])
      .find(isAddress);
  const index = variable(sources, 'PIP_INDEX_URL') ?? inFile('index-url');
  const extra = variable(sources, 'PIP_EXTRA_INDEX_URL') ?? inFile('extra-index-url');
  return {
    indexes: [
      ...(index === undefined ? DEFAULT_SETTINGS.pipIndexes : [index]),
      ...(extra ?? '').split(/\s+/).filter(isAddress),
    ],
    environment: {
      ...withoutPasswords('PIP_INDEX_URL', index),
      ...withoutPasswords('UV_DEFAULT_INDEX', index),
      ...withoutPasswords('PIP_EXTRA_INDEX_URL', extra),
    },
  };
}

async function readApt(): Promise<string[]> {
  const names = await readdir(APT_LISTS).catch(() => []);
  const files = [
    '/etc/apt/sources.list',
    ...names.filter((name) => /\.(?:list|sources)$/.test(name)).map((name) => join(APT_LISTS, name)),
  ];
  const texts = await Promise.all(files.slice(0, 50).map(readOwn));
  const lines = texts
    .flatMap((text) => (text ?? '').split('\n'))
    .filter((line) => /^\s*(?:deb|deb-src|URIs:)\s/i.test(line));
  return [...new Set(lines.flatMap((line) => line.match(/https?:\/\/[^\s/]+/g) ?? []))];
}

/** Of the repository that holds the directory. A remote that runs a program (`ext::`) is not an address. */
async function readRemotes(sources: SettingSources): Promise<Record<string, string>> {
  const [config = ''] = await upwards(sources, '.git/config');
  const remotes: Record<string, string> = {};
  let remote: string | undefined;
  for (const line of config.split('\n')) {
    const section = /^\s*\[\s*(\w+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line);
    if (section) remote = section[1]?.toLowerCase() === 'remote' ? section[2] : undefined;
    const url = /^\s*(?:push)?url\s*=\s*(\S+)/i.exec(line)?.[1];
    if (remote !== undefined && url !== undefined) remotes[remote] ??= url;
  }
  return remotes;
}

/** The file of this name in the directory and in those above it, nearest first, up to the root of the workspace. */
async function upwards({ workspace, directory }: SettingSources, name: string): Promise<string[]> {
  const texts: string[] = [];
  for (let at = directory; ; at = dirname(at)) {
    const text = await readInside(workspace, join(at, name));
    if (text !== undefined) texts.push(text);
    if (at === '.' || at === '/' || at === '') return texts;
  }
}

async function readInside(workspace: SettingSources['workspace'], path: string): Promise<string | undefined> {
  const opened = await workspace.openFile(path).catch(() => undefined);
  if (!opened) return undefined;
  try {
    return opened.size > LONGEST_FILE ? undefined : await opened.handle.readFile('utf8');
  } catch {
    return undefined;
  } finally {
    await opened.handle.close();
  }
}

async function readOwn(path: string): Promise<string | undefined> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= LONGEST_FILE ? await readFile(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function variable({ variables }: SettingSources, name: string): string | undefined {
  return variables[name]?.trim() || undefined;
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** One variable may hold several addresses. A word that is not an address (`direct`) stays, unless it could hold a password. */
function withoutPasswords(name: string, addresses: string | undefined): Record<string, string> {
  const value = (addresses ?? '').replace(/[^\s,|]+/g, (word) => {
    const url = URL.parse(word);
    if (!url) return word.includes('@') || word.includes('://') ? '' : word;
    url.username = '';
    url.password = '';
    return url.href;
  });
  return value.trim() === '' ? {} : { [name]: value };
}
