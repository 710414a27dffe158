// Long dialogues of two people, from the files beside this one. The same file gives the same dialogue. README.md says what the lines mean.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../test/support/random.ts';
import type { Half } from '../memory-set/conversations.ts';
import { type Exchange, readFiller } from '../memory-set/filler.ts';

const FOLDER = import.meta.dirname;
const MINUTE_MS = 60_000;
/** Conversations of small talk after each one of the file, */
const FILLER_SESSIONS = 3;
/** and how many times somebody says something and is answered in each. */
const FILLER_EXCHANGES = 8;

export type DialogueQuestionKind = 'single' | 'multi' | 'time' | 'open';

export interface DialogueTurn {
  /** Unique in the dialogue. */
  id: string;
  speaker: string;
  text: string;
  /** ISO 8601. */
  date: string;
  session: string;
}

export interface DialogueQuestion {
  kind: DialogueQuestionKind;
  question: string;
  /** Ids of the turns that answer it. */
  evidence: string[];
}

export interface Dialogue {
  name: string;
  turns: DialogueTurn[];
  questions: DialogueQuestion[];
  /** ISO 8601: when the questions are asked. */
  askedAt: string;
}

interface Session {
  start: number;
  turns: { id?: string; speaker: string; text: string }[];
}

export function dialoguesOf(half: Half): Dialogue[] {
  return readdirSync(FOLDER)
    .filter((name) => name.startsWith(`${half}-`) && name.endsWith('.txt'))
    .sort()
    .map((name, index) => dialogue(name, index + 1));
}

function dialogue(file: string, seed: number): Dialogue {
  const lines = readFileSync(join(FOLDER, file), 'utf8').split('\n');
  const written = sessionsOf(lines);
  const speakers = [...new Set(written.flatMap(({ turns }) => turns.map(({ speaker }) => speaker)))];
  const smallTalk = readFiller(join(FOLDER, 'filler.txt'), seededRandom(seed * 104_729));
  const sessions = written.flatMap((session, index) => {
    const next = written[index + 1]?.start ?? session.start + 28 * 1_440 * MINUTE_MS;
    return [session, ...fillerAfter(session.start, next)];
  });
  const turns = sessions.flatMap(({ start, turns: said }, session) =>
    said.map(({ id, speaker, text }, place) => ({
      id: id ?? `${session}-${place}`,
      speaker,
      text,
      date: new Date(start + place * MINUTE_MS).toISOString(),
      session: `${file}-${session}`,
    })),
  );
  const last = sessions.at(-1)?.start ?? 0;
  return {
    name: file,
    turns,
    questions: lines.filter((line) => line.startsWith('?')).map(questionOf),
    askedAt: new Date(last + 1_440 * MINUTE_MS).toISOString(),
  };

  function fillerAfter(start: number, next: number): Session[] {
    return Array.from({ length: FILLER_SESSIONS }, (_, index) => ({
      start: start + ((next - start) * (index + 1)) / (FILLER_SESSIONS + 1),
      turns: Array.from({ length: FILLER_EXCHANGES }, () =>
        exchangeOf(smallTalk(), index % 2 === 0 ? speakers : speakers.toReversed()),
      ).flat(),
    }));
  }

  function exchangeOf({ say, reply }: Exchange, [first = '', second = '']: readonly string[]): Session['turns'] {
    const named = (text: string): string => text.replaceAll('{other}', second).replaceAll('{name2}', first);
    return [
      { speaker: first, text: named(say) },
      { speaker: second, text: named(reply) },
    ];
  }
}

function sessionsOf(lines: readonly string[]): Session[] {
  const sessions: Session[] = [];
  for (const line of lines) {
    if (line.startsWith('= ')) sessions.push({ start: Date.parse(`${line.slice(2).replace(' ', 'T')}Z`), turns: [] });
    const [, id, speaker, text] = /^(?:(\w+) )?(\w+): (.*)$/.exec(line) ?? [];
    if (speaker !== undefined && text !== undefined) sessions.at(-1)?.turns.push({ id, speaker, text });
  }
  return sessions;
}

function questionOf(line: string): DialogueQuestion {
  const [kind = '', question = '', evidence = ''] = line
    .slice(1)
    .split('|')
    .map((field) => field.trim());
  return { kind: kind as DialogueQuestionKind, question, evidence: evidence.split(' ') };
}
