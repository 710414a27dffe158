// How well the archive finds, without any model and with a local English one: mean reciprocal rank at 10 over questions with known answers, through the
// same save and search as everyone's. The data is development data beside the repository and never part of it.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EmbeddingModel } from '../src/memory/embeddings/embeddings.ts';
import type { Memory } from '../src/memory/memory.ts';
import { hasRealModel, openRealModel } from '../test/support/embedding-model.ts';
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
/** With the real model of the tests. */
const MODEL_TARGETS: Record<string, number> = { 'xquad-en': 0.974, 'xquad-en-sent': 0.845 };
const QUICK_QUESTIONS = 20;
const QUICK_TEXTS = 30;
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
    // scripts/with-onnx.sh installs the model and its runtime for one command.
    if (!hasRealModel()) return figures;
    const model = openRealModel();
    try {
      for (const [set, target] of Object.entries(MODEL_TARGETS))
        figures.push(await figureOf(set, target, scale, model));
    } finally {
      model.close();
    }
    return figures;
  },
};

/** Misses, so that less is better like in every other figure: 1 - MRR@10. */
async function figureOf(set: string, target: number, scale: Scale, model?: EmbeddingModel): Promise<Figure> {
  return withTemporaryHome(async (home) => {
    const { memory, close } = openMemory(home, { model });
    try {
      // A model takes its time: the self-test gives it a few texts only.
      const documents = read(`${set}.docs.jsonl`).slice(0, model && scale !== 'full' ? QUICK_TEXTS : undefined);
      // Texts that are alike would be kept once: each comes from its own source.
      await memory.saveAll(documents.map(({ id, t }) => ({ content: t, source: id })));
      const started = performance.now();
      if (model) await memory.embed();
      const embedding = performance.now() - started;
      const questions = read(`${set}.q.jsonl`).slice(0, scale === 'full' ? undefined : QUICK_QUESTIONS);
      const reached = await meanReciprocalRank(memory, questions);
      return {
        name: `${set}${model ? ' with a model' : ''}, 1 - MRR@${AT}`,
        value: 1 - reached,
        unit: '',
        limit: 1 - target,
        detail: `MRR@${AT} ${reached.toFixed(4)}, at least ${target}, ${questions.length} questions over ${documents.length} texts${model ? `, embedded in ${(embedding / 1_000).toFixed(1)} s` : ''}`,
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
