// Conversations of any length from the set beside this file: what is asked about later is spread evenly over small talk. The same seed
// and length give the same conversation. README.md says what the lines mean.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../test/support/random.ts';
import { type Exchange, readFiller } from './filler.ts';

const FOLDER = import.meta.dirname;
const START = Date.UTC(2026, 0, 5, 8);
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** A new session begins each day. */
const TURNS_OF_A_DAY = 12;

export type Half = 'dev' | 'held';
export type QuestionKind = 'plain' | 'lead' | 'present' | 'past' | 'date';
export type SetLanguage = 'en' | 'zh' | 'ru';

export interface SaidMessage {
  id: string;
  role: 'user' | 'assistant';
  content: string;
  /** ISO 8601. */
  timestamp: string;
  sessionId: string;
}

export interface SetQuestion {
  kind: QuestionKind;
  question: string;
  /** Words of the message that answers it. */
  answer: string;
  /** Of a question about a change: the words that would be the wrong answer. */
  insteadOf?: string;
}

export interface SetConversation {
  name: string;
  language: SetLanguage;
  messages: SaidMessage[];
  questions: SetQuestion[];
  /** ISO 8601: when the questions are asked. */
  askedAt: string;
}

/** Exchanges that follow each other directly, and questions about them once their date is known. */
interface Piece {
  exchanges: Exchange[];
  questions(saidAt: number, askedAt: number): SetQuestion[];
}

export function conversationsOf(half: Half, turns: number): SetConversation[] {
  return readdirSync(FOLDER)
    .filter((name) => name.startsWith(`${half}-`) && name.endsWith('.txt'))
    .sort()
    .map((name, index) => conversation(name, turns, index + 1));
}

function conversation(file: string, turns: number, seed: number): SetConversation {
  const [, language] = file.split('-') as [string, SetLanguage];
  const random = seededRandom(seed * 7_919 + turns);
  const pieces = linesOf(file).flatMap((line) => piecesOf(line, language));
  const small = readFiller(join(FOLDER, `filler-${language}.txt`), random);
  // What is said later comes in the second half, so that there is a before.
  const order = [
    ...shuffled(pieces.map(({ first }) => first)),
    ...shuffled(pieces.flatMap(({ later }) => later ?? [])),
  ];
  const every = Math.floor(turns / (order.length + 1));
  const messages: SaidMessage[] = [];
  const placed: { piece: Piece; saidAt: number }[] = [];
  let turn = 0;
  const timeOf = (of: number): number =>
    START + Math.floor(of / TURNS_OF_A_DAY) * DAY_MS + (of % TURNS_OF_A_DAY) * 20 * MINUTE_MS;
  const add = ({ say, reply }: Exchange): void => {
    const session = `session-${Math.floor(turn / TURNS_OF_A_DAY)}`;
    const said = (role: SaidMessage['role'], content: string, offset: number): SaidMessage => ({
      id: `${file}-${turn}-${role}`,
      role,
      content,
      timestamp: new Date(timeOf(turn) + offset).toISOString(),
      sessionId: `${file}-${session}`,
    });
    messages.push(said('user', say, 0), said('assistant', reply, MINUTE_MS));
    turn += 1;
  };
  for (const piece of order) {
    for (let filled = 0; filled < every; filled += 1) add(small());
    placed.push({ piece, saidAt: timeOf(turn) });
    piece.exchanges.forEach(add);
  }
  while (turn < turns) add(small());
  const askedAt = timeOf(turn) + DAY_MS;
  const questions = placed.flatMap(({ piece, saidAt }) => piece.questions(saidAt, askedAt));
  return { name: file, language, messages, questions, askedAt: new Date(askedAt).toISOString() };

  function shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, place: random() }))
      .sort((a, b) => a.place - b.place)
      .map(({ item }) => item);
  }
}

function piecesOf(line: string, language: SetLanguage): { first: Piece; later?: Piece }[] {
  const [kind, ...fields] = line.split('|');
  const [a = '', b = '', c = '', d = '', e = '', f = '', g = '', h = ''] = fields;
  switch (kind) {
    case 'plain':
      return [{ first: piece([{ say: a, reply: b }], () => [{ kind: 'plain', question: c, answer: d }]) }];
    case 'lead': {
      const exchanges = [
        { say: a, reply: b },
        { say: c, reply: d },
      ];
      return [{ first: piece(exchanges, () => [{ kind: 'lead', question: e, answer: f }]) }];
    }
    case 'change': {
      const now: SetQuestion = { kind: 'present', question: e, answer: f, insteadOf: h };
      const past: SetQuestion = { kind: 'past', question: g, answer: h, insteadOf: f };
      return [
        { first: piece([{ say: a, reply: b }], () => []), later: piece([{ say: c, reply: d }], () => [now, past]) },
      ];
    }
    case 'date': {
      const asked = (saidAt: number, askedAt: number): SetQuestion[] => [
        { kind: 'date', question: dated(c, saidAt, askedAt, language), answer: d },
      ];
      return [{ first: piece([{ say: a, reply: b }], asked) }];
    }
    default:
      throw new Error(`a line of the set is of no known kind: ${line}`);
  }
}

function piece(exchanges: Exchange[], questions: Piece['questions']): Piece {
  return { exchanges, questions };
}

function dated(question: string, saidAt: number, askedAt: number, language: SetLanguage): string {
  const weeks = Math.max(1, Math.round((askedAt - saidAt) / (7 * DAY_MS)));
  const said = new Date(saidAt);
  const day = said.getUTCDate();
  const month = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' }).format(said);
  const date = {
    en: `${day} ${month}`,
    zh: `${said.getUTCMonth() + 1}月${day}日`,
    // "марта", not "март".
    ru: new Intl.DateTimeFormat('ru', { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(said),
  }[language];
  const ago = {
    en: weeks === 1 ? 'a week ago' : `${weeks} weeks ago`,
    zh: `${weeks}周前`,
    ru: weeks === 1 ? 'неделю назад' : `${weeks} ${weeks < 5 ? 'недели' : 'недель'} назад`,
  }[language];
  return question.replace('{date}', date).replace('{ago}', ago);
}

function linesOf(file: string): string[] {
  return readFileSync(join(FOLDER, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
}
