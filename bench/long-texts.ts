// Does the archive find long technical texts at least as well as plain BM25 over whole texts, with the same words? The texts are this project's own documentation
// in pieces of some hundred words; a question is a sentence that was taken out of one of them, so that it has many words and
// the text repeats some of them. Where the data of `retrieval` is there, also two paragraphs of an article as one text, in three languages.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Collection, figureAgainstPlain, type Question, type Text } from './against-plain.ts';
import type { Bench, Figure } from './bench.ts';

const DOCS = resolve('docs');
const DATA = resolve('../shared/data/retrieval');
const LANGUAGES = ['en', 'zh', 'ru'];
const FEWEST_WORDS = 250;
const SENTENCE_WORDS = { fewest: 8, most: 30 };
const QUESTIONS_OF_A_TEXT = 2;

export const longTexts: Bench = {
  name: 'long-texts',
  async run(scale) {
    const collections = [documentation(), ...(existsSync(DATA) ? LANGUAGES.map((language) => articles(language)) : [])];
    const figures: Figure[] = [];
    for (const collection of collections) figures.push(await figureAgainstPlain(collection, scale));
    return figures;
  },
};

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
