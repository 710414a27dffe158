// What models turned out not to be able to do, kept in model-limits.json of the home: a model that refused tools once is
// not offered them again for a month (a newer server may have learnt it). Losing the file costs one refused request.
import { type OwnerFiles, StorageError } from '../storage/storage.ts';

export const ABILITIES = ['tools', 'effort'] as const;
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
}

export interface ModelLimitsOptions {
  files: OwnerFiles;
  now(): number;
}

interface LimitsFile {
  version: 1;
  /** By model and ability, when it was found out. */
  limits: Record<string, Partial<Record<Ability, string>>>;
}

const FILE = 'model-limits.json';
const HOLDS_MS = 30 * 24 * 60 * 60 * 1000;
const MOST_MODELS = 500;

export function createModelLimits({ files, now }: ModelLimitsOptions): ModelLimits {
  const foundHere = new Map<string, Set<Ability>>();

  return {
    async lackedBy(model) {
      const key = keyOf(model);
      const stored = (await read(files))?.limits[key] ?? {};
      const holds = ABILITIES.filter((ability) => now() - Date.parse(stored[ability] ?? '') < HOLDS_MS);
      return new Set([...holds, ...(foundHere.get(key) ?? [])]);
    },
    async remember(model, ability) {
      const key = keyOf(model);
      foundHere.set(key, (foundHere.get(key) ?? new Set()).add(ability));
      try {
        await files.update(FILE, (current) => {
          const file = parse(current);
          if (!file) return undefined;
          const entry = { ...file.limits[key], [ability]: new Date(now()).toISOString() };
          const { [key]: _, ...others } = file.limits;
          const kept = Object.entries(others).slice(1 - MOST_MODELS);
          return `${JSON.stringify({ ...file, limits: Object.fromEntries([...kept, [key, entry]]) }, undefined, 1)}\n`;
        });
      } catch (error) {
        if (!(error instanceof StorageError)) throw error;
      }
    },
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
