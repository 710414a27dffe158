// Does the archive find long technical texts at least as well as plain BM25 over whole texts, with the same words? The texts are this project's own documentation
// in pieces of some hundred words; a question is a sentence that was taken out of one of them, so that it has many words and
// the text repeats some of them. Where the data of `retrieval` is there, also two paragraphs of an article as one text, in three languages.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createAnalyser } from '../src/memory/analysis/analyser.ts';
import type { Memory } from '../src/memory/memory.ts';
import type { Bench, Figure, Scale } from './bench.ts';
import { withTemporaryHome } from './commands.ts';
import { openMemory } from './open-memory.ts';
import { type PlainSearch, plainSearch } from './plain-bm25.ts';

const DOCS = resolve('docs');
const DATA = resolve('../shared/data/retrieval');
const LANGUAGES = ['en', 'zh', 'ru'];
const AT = 10;
const FEWEST_WORDS = 250;
const SENTENCE_WORDS = { fewest: 8, most: 30 };
const QUESTIONS_OF_A_TEXT = 2;
const QUICK_QUESTIONS = 20;

interface Text {
  id: string;
  text: string;
}

interface Question {
  question: string;
  /** The id of the text that answers it. */
  answer: string;
}

interface Collection {
  name: string;
  texts: Text[];
  questions: Question[];
}

export const longTexts: Bench = {
  name: 'long-texts',
  async run(scale) {
    const collections = [documentation(), ...(existsSync(DATA) ? LANGUAGES.map((language) => articles(language)) : [])];
    const figures: Figure[] = [];
    for (const collection of collections) figures.push(await figureOf(collection, scale));
    return figures;
  },
};

async function figureOf({ name, texts, questions: all }: Collection, scale: Scale): Promise<Figure> {
  return withTemporaryHome(async (home) => {
    const { memory, close } = openMemory(home);
    try {
      await memory.saveAll(texts.map(({ id, text }) => ({ content: text, source: id })));
      const questions = all.slice(0, scale === 'full' ? undefined : QUICK_QUESTIONS);
      const ours = await meanReciprocalRank(questions, (question) => sourcesOf(memory, question));
      const plain = await best(questions, plainSearch(texts, createAnalyser()));
      return {
        name: `${name}: plain BM25 is better by`,
        value: 100 * (plain - ours),
        unit: 'points of MRR@10',
        limit: 0,
        detail: `MRR@${AT} ${ours.toFixed(4)}, plain ${plain.toFixed(4)}, ${questions.length} questions over ${texts.length} texts`,
      };
    } finally {
      close();
    }
  });
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

function documentation(): Collection {
  const pages = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  const pieces = pages.sort().flatMap((path) => piecesOf(readFileSync(join(DOCS, path), 'utf8'), path));
  const questions: Question[] = [];
  const texts = pieces.map(({ id, text }) => {
    const sentences = text.split(/(?<=[.!?:])\s+/).filter(isQuestion);
    const every = sentences.length / (QUESTIONS_OF_A_TEXT + 1);
    let rest = text;
    for (let index = 1; every >= 1 && index <= QUESTIONS_OF_A_TEXT; index += 1) {
      const question = sentences[Math.floor(index * every)] ?? '';
      rest = rest.replace(question, '');
      questions.push({ question, answer: id });
    }
    return { id, text: rest };
  });
  return { name: 'documentation', texts, questions };
}

/** The prose of a page, without tables, code and headings, in pieces of at least so many words. */
function piecesOf(page: string, path: string): Text[] {
  const paragraphs = page
    .replace(/^```[\s\S]*?^```/gm, '')
    .split(/\n{2,}/)
    .filter((paragraph) => !/^\s*[|#]/.test(paragraph));
  const pieces: Text[] = [];
  let open: string[] = [];
  for (const paragraph of paragraphs) {
    open.push(paragraph.trim());
    if (wordsOf(open.join(' ')) < FEWEST_WORDS) continue;
    pieces.push({ id: `${path} ${pieces.length}`, text: open.join('\n\n') });
    open = [];
  }
  return pieces;
}

function isQuestion(sentence: string): boolean {
  const words = wordsOf(sentence);
  return words >= SENTENCE_WORDS.fewest && words <= SENTENCE_WORDS.most;
}

function wordsOf(text: string): number {
  return text.split(/\s+/).length;
}

/** Two paragraphs of an article as one text. */
function articles(language: string): Collection {
  const paragraphs = read<{ id: string; t: string; title: string }>(`xquad-${language}.docs.jsonl`);
  const texts: Text[] = [];
  const textOf = new Map<string, string>();
  for (const [title, all] of Map.groupBy(paragraphs, (paragraph) => paragraph.title)) {
    for (let first = 0; first < all.length; first += 2) {
      const pair = all.slice(first, first + 2);
      const id = `${title} ${first}`;
      texts.push({ id, text: pair.map(({ t }) => t).join('\n\n') });
      for (const paragraph of pair) textOf.set(paragraph.id, id);
    }
  }
  const questions = read<{ t: string; rel: string[] }>(`xquad-${language}.q.jsonl`).map(({ t, rel }) => ({
    question: t,
    answer: textOf.get(rel[0] ?? '') ?? '',
  }));
  return { name: `articles in ${language}`, texts, questions };
}

function read<T>(name: string): T[] {
  return readFileSync(join(DATA, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}
