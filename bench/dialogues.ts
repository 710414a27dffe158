// How many of the turns that answer a question are among the first ten that a search finds, without a model, over long dialogues of two people
// (dialogue-set/). The figure is that of the held-out dialogues; the development ones are printed beside it.
import type { Memory } from '../src/memory/memory.ts';
import type { Bench } from './bench.ts';
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
const TARGET = 76;

interface Answered {
  kind: DialogueQuestionKind;
  /** Share of the evidence that was found. */
  recall: number;
}

export const dialogues: Bench = {
  name: 'dialogues',
  async run() {
    const [held, dev] = [await answersOf('held'), await answersOf('dev')];
    const kinds = [...Map.groupBy(held, ({ kind }) => kind)]
      .map(([kind, answers]) => `${kind} ${percentOf(answers).toFixed(0)} % of ${answers.length}`)
      .join(', ');
    return [
      {
        name: `turns of evidence that are not among the first ${AT}`,
        value: 100 - percentOf(held),
        unit: '%',
        limit: 100 - TARGET,
        detail: `held out: found ${percentOf(held).toFixed(1)} %, at least ${TARGET} (${kinds}); development: found ${percentOf(dev).toFixed(1)} % of ${dev.length}`,
      },
    ];
  },
};

async function answersOf(half: Half): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const dialogue of dialoguesOf(half))
    answers.push(...(await withTemporaryHome((home) => askAll(home, dialogue))));
  return answers;
}

async function askAll(home: string, { name, turns, questions, askedAt }: Dialogue): Promise<Answered[]> {
  const { memory, close } = openMemory(home, { now: () => Date.parse(askedAt) });
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
