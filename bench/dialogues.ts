// How many of the turns that answer a question are among the first ten that a search finds, over long dialogues of two people (dialogue-set/): without a
// model, and in a full run with a local English one where scripts/with-onnx.sh has installed it. The figure is that of the held-out dialogues; the
// development ones are printed beside it.
import type { EmbeddingModel } from '../src/memory/embeddings/embeddings.ts';
import type { Memory } from '../src/memory/memory.ts';
import { hasRealModel, openRealModel } from '../test/support/embedding-model.ts';
import type { Bench, Figure } from './bench.ts';
import { withTemporaryHome } from './commands.ts';
import {
  type Dialogue,
  type DialogueQuestion,
  type DialogueQuestionKind,
  dialoguesOf,
} from './dialogue-set/dialogues.ts';
import type { Half } from './memory-set/conversations.ts';
import { openMemory } from './open-memory.ts';

const AT = 10;
const TARGET = 77;
const MODEL_TARGET = 82;

interface Answered {
  kind: DialogueQuestionKind;
  /** Share of the evidence that was found. */
  recall: number;
}

export const dialogues: Bench = {
  name: 'dialogues',
  async run(scale) {
    const name = `turns of evidence that are not among the first ${AT}`;
    const withWords = await figureOf(name, TARGET);
    if (scale !== 'full' || !hasRealModel()) return [withWords];
    const model = openRealModel();
    try {
      return [withWords, await figureOf(`${name}, with a model`, MODEL_TARGET, model)];
    } finally {
      model.close();
    }
  },
};

async function figureOf(name: string, target: number, model?: EmbeddingModel): Promise<Figure> {
  const [held, dev] = [await answersOf('held', model), await answersOf('dev', model)];
  const kinds = [...Map.groupBy(held, ({ kind }) => kind)]
    .map(([kind, answers]) => `${kind} ${percentOf(answers).toFixed(0)} % of ${answers.length}`)
    .join(', ');
  return {
    name,
    value: 100 - percentOf(held),
    unit: '%',
    limit: 100 - target,
    detail: `held out: found ${percentOf(held).toFixed(1)} %, at least ${target} (${kinds}); development: found ${percentOf(dev).toFixed(1)} % of ${dev.length}`,
  };
}

async function answersOf(half: Half, model?: EmbeddingModel): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const dialogue of dialoguesOf(half))
    answers.push(...(await withTemporaryHome((home) => askAll(home, dialogue, model))));
  return answers;
}

async function askAll(
  home: string,
  { name, turns, questions, askedAt }: Dialogue,
  model?: EmbeddingModel,
): Promise<Answered[]> {
  const { memory, close } = openMemory(home, { model, now: () => Date.parse(askedAt) });
  try {
    await memory.saveAll(
      turns.map(({ id, text, speaker, session, date }) => ({
        content: text,
        source: `session:${name}`,
        identity: id,
        speaker,
        session,
        date,
      })),
    );
    if (model) await memory.embed();
    const idAt = new Map(turns.map(({ session, date, id }) => [`${session} ${date}`, id]));
    const answers: Answered[] = [];
    for (const question of questions) answers.push(await ask(memory, question, idAt));
    return answers;
  } finally {
    close();
  }
}

async function ask(
  memory: Memory,
  { kind, question, evidence }: DialogueQuestion,
  idAt: ReadonlyMap<string, string>,
): Promise<Answered> {
  const { results } = await memory.search(question, { topK: AT });
  const found = new Set(results.map(({ session, date }) => idAt.get(`${session} ${date}`)));
  return { kind, recall: evidence.filter((id) => found.has(id)).length / evidence.length };
}

function percentOf(answers: readonly Answered[]): number {
  return (100 * answers.reduce((sum, { recall }) => sum + recall, 0)) / answers.length;
}
