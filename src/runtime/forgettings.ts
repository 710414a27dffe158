// What is being forgotten, in forgetting.json: the file holds the text, and is there only until that is done. What was forgotten is counted in forgotten.jsonl, without its text.
import type { OwnerFiles } from '../storage/storage.ts';

export interface Forgetting {
  text: string;
  /** Whole conversations go. */
  conversations: boolean;
  /** These conversations were in use; all others are done. */
  onlySessions?: readonly string[];
}

export interface Forgotten {
  at: string;
  /** How many of each kind. */
  places: Record<string, number>;
  conversations: number;
}

export const FORGETTING_FILE = 'forgetting.json';
const JOURNAL = 'forgotten.jsonl';
const RUNS_FILE = 'forgetting-runs.json';

export interface Forgettings {
  /** Durable when it resolves: from now on it will be finished, whatever happens. */
  begin(forgetting: Forgetting): Promise<void>;
  update(forgetting: Forgetting): Promise<void>;
  end(forgetting: Forgetting): Promise<void>;
  open(): Promise<Forgetting[]>;
  journal(forgotten: Forgotten): Promise<void>;
  /** How often something was forgotten. What was read before this number changed may hold what is gone. */
  runs(): Promise<number>;
  countRun(): Promise<void>;
  /** Newest first. */
  forgotten(limit: number): Promise<Forgotten[]>;
  /** Whether this file of the home is the record itself. */
  isOwn(file: string): boolean;
}

export function createForgettings(files: OwnerFiles): Forgettings {
  const others = (current: string | undefined, { text }: Forgetting): Forgetting[] =>
    parse(current).filter((each) => each.text !== text);
  const replace = (forgetting: Forgetting): Promise<void> =>
    files.update(FORGETTING_FILE, (current) => written([...others(current, forgetting), forgetting]));
  return {
    begin: replace,
    update: replace,
    end: (forgetting) => files.update(FORGETTING_FILE, (current) => written(others(current, forgetting))),
    open: async () => parse(await files.read(FORGETTING_FILE)),
    runs: async () => runsIn(await files.read(RUNS_FILE)),
    countRun: () =>
      files.update(RUNS_FILE, (current) => `${JSON.stringify({ version: 1, runs: runsIn(current) + 1 })}\n`),
    journal: (forgotten) => files.append(JOURNAL, JSON.stringify(forgotten)),
    async forgotten(limit) {
      const lines = ((await files.read(JOURNAL)) ?? '').split('\n').filter((line) => line !== '');
      return lines.slice(-limit).reverse().flatMap(parseForgotten);
    },
    isOwn: (file) => file === FORGETTING_FILE,
  };
}

function written(forgettings: readonly Forgetting[]): string | null {
  return forgettings.length === 0 ? null : `${JSON.stringify({ version: 1, forgettings })}\n`;
}

/** A file that cannot be read forgets nothing. */
function parse(source: string | undefined): Forgetting[] {
  try {
    const { forgettings } = JSON.parse(source ?? '{}') as { forgettings?: unknown };
    return Array.isArray(forgettings) ? forgettings.filter(isForgetting) : [];
  } catch {
    return [];
  }
}

function runsIn(source: string | undefined): number {
  try {
    const { runs } = JSON.parse(source ?? '{}') as { runs?: unknown };
    return typeof runs === 'number' ? runs : 0;
  } catch {
    return 0;
  }
}

function isForgetting(value: unknown): value is Forgetting {
  const { text, conversations, onlySessions = [] } = (value ?? {}) as Partial<Record<keyof Forgetting, unknown>>;
  return typeof text === 'string' && typeof conversations === 'boolean' && Array.isArray(onlySessions);
}

function parseForgotten(line: string): Forgotten[] {
  try {
    const { at, places, conversations } = JSON.parse(line) as Forgotten;
    return typeof at === 'string' && typeof conversations === 'number' ? [{ at, places, conversations }] : [];
  } catch {
    return [];
  }
}
