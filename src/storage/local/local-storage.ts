// Storage on one's own machine: files a person can read, and one SQLite file for what is indexed.
import { join } from 'node:path';
import type { Storage } from '../storage.ts';
import { createCatalogue } from './catalogue.ts';
import { createDatabase } from './database.ts';
import { ensureDirectory, writeAtomically } from './files.ts';
import { createLocks } from './locks.ts';
import { createResultCache } from './result-cache.ts';
import { createSpending } from './spending.ts';
import { createTranscripts } from './transcripts.ts';

export interface LocalStorageOptions {
  home: string;
  now(): number;
  onRebuild?: (keptAside: string) => void;
}

export function createLocalStorage({ home, now, onRebuild }: LocalStorageOptions): Storage {
  const sessions = join(home, 'sessions');
  const locks = createLocks(join(home, 'locks'));
  const transcripts = createTranscripts(sessions);
  const database = createDatabase(home);
  return {
    locks,
    transcripts,
    catalogue: createCatalogue({ directory: sessions, locks, transcripts, now, onRebuild }),
    resultCache: createResultCache(database),
    spending: createSpending(database),
    outputs: {
      async keep(scope, name, text) {
        const directory = join(home, 'outputs', scope);
        // A call's id comes from a model: it may not choose the path.
        const path = join(directory, `${name.replace(/[^\w.-]/g, '_').slice(0, 80)}.txt`);
        await ensureDirectory(directory);
        await writeAtomically(path, text);
        return path;
      },
    },
    close: () => database.close(),
  };
}
