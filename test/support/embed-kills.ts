// Kills commands that embed, at random moments of their life, while the model changes now and then, and looks after each
// death whether the vectors are whole: as many as are counted, each of its model's length, each in exactly one block. At
// the end one run goes through, and everything must have a vector of the last model and of no other.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { openMemory } from '../../bench/open-memory.ts';
import { type EmbeddingServer, startEmbeddingServer } from './embedding-server.ts';
import type { Home } from './home.ts';
import { runBinary, startLainclaw } from './lainclaw.ts';
import { seededRandom } from './random.ts';

const NOTES = 300;
const MODELS = ['words-40', 'words-64', 'words-200'];
const CHANGES = 0.3;
const DELAY_MS = 15;

export interface EmbedKillReport {
  killed: number;
  /** Texts that were sent to the model, over all runs and models. */
  embedded: number;
  problems: string[];
}

export async function runEmbedKills({
  home,
  kills,
  seed,
}: {
  home: Home;
  kills: number;
  seed: number;
}): Promise<EmbedKillReport> {
  const random = seededRandom(seed);
  const server = await startEmbeddingServer({ delayMs: DELAY_MS });
  const problems: string[] = [];
  let killed = 0;
  try {
    const text = Array.from({ length: NOTES }, (_, index) => `## Part ${index}\n\nThe marker${index} stands here.\n`);
    await runBinary(['memory', 'save', '-'], { home, stdin: text.join('\n') });
    let model = choose(home, server, MODELS[0] as string);
    const started = performance.now();
    await runBinary(['memory', 'embed'], { home });
    const whole = performance.now() - started;
    let isDone = true;
    for (let round = 0; killed < kills && round < kills * 5 && problems.length === 0; round += 1) {
      if (isDone || random() < CHANGES) model = choose(home, server, MODELS[(MODELS.indexOf(model) + 1) % 3] as string);
      const command = random() < 0.7 ? ['embed'] : ['search', 'marker'];
      const running = startLainclaw(['memory', ...command], { home });
      await Promise.race([sleep(random() * whole), running.ended]);
      running.kill('SIGKILL');
      const { signal } = await running.ended;
      isDone = signal !== 'SIGKILL';
      if (!isDone) killed += 1;
      problems.push(...vectorProblems(home));
      const marker = `marker${Math.floor(random() * NOTES)}`;
      if (!(await isFound(home, marker))) problems.push(`${marker} was not found after death ${killed}`);
    }
    const end = (await runBinary(['memory', 'embed'], { home })).json<{ done: number; total: number }>();
    if (end.done !== NOTES || end.total !== NOTES) problems.push(`at the end ${end.done} of ${end.total} are embedded`);
    problems.push(...vectorProblems(home, model));
    return { killed, embedded: server.asked.length, problems };
  } finally {
    server.close();
  }
}

/** Without a model: looking must not embed what the next run is to embed. */
async function isFound(home: Home, marker: string): Promise<boolean> {
  const { memory, close } = openMemory(home.path);
  try {
    const { results } = await memory.search(marker);
    return results[0]?.text.includes(`${marker} `) ?? false;
  } finally {
    close();
  }
}

function choose(home: Home, { baseUrl }: EmbeddingServer, model: string): string {
  writeFileSync(join(home.path, 'config.json'), JSON.stringify({ embeddingBaseUrl: baseUrl, embeddingModel: model }));
  return model;
}

interface Row {
  key: number;
  name: string;
  dimension: number;
  count: number | null;
}

/** Looked at in the file itself, by nobody's code but this. With `only`: vectors of no other model may be left. */
export function vectorProblems(home: Home, only?: string): string[] {
  const db = new DatabaseSync(join(home.path, 'lainclaw.db'), { readOnly: true, timeout: 5_000 });
  try {
    const models = db
      .prepare(
        'SELECT m.key, m.name, m.dimension, c.count FROM archive_models m LEFT JOIN archive_vector_counts c ON c.model = m.key',
      )
      .all() as unknown as Row[];
    const problems = models.flatMap(({ key, name, dimension, count }) => {
      const vectors = db
        .prepare('SELECT chunk, block, place, length(vector) AS length FROM archive_vectors WHERE model = ?')
        .all(key);
      const blocks = db.prepare('SELECT block, size, ids FROM archive_vector_blocks WHERE model = ?').all(key);
      const placed = new Map<string, number>();
      for (const { block, size, ids } of blocks) {
        const all = new Uint32Array((ids as Uint8Array).slice().buffer).subarray(0, Number(size));
        for (const [place, chunk] of all.entries()) if (chunk > 0) placed.set(`${block}/${place}`, chunk);
      }
      const found: string[] = [];
      if (vectors.length !== count) found.push(`${name} counts ${count} vectors and has ${vectors.length}`);
      if (placed.size !== vectors.length) found.push(`${name} has ${placed.size} places for ${vectors.length} vectors`);
      if (vectors.some(({ length }) => length !== dimension)) found.push(`${name} has a vector of another length`);
      if (vectors.some(({ chunk, block, place }) => placed.get(`${block}/${place}`) !== chunk))
        found.push(`${name} has a vector that is not in its place`);
      return found;
    });
    const orphans = db
      .prepare('SELECT count(*) AS n FROM archive_vectors WHERE model NOT IN (SELECT key FROM archive_models)')
      .get();
    if (Number(orphans?.n) > 0) problems.push(`${orphans?.n} vectors are of no model`);
    if (only !== undefined && (models.length !== 1 || !models[0]?.name.startsWith(only)))
      problems.push(`vectors of ${models.map(({ name }) => name).join(', ')} are left, not of ${only} alone`);
    return problems;
  } finally {
    db.close();
  }
}
