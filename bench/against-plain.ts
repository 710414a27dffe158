// The archive's search without a model beside plain BM25 (plain-bm25.ts): how much better plain BM25 is over the same texts, with the same words.
import { createAnalyser } from '../src/memory/analysis/analyser.ts';
import type { Memory } from '../src/memory/memory.ts';
import type { Figure, Scale } from './bench.ts';
import { withTemporaryHome } from './commands.ts';
import { openMemory } from './open-memory.ts';
import { type PlainSearch, plainSearch } from './plain-bm25.ts';

const AT = 10;
const QUICK_QUESTIONS = 20;

export interface Text {
  id: string;
  title?: string;
  text: string;
}

export interface Question {
  question: string;
  /** The id of the text that answers it. */
  answer: string;
}

export interface Collection {
  name: string;
  texts: Text[];
  questions: Question[];
}

export interface Compared {
  /** Mean reciprocal rank of the archive's search. */
  ours: number;
  /** That of the usual setting that does best here. */
  plain: number;
  questions: number;
}

export async function figureAgainstPlain(collection: Collection, scale: Scale): Promise<Figure> {
  const { ours, plain, questions } = await compareWithPlain(collection, scale);
  return {
    name: `${collection.name}: plain BM25 is better by`,
    value: 100 * (plain - ours),
    unit: `points of MRR@${AT}`,
    limit: 0,
    detail: `MRR@${AT} ${ours.toFixed(4)}, plain ${plain.toFixed(4)}, ${questions} questions over ${collection.texts.length} texts`,
  };
}

export async function compareWithPlain({ texts, questions: all }: Collection, scale: Scale): Promise<Compared> {
  return withTemporaryHome(async (home) => {
    const { memory, close } = openMemory(home);
    try {
      await memory.saveAll(texts.map(({ id, text, title }) => ({ content: text, title, source: id })));
      const questions = all.slice(0, scale === 'full' ? undefined : QUICK_QUESTIONS);
      const ours = await meanReciprocalRank(questions, (question) => sourcesOf(memory, question));
      const plain = await best(questions, plainSearch(texts.map(wholeOf), createAnalyser()));
      return { ours, plain, questions: questions.length };
    } finally {
      close();
    }
  });
}

function wholeOf({ id, title, text }: Text): { id: string; text: string } {
  return { id, text: title === undefined ? text : `${title}\n\n${text}` };
}

/** Of the usual settings, the one that does best here. */
async function best(questions: readonly Question[], plain: readonly PlainSearch[]): Promise<number> {
  const reached: number[] = [];
  for (const search of plain)
    reached.push(await meanReciprocalRank(questions, async (question) => search(question, AT)));
  return Math.max(...reached);
}

async function meanReciprocalRank(
  questions: readonly Question[],
  search: (question: string) => Promise<string[]>,
): Promise<number> {
  let sum = 0;
  for (const { question, answer } of questions) {
    const place = (await search(question)).slice(0, AT).indexOf(answer);
    if (place >= 0) sum += 1 / (place + 1);
  }
  return sum / questions.length;
}

async function sourcesOf(memory: Memory, question: string): Promise<string[]> {
  const { results } = await memory.search(question, { topK: 3 * AT, budget: 1_000_000 });
  return [...new Set(results.map(({ source }) => source))];
}
