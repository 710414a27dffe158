// How well the archive finds, without any model: mean reciprocal rank at 10 over questions with known answers, through the
// same save and search as everyone's. The data is development data beside the repository and never part of it.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Memory } from '../src/memory/memory.ts';
import type { Bench, Figure, Scale } from './bench.ts';
import { withTemporaryHome } from './commands.ts';
import { openMemory } from './open-memory.ts';

const DATA = resolve('../shared/data/retrieval');
const TARGETS: Record<string, number> = {
  'xquad-en': 0.965,
  'xquad-zh': 0.957,
  'xquad-ru': 0.952,
  'xquad-en-sent': 0.82,
  'xquad-zh-sent': 0.81,
  'xquad-ru-sent': 0.805,
};
const QUICK_QUESTIONS = 20;
const AT = 10;

interface Line {
  id: string;
  t: string;
  rel?: string[];
}

export const retrieval: Bench = {
  name: 'retrieval',
  async run(scale) {
    if (!existsSync(DATA)) {
      console.log(`retrieval: skipped, there is no ${DATA}`);
      return [{ name: 'retrieval (skipped: no data)', value: 0, unit: 'sets', limit: 0, detail: `looked in ${DATA}` }];
    }
    const figures: Figure[] = [];
    for (const [set, target] of Object.entries(TARGETS)) figures.push(await figureOf(set, target, scale));
    return figures;
  },
};

/** Misses, so that less is better like in every other figure: 1 - MRR@10. */
async function figureOf(set: string, target: number, scale: Scale): Promise<Figure> {
  return withTemporaryHome(async (home) => {
    const { memory, close } = openMemory(home);
    try {
      const documents = read(`${set}.docs.jsonl`);
      // Texts that are alike would be kept once: each comes from its own source.
      await memory.saveAll(documents.map(({ id, t }) => ({ content: t, source: id })));
      const questions = read(`${set}.q.jsonl`).slice(0, scale === 'full' ? undefined : QUICK_QUESTIONS);
      const reached = await meanReciprocalRank(memory, questions);
      return {
        name: `${set}, 1 - MRR@${AT}`,
        value: 1 - reached,
        unit: '',
        limit: 1 - target,
        detail: `MRR@${AT} ${reached.toFixed(4)}, at least ${target}, ${questions.length} questions over ${documents.length} texts`,
      };
    } finally {
      close();
    }
  });
}

async function meanReciprocalRank(memory: Memory, questions: readonly Line[]): Promise<number> {
  let sum = 0;
  for (const { t, rel = [] } of questions) {
    const { results } = await memory.search(t, { topK: 2 * AT, budget: 1_000_000 });
    // A text that was cut into several chunks counts once.
    const sources = [...new Set(results.map(({ source }) => source))].slice(0, AT);
    const place = sources.findIndex((source) => rel.includes(source));
    if (place >= 0) sum += 1 / (place + 1);
  }
  return sum / questions.length;
}

function read(name: string): Line[] {
  return readFileSync(join(DATA, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}
