// Does the archive find technical texts as long as an abstract (80 to 400 words, most in one chunk) at least as well as plain BM25 over whole texts? The texts
// are prose from the Markdown pages of this project and of the packages it is built with. Each gave away two sentences, and the questions are made
// of what it lost: the first sentence, another one with every third word missing, four words of that one, and the heading where it is not
// kept with the text. Texts belong to a development half or a held one by their hash; only the held one has limits.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { STOP_WORDS } from '../src/memory/analysis/stop-words.ts';
import { headingOf } from '../src/memory/chunk.ts';
import { type Collection, compareWithPlain, figureAgainstPlain, type Question, type Text } from './against-plain.ts';
import type { Bench, Figure } from './bench.ts';

const FOLDERS = ['docs', 'node_modules'];
/** Pages that say the same in every package, or list names. */
const NO_PROSE = /changelog|changes|history|release|license|security|contribut|code_of|\.zh/i;
const LENGTHS = [80, 150, 250, 400];
const SENTENCE_WORDS = { fewest: 8, most: 35 };
const FEWEST_SENTENCES = 4;
const FEWEST_WORDS_OF_TITLE = 3;
const KEYWORDS = 4;
const EVERY_THIRD = 3;

type Half = 'development' | 'held';

interface Piece extends Text {
  title: string;
  questions: string[];
}

export const technicalTexts: Bench = {
  name: 'technical-texts',
  async run(scale) {
    const pieces = piecesOfAll();
    const figures: Figure[] = [];
    for (const isTitled of [false, true]) {
      const figure = await figureAgainstPlain(collectionOf(pieces, 'held', isTitled), scale);
      if (scale === 'full') {
        const { ours, plain } = await compareWithPlain(collectionOf(pieces, 'development', isTitled), scale);
        figure.detail += `; development: ${ours.toFixed(4)}, plain ${plain.toFixed(4)}`;
      }
      figures.push(figure);
    }
    return figures;
  },
};

function collectionOf(all: readonly Piece[], half: Half, isTitled: boolean): Collection {
  const pieces = all.filter(({ id }) => (hashOf(id) % 2 === 0) === (half === 'development'));
  const questions = pieces.flatMap(({ id, title, questions }): Question[] => {
    const isTelling = !isTitled && wordsOf(title).length >= FEWEST_WORDS_OF_TITLE;
    return [...questions, ...(isTelling ? [title] : [])].map((question) => ({ question, answer: id }));
  });
  return {
    name: isTitled ? 'technical texts with titles' : 'technical texts',
    texts: pieces.map(({ id, text, title }) => (isTitled ? { id, text, title } : { id, text })),
    // In an order without meaning, so that a few questions are of every kind.
    questions: questions.toSorted((a, b) => hashOf(a.question) - hashOf(b.question)),
  };
}

function piecesOfAll(): Piece[] {
  const seen = new Set<string>();
  return FOLDERS.flatMap(pagesIn).flatMap((path) => piecesOf(path, seen));
}

function pagesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !NO_PROSE.test(path))
    .sort()
    .map((path) => join(folder, path));
}

/** The prose of a page in pieces of about the wanted length; paragraphs that another page had are left out. */
function piecesOf(path: string, seen: Set<string>): Piece[] {
  const pieces: Piece[] = [];
  let heading = '';
  let open: { title: string; paragraphs: string[] } = { title: '', paragraphs: [] };
  for (const paragraph of paragraphsOf(readFileSync(path, 'utf8'))) {
    heading = headingOf(paragraph)?.title ?? heading;
    const text = proseOf(paragraph);
    if (text === undefined || seen.has(text)) continue;
    seen.add(text);
    if (open.paragraphs.length === 0) open.title = plainOf(heading);
    open.paragraphs.push(text);
    const id = `${path} ${pieces.length}`;
    if (wordsOf(open.paragraphs.join(' ')).length < (LENGTHS[hashOf(`length of ${id}`) % LENGTHS.length] ?? 0))
      continue;
    pieces.push(withQuestions({ id, title: open.title, text: open.paragraphs.join('\n\n') }));
    open = { title: '', paragraphs: [] };
  }
  return pieces;
}

function paragraphsOf(page: string): string[] {
  return page
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .split(/\n{2,}|(?<=^#.*)\n/m)
    .map((paragraph) => paragraph.trim());
}

/** Undefined for headings, tables, badges and what is hardly a sentence. */
function proseOf(paragraph: string): string | undefined {
  if (/^[|#<!]/.test(paragraph) || wordsOf(paragraph).length < SENTENCE_WORDS.fewest) return undefined;
  return plainOf(paragraph);
}

/** Without pictures, addresses of links and tags. */
function plainOf(markdown: string): string {
  return markdown
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>/g, '');
}

/** Takes the sentences that become questions out of the text. */
function withQuestions(piece: Text & { title: string }): Piece {
  const sentences = piece.text.split(/(?<=[.!?:])\s+/);
  const [first = '', ...others] = sentences;
  const [other = ''] = others.filter(isQuestion).toSorted((a, b) => hashOf(a) - hashOf(b));
  if (sentences.length < FEWEST_SENTENCES || other === '') return { ...piece, questions: [] };
  const claim = wordsOf(other).filter((_, index) => index % EVERY_THIRD !== EVERY_THIRD - 1);
  const telling = wordsOf(other.replace(/[^\p{L}\p{N}\s-]/gu, ' ')).filter(
    (word) => !STOP_WORDS.has(word.toLowerCase()),
  );
  const keywords = telling.toSorted((a, b) => hashOf(a) - hashOf(b)).slice(0, KEYWORDS);
  const begins = isQuestion(first) ? [first] : [];
  const text = [...begins, other].reduce((rest, sentence) => rest.replace(sentence, ''), piece.text);
  return { ...piece, text, questions: [...begins, claim.join(' '), keywords.join(' ')] };
}

function isQuestion(sentence: string): boolean {
  const words = wordsOf(sentence).length;
  return words >= SENTENCE_WORDS.fewest && words <= SENTENCE_WORDS.most;
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function hashOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE();
}
