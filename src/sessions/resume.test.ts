// What a process keeps of a conversation between its turns, against what another process reads from the transcript.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import type { Storage, Transcript } from '../storage/storage.ts';
import { LEAST_MESSAGES } from './conversation.ts';
import { createSessions, type Sessions } from './sessions.ts';
import type { Turn } from './turn.ts';

let home: string;
let storage: Storage;
let sessions: Sessions;
/** How often a transcript was read. */
let readings: number;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lainclaw-resume-'));
  storage = createLocalStorage({ home, now: Date.now });
  readings = 0;
  sessions = sessionsOn();
});
afterEach(async () => {
  await storage.close();
  rmSync(home, { recursive: true, force: true });
});

let ids = 0;
const newId = (prefix: string): string => {
  ids += 1;
  return `${prefix}-${ids}`;
};

/** As another process has them: it knows nothing yet. */
function sessionsOn(): Sessions {
  const open = async (...args: Parameters<Storage['transcripts']['open']>): Promise<Transcript> => {
    const transcript = await storage.transcripts.open(...args);
    const newestFirst = (): ReturnType<Transcript['newestFirst']> => {
      readings += 1;
      return transcript.newestFirst();
    };
    return { ...transcript, newestFirst };
  };
  return createSessions({ ...storage, transcripts: { ...storage.transcripts, open }, now: Date.now, newId });
}

const begin = (sessionKey: string, historyCharacters: number, service = sessions): Promise<Turn> =>
  service.begin({ sessionKey, newSession: false, historyCharacters, state: {}, signal: new AbortController().signal });

interface Before {
  history: unknown;
  taintedBy: readonly string[];
  messageCount: number;
}

function before({ history: { turns, ...history }, taintedBy, messageCount }: Turn): Before {
  // Turns are counted from the first that was read.
  const uncounted = turns.map(({ number: _number, ...turn }) => turn);
  return { history: { ...history, turns: uncounted }, taintedBy, messageCount: messageCount() };
}

async function look(sessionKey: string, characters: number, service: Sessions): Promise<Before> {
  const turn = await begin(sessionKey, characters, service);
  const found = before(turn);
  await turn.close();
  return found;
}

const call = fc.record({
  args: fc.object({ maxDepth: 1 }),
  text: fc.string({ maxLength: 30 }),
  tainted: fc.boolean(),
  isAnswered: fc.boolean(),
});
const step = fc.record({
  input: fc.string({ maxLength: 30 }),
  answer: fc.option(fc.string({ maxLength: 60 }), { nil: undefined }),
  tainted: fc.boolean(),
  calls: fc.array(call, { maxLength: 2 }),
  /** Cut short, as by a kill. */
  isCut: fc.nat(9).map((number) => number === 0),
  isSummarised: fc.nat(9).map((number) => number === 0),
  isRefused: fc.nat(9).map((number) => number === 0),
  isSteered: fc.boolean(),
  isCompacted: fc.nat(9).map((number) => number === 0),
});

async function converse(
  turn: Turn,
  said: typeof step extends fc.Arbitrary<infer Value> ? Value : never,
): Promise<void> {
  await turn.start(said.input, { ...(said.tainted && { taintedBy: ['message'] }) });
  for (const { args, text, tainted, isAnswered } of said.calls) {
    const id = newId('call');
    await turn.stepAnswered({ text, native: { undefined: undefined, text } });
    await turn.callStarts({ id, name: 'tool', args, source: 'model' }, 'read');
    if (isAnswered) await turn.callEnded({ callId: id, ok: true, text, ...(tainted && { meta: { tainted } }) });
    Object.assign(args, { changed: 'afterwards' });
  }
  if (said.isSteered) await turn.steered('and this', { attached: [said.input, 'a file'], pictures: [] });
  if (said.isRefused) await turn.recordRefusal({ reason: 'empty', keptFrom: turn.id, sentTokens: 10 });
  if (said.isSummarised)
    await turn.recordSummary({
      fromMessage: 1,
      throughMessage: turn.messageCount() - 1,
      summary: 'before',
      by: 'model',
    });
  if (!said.isCut) await turn.end({ outcome: 'answered', text: said.answer, route: 'stub', stage: 'answered' });
  if (said.isCompacted && !said.isCut) await turn.recordCompaction(turn.messageCount());
}

describe('conversations that are too much together', () => {
  /** Each has a tenth more than its share of what a process keeps. */
  const CHATS = 10;
  const LARGE = 'x'.repeat(880_000);
  async function say(key: string, text: string): Promise<void> {
    const turn = await begin(key, 4_000_000);
    await turn.start(text);
    await turn.end({ outcome: 'answered', text: 'yes', route: 'stub', stage: 'answered' });
    await turn.close();
  }

  it('take turns, and most of their turns read nothing again', async () => {
    for (let chat = 0; chat < CHATS; chat += 1) await say(`chat-${chat}`, LARGE);
    for (let turn = 0; turn < 3 * CHATS; turn += 1) await say(`chat-${turn % CHATS}`, 'and?');
    readings = 0;
    const turns = 10 * CHATS;
    for (let turn = 0; turn < turns; turn += 1) await say(`chat-${turn % CHATS}`, 'and?');
    expect(readings).toBeGreaterThan(0);
    expect(readings).toBeLessThan(turns / 2);
  });

  it('and one that is too large alone is not kept', async () => {
    await say('small', 'hello');
    await say('large', 'x'.repeat(9_000_000));
    readings = 0;
    await say('large', 'and?');
    expect(readings).toBe(1);
  });

  it.each([
    [
      'whose messages to a running turn brought too much',
      (turn: Turn, text: string) => turn.steered('look', { attached: [text], pictures: [] }),
    ],
    [
      'whose answers hold too much for the provider',
      (turn: Turn, text: string) => turn.stepAnswered({ text: '', native: { encrypted: text } }),
    ],
  ])('nor one %s', async (_what, happens) => {
    const turn = await begin('main', 4_000_000);
    await turn.start('hello');
    await turn.stepAnswered({ text: '' });
    await happens(turn, 'x'.repeat(9_000_000));
    await turn.end({ outcome: 'answered', text: 'yes', route: 'stub', stage: 'answered' });
    await turn.close();
    readings = 0;
    await say('main', 'and?');
    expect(readings).toBe(1);
  });
});

describe('a conversation that is kept', () => {
  it('is what would be read, whatever was said and done', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), fc.nat(300), async (steps, characters) => {
        run += 1;
        const key = `main-${run}`;
        for (const one of steps) {
          const expected = await look(key, characters, sessionsOn());
          const turn = await begin(key, characters);
          expect(before(turn)).toEqual(expected);
          await converse(turn, one);
          await turn.close();
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is not read again, and costs no more in a long conversation', async () => {
    const characters = 1_000;
    const lengths: number[] = [];
    for (let index = 0; index < 60; index += 1) {
      const turn = await begin('main', characters);
      lengths.push(turn.history.turns.length);
      await turn.start('x'.repeat(50));
      await turn.end({ outcome: 'answered', text: 'y'.repeat(50), route: 'stub', stage: 'answered' });
      await turn.close();
    }
    expect(readings).toBe(1);
    expect(Math.max(...lengths)).toBe(10);
    expect(lengths.at(-1)).toBeGreaterThanOrEqual(LEAST_MESSAGES / 2);
  });

  it('is read again after another process has asked', async () => {
    const another = sessionsOn();
    for (const [index, service] of [sessions, another, sessions, another].entries()) {
      const turn = await begin('main', 1_000, service);
      expect(turn.history.turns.length).toBe(index);
      await turn.start('hello');
      await turn.end({ outcome: 'answered', text: 'hi', route: 'stub', stage: 'answered' });
      await turn.close();
    }
  });

  it('is read again after somebody has edited the transcript, even at the same length and time', async () => {
    const first = await begin('main', 1_000);
    await first.start('hello');
    await first.end({ outcome: 'answered', text: 'hi', route: 'stub', stage: 'answered' });
    await first.close();
    const path = join(home, 'sessions', `${first.entry.sessionId}.jsonl`);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replaceAll('hello', 'howdy'));
    utimesSync(path, 1, 1);
    const second = await begin('main', 1_000);
    expect(second.history.turns[0]?.messages[0]?.content).toBe('howdy');
    await second.close();
  });

  it('is read again once it was forgotten', async () => {
    const first = await begin('main', 1_000);
    await first.start('hello');
    await first.end({ outcome: 'answered', text: 'hi', route: 'stub', stage: 'answered' });
    await first.close();
    sessions.forget(first.entry.sessionId);
    const second = await begin('main', 1_000);
    expect([readings, second.history.turns.length]).toEqual([2, 1]);
    await second.close();
  });

  it('holds nothing of a turn during which somebody else wrote', async () => {
    const turn = await begin('main', 1_000);
    await turn.start('hello');
    const path = join(home, 'sessions', `${turn.entry.sessionId}.jsonl`);
    await turn.end({ outcome: 'answered', text: 'hi', route: 'stub', stage: 'answered' });
    const message = { id: 'm', role: 'user', timestamp: '', content: 'by hand', route: '', stage: '' };
    appendFileSync(path, `${JSON.stringify({ type: 'message', message })}\n`);
    await turn.close();
    const next = await begin('main', 1_000);
    expect(next.history.turns.flatMap(({ messages }) => messages.map(({ content }) => content))).toEqual([
      'hello',
      'hi',
      'by hand',
    ]);
    await next.close();
  });
});
