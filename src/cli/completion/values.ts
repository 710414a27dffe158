// Which values a flag or an argument takes, and looking them up. A row is for a flag or an argument of one command ("agents
// status --name"), of all commands of a family ("schedule name"), or for a flag wherever it stands ("--provider").
import { access } from 'node:fs/promises';
import { PROVIDERS } from '../../adapters/providers/all.ts';
import { isSettingKey, SETTING_KEYS, SETTINGS } from '../../config/settings.ts';
import { CORE_SECTIONS } from '../../memory/core-memory.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { RuntimeWorkspace } from '../../runtime/workspace.ts';
import type { Terminal } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';
import type { Candidate, Place, WantedValue } from './completion.ts';
import { SHELLS } from './scripts.ts';

export type ValueKind = 'files' | 'directories' | 'nothing' | keyof typeof FIXED | keyof typeof LOOKED_UP;

export const VALUES: Readonly<Record<string, ValueKind>> = {
  '--provider': 'providers',
  '--against': 'providers',
  '--model': 'models',
  '--profile': 'profiles',
  '--session': 'sessions',
  '--tool-allow': 'tools',
  '--workspace': 'directories',
  '--cwd': 'directories',
  '--file': 'files',
  '--image': 'files',
  '--timezone': 'timezones',
  'undo --turn': 'turns',
  'sessions diff --turn': 'turns',
  'sessions rewind --turn': 'turns',
  '--output': 'files',
  'agents --name': 'agents',
  'memory model add --file': 'nothing',
  'ask input': 'manualCalls',
  'tools name': 'tools',
  'schedule name': 'jobs',
  'schedule add name': 'nothing',
  'sessions key': 'sessions',
  'skills name': 'skills',
  'skills source': 'files',
  'agents run': 'agentRuns',
  'mcp name': 'servers',
  'mcp add name': 'nothing',
  'mcp command': 'files',
  'docs address': 'pages',
  'models provider': 'realProviders',
  'auth provider': 'realProviders',
  'auth profile': 'profiles',
  'memory section': 'coreSections',
  'memory folder': 'directories',
  'memory model add source': 'files',
  'memory model name': 'memoryModels',
  'completion shell': 'shells',
  'config key': 'settings',
  'config value': 'settingValues',
};

export function kindOf({ path, name }: Pick<WantedValue, 'path' | 'name'>): ValueKind | undefined {
  const words = path.split(' ');
  for (let length = words.length; length > 0; length -= 1) {
    const kind = VALUES[`${words.slice(0, length).join(' ')} ${name}`];
    if (kind) return kind;
  }
  return VALUES[name];
}

export interface LookUp extends Pick<Place, 'flags' | 'operands'> {
  kind: keyof typeof FIXED | keyof typeof LOOKED_UP;
  terminal: Terminal;
}

/** Rejects when what it needs cannot be read. Starts no program, asks no server, and makes no home. */
export async function lookUp({ kind, ...at }: LookUp): Promise<Candidate[]> {
  if (kind in FIXED) return FIXED[kind as keyof typeof FIXED]().map(plain);
  const find: Find = LOOKED_UP[kind as keyof typeof LOOKED_UP];
  return withRuntime(at.terminal, (runtime) => find(runtime, at), { warn: () => {} });
}

const REAL_PROVIDERS = PROVIDERS.map(({ name }) => name);

const FIXED = {
  providers: () => ['stub', ...REAL_PROVIDERS],
  realProviders: () => REAL_PROVIDERS,
  timezones: () => Intl.supportedValuesOf('timeZone'),
  coreSections: () => CORE_SECTIONS,
  shells: () => SHELLS,
} satisfies Record<string, () => readonly string[]>;

/** Nobody looks through more. */
const SESSIONS = 1_000;

type Find = (runtime: Runtime, at: Omit<LookUp, 'kind'>) => Promise<Candidate[]>;

const LOOKED_UP = {
  settings: async () => SETTING_KEYS.map((key) => ({ value: key, description: SETTINGS[key].about })),
  settingValues,
  async sessions(runtime) {
    return (await runtime.sessions.list({ limit: SESSIONS })).map(({ sessionKey, updatedAt, provider = '' }) => ({
      value: sessionKey,
      description: `${updatedAt.slice(0, 16).replace('T', ' ')} ${provider}`.trim(),
    }));
  },
  tools,
  async manualCalls(runtime, at) {
    return (await tools(runtime, at)).map(({ value, description }) => ({ value: `tool:${value}`, description }));
  },
  models,
  profiles,
  async skills(runtime, { flags, terminal: { signal } }) {
    const { files: workspace } = await openWorkspace(runtime, flags);
    const { skills } = await (await runtime.skills()).list({ workspace, signal });
    return skills.map(({ name, description }) => ({ value: name, description }));
  },
  async jobs(runtime, { terminal }) {
    await access(terminal.environment.home);
    const jobs = await (await runtime.schedule()).list();
    return jobs.map(({ name, when }) => ({ value: name, description: when }));
  },
  async agents(runtime, { flags, terminal: { signal } }) {
    const { files: workspace } = await openWorkspace(runtime, flags);
    const { agents } = await (await runtime.agents()).list({ workspace, signal });
    return agents.map(({ name, description }) => ({ value: name, description }));
  },
  async agentRuns(runtime, { terminal }) {
    await access(terminal.environment.home);
    const runs = await (await runtime.agentRuns()).list({ limit: 50 });
    return runs.map(({ id, name, state }) => ({ value: id, description: `${name}, ${state}` }));
  },
  async servers(runtime) {
    const servers = await (await runtime.mcp()).config.read();
    return [...servers.keys()].map(plain);
  },
  async memoryModels(runtime) {
    return (await (await runtime.memoryModels()).list()).map(({ name }) => plain(name));
  },
  async pages(runtime) {
    return (await (await runtime.docs()).list()).map(({ path, title }) => ({ value: path, description: title }));
  },
  async turns(runtime, { flags, operands }) {
    const key = flags.get('--session') ?? operands[0] ?? 'main';
    const session = await runtime.sessions.get(key);
    const turns = session ? await (await runtime.undo()).turns(session.sessionId) : [];
    return turns.map(({ turnId, paths }) => ({ value: turnId, description: paths.slice(0, 3).join(', ') }));
  },
} satisfies Record<string, Find>;

function openWorkspace(runtime: Runtime, flags: LookUp['flags']): Promise<RuntimeWorkspace> {
  return runtime.openWorkspace({ root: flags.get('--workspace'), ownToolsOnly: true });
}

async function tools(runtime: Runtime, { flags }: Omit<LookUp, 'kind'>): Promise<Candidate[]> {
  const toolbox = await (await openWorkspace(runtime, flags)).toolbox();
  const own = await toolbox.describe(toolbox.visible(undefined).list());
  const ofServers = await (await runtime.mcp()).knownTools();
  return [...own.map(({ name, description }) => ({ value: name, description })), ...ofServers.map(plain)];
}

async function models(runtime: Runtime, { flags }: Omit<LookUp, 'kind'>): Promise<Candidate[]> {
  const { models } = await runtime.modelServices(flags.get('--base-url'));
  const known = await models.known(flags.get('--provider') ?? runtime.config.provider);
  return known.map(({ id, name = '' }) => ({ value: id, description: name }));
}

async function profiles(runtime: Runtime): Promise<Candidate[]> {
  const signIns = await (await runtime.modelServices()).auth.status();
  return signIns.profiles.map(({ profileId, provider }) => ({ value: profileId, description: provider }));
}

async function settingValues(runtime: Runtime, at: Omit<LookUp, 'kind'>): Promise<Candidate[]> {
  const [key = ''] = at.operands;
  if (!isSettingKey(key)) return [];
  if (key === 'provider' || key === 'fallback') return FIXED.providers().map(plain);
  if (key === 'profile') return profiles(runtime);
  if (key === 'model') return models(runtime, at);
  return (SETTINGS[key].kind.options ?? []).map(plain);
}

function plain(value: string): Candidate {
  return { value, description: '' };
}
