// What models turned out not to be able to do, and how much they take in, kept in model-limits.json of the home: a model that refused
// tools once is not offered them again for a month (a newer server may have learnt it); what a server lists holds for an hour. Losing
// the file costs one refused request. The file is read once a minute at most: another process may have written it.
import { type OwnerFiles, StorageError } from '../storage/storage.ts';

export const ABILITIES = ['tools', 'effort', 'pictures'] as const;
export type Ability = (typeof ABILITIES)[number];

/** A model at its address: servers differ in what they can do with the same one. */
export interface ModelName {
  provider: string;
  baseUrl: string;
  model: string;
}

export interface ModelLimits {
  /** The abilities it lacks. Never throws: what cannot be read is not known. */
  lackedBy(model: ModelName): Promise<ReadonlySet<Ability>>;
  /** Never throws: what cannot be stored holds for this process. */
  remember(model: ModelName, ability: Ability): Promise<void>;
  /** The tokens that its server says it takes in, lately; 0 when it says nothing, undefined when it was not asked. Never throws. */
  listedWindow(model: ModelName): Promise<number | undefined>;
  rememberListedWindow(model: ModelName, tokens: number): Promise<void>;
  /** The tokens beyond which the service refused a request. Never throws. */
  refusedWindow(model: ModelName): Promise<number | undefined>;
  rememberRefusedWindow(model: ModelName, tokens: number): Promise<void>;
}

/** For a single question: nothing is known, and nothing is kept. */
export const NO_LIMITS: ModelLimits = {
  lackedBy: async () => new Set(),
  remember: async () => {},
  listedWindow: async () => undefined,
  rememberListedWindow: async () => {},
  refusedWindow: async () => undefined,
  rememberRefusedWindow: async () => {},
};

export interface ModelLimitsOptions {
  files: OwnerFiles;
  now(): number;
}

interface LimitsFile {
  version: 1;
  limits: Record<string, ModelEntry>;
}

/** By ability, when it was found to be missing. */
type ModelEntry = Partial<Record<Ability, string>> & { listedWindow?: FoundWindow; refusedWindow?: FoundWindow };

interface FoundWindow {
  tokens: number;
  at: string;
}

const FILE = 'model-limits.json';
const HOUR_MS = 60 * 60 * 1000;
const HOLDS_MS = 30 * 24 * HOUR_MS;
const READ_AGAIN_MS = 60 * 1000;
const MOST_MODELS = 500;

export function createModelLimits({ files, now }: ModelLimitsOptions): ModelLimits {
  /** What this process found out, whether it could be stored or not. */
  const foundHere = new Map<string, ModelEntry>();
  let lastRead: { at: number; file: Promise<LimitsFile | undefined> } | undefined;

  async function entryOf(model: ModelName): Promise<ModelEntry> {
    if (!lastRead || now() - lastRead.at >= READ_AGAIN_MS) lastRead = { at: now(), file: read(files) };
    const key = keyOf(model);
    return { ...(await lastRead.file)?.limits[key], ...foundHere.get(key) };
  }

  async function store(model: ModelName, found: ModelEntry): Promise<void> {
    const key = keyOf(model);
    foundHere.set(key, { ...foundHere.get(key), ...found });
    try {
      await files.update(FILE, (current) => {
        const file = parse(current);
        if (!file) return undefined;
        const { [key]: known, ...others } = file.limits;
        const kept = Object.entries(others).slice(1 - MOST_MODELS);
        const limits = Object.fromEntries([...kept, [key, { ...known, ...found }]]);
        return `${JSON.stringify({ ...file, limits }, undefined, 1)}\n`;
      });
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
    }
  }

  const at = (): string => new Date(now()).toISOString();
  const holds = (since: string | undefined, ms: number): boolean => now() - Date.parse(since ?? '') < ms;
  const stillHolding = (found: FoundWindow | undefined, ms: number): number | undefined =>
    found && holds(found.at, ms) ? found.tokens : undefined;

  return {
    async lackedBy(model) {
      const entry = await entryOf(model);
      return new Set(ABILITIES.filter((ability) => holds(entry[ability], HOLDS_MS)));
    },
    remember: (model, ability) => store(model, { [ability]: at() }),
    listedWindow: async (model) => stillHolding((await entryOf(model)).listedWindow, HOUR_MS),
    rememberListedWindow: (model, tokens) => store(model, { listedWindow: { tokens, at: at() } }),
    refusedWindow: async (model) => stillHolding((await entryOf(model)).refusedWindow, HOLDS_MS),
    rememberRefusedWindow: (model, tokens) => store(model, { refusedWindow: { tokens, at: at() } }),
  };
}

async function read(files: OwnerFiles): Promise<LimitsFile | undefined> {
  try {
    return parse(await files.read(FILE));
  } catch {
    return undefined;
  }
}

/** A damaged file begins again; undefined for one of a newer version, which is left alone. */
function parse(source: string | undefined): LimitsFile | undefined {
  const empty: LimitsFile = { version: 1, limits: {} };
  if (source === undefined) return empty;
  try {
    const { version, limits } = JSON.parse(source) as Partial<LimitsFile>;
    if (typeof version === 'number' && version > 1) return undefined;
    const isWhole = typeof limits === 'object' && limits !== null && !Array.isArray(limits);
    return version === 1 && isWhole ? { version, limits } : empty;
  } catch {
    return empty;
  }
}

function keyOf({ provider, baseUrl, model }: ModelName): string {
  return `${provider} ${baseUrl} ${model}`;
}
