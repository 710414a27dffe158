// What a person gets from memory: is the message that answers a question in what is recalled for it, or in one search with the question's
// words? Over conversations in three languages (memory-set/), in a new session, so that nothing of the conversation is in the history. The
// figures are those of the held-out half; the development half is printed beside them.
import { join } from 'node:path';
import type { Memory } from '../src/memory/memory.ts';
import { rememberTurns } from '../src/memory/remember-turns.ts';
import { readerWithin } from '../src/vocabulary/memory-scope.ts';
import { createNotes } from './archive-notes.ts';
import type { Bench, Figure, Scale } from './bench.ts';
import { withTemporaryHome } from './commands.ts';
import { conversationsOf, type Half, type QuestionKind, type SetConversation } from './memory-set/conversations.ts';
import { openMemory, openSharedMemory } from './open-memory.ts';
import { runNode } from './processes.ts';

const LENGTHS = [200, 400, 700];
const EVIDENCE_LIMIT = 10;
const RECALL_LIMIT_MS = 15;
const NOTES = 100_000;
const SEED = 1;
const STRANGERS_ASK = 1_000;
const SMALL_TALK = [
  'hello, how are you today?',
  'thanks, that was great!',
  '你好，最近怎么样？',
  'Привет! Как дела?',
  'ok',
  'good morning',
];

export const memoryRecall: Bench = {
  name: 'memory-recall',
  async run(scale) {
    const lengths = scale === 'full' ? LENGTHS : [60];
    const figures: Figure[] = [];
    for (const turns of lengths) figures.push(await evidence(turns));
    figures.push(await strangers(scale), await cost(scale));
    return figures;
  },
};

interface Tally {
  asked: number;
  recalled: number;
  /** Recalled, or found by one search. */
  reached: number;
  byKind: Map<QuestionKind, { asked: number; reached: number; recalled: number }>;
  smallTalk: number;
}

async function evidence(turns: number): Promise<Figure> {
  const [held, dev] = [await tally('held', turns), await tally('dev', turns)];
  const percent = (count: number, of: number): string => `${Math.round((100 * count) / of)} %`;
  const kinds = [...held.byKind].map(([kind, { asked, reached }]) => `${kind} ${reached}/${asked}`).join(', ');
  return {
    name: `${turns} turns: questions without evidence`,
    value: 100 - (100 * held.reached) / held.asked,
    unit: '%',
    limit: EVIDENCE_LIMIT,
    detail: `held out: ${kinds}; recalled alone ${percent(held.recalled, held.asked)}; development ${percent(dev.reached, dev.asked)}, recalled alone ${percent(dev.recalled, dev.asked)}; small talk recalled ${held.smallTalk + dev.smallTalk} times`,
  };
}

async function tally(half: Half, turns: number): Promise<Tally> {
  const total: Tally = {
    asked: 0,
    recalled: 0,
    reached: 0,

    byKind: new Map(),

    smallTalk: 0,
  };
  for (const conversation of conversationsOf(half, turns))
    await withTemporaryHome((home) => askAll(home, conversation, total));
  return total;
}

async function askAll(home: string, conversation: SetConversation, total: Tally): Promise<void> {
  const { memory, close } = openMemory(home, { now: () => Date.parse(conversation.askedAt) });
  try {
    await remember(memory, conversation);
    for (const { kind, question, answer } of conversation.questions) {
      const recall = await memory.recall({ question });
      const found = await memory.search(question);
      const isRecalled = recall?.text.includes(answer) ?? false;
      const isReached = isRecalled || found.results.some(({ text }) => text.includes(answer));
      const ofKind = total.byKind.get(kind) ?? { asked: 0, reached: 0, recalled: 0 };
      total.byKind.set(kind, ofKind);
      total.asked += 1;
      ofKind.asked += 1;
      total.recalled += Number(isRecalled);
      ofKind.recalled += Number(isRecalled);
      total.reached += Number(isReached);
      ofKind.reached += Number(isReached);
    }
    for (const text of SMALL_TALK) total.smallTalk += (await memory.recall({ question: text })) ? 1 : 0;
  } finally {
    close();
  }
}

async function remember(memory: Memory, { messages, name }: SetConversation): Promise<void> {
  const bySession = Map.groupBy(messages, ({ sessionId }) => sessionId);
  for (const [sessionId, turns] of bySession)
    await rememberTurns(memory, { sessionKey: name, sessionId, tainted: false }, turns);
}

/** People who are not the owner ask about everything that the owner said. */
async function strangers(scale: Scale): Promise<Figure> {
  const wanted = scale === 'full' ? STRANGERS_ASK : 50;
  return withTemporaryHome(async (home) => {
    const { shared, close } = openSharedMemory(home);
    try {
      const conversations = [...conversationsOf('held', 200), ...conversationsOf('dev', 200)];
      for (const conversation of conversations)
        await remember(shared.as({ scope: 'owner', sees: 'everything' }), conversation);
      const questions = conversations.flatMap(({ questions: asked }) => asked);
      let seen = 0;
      for (let asked = 0; asked < wanted; asked += 1) {
        const stranger = shared.as(readerWithin(`person:telegram:${asked % 50}`));
        const question = questions[asked % questions.length]?.question ?? '';
        if (asked < 50) await stranger.save({ content: `what I asked: ${question}`, source: 'session:telegram' });
        const recall = await stranger.recall({ question });
        const isOwners = recall?.items.some(({ scope }) => scope === 'owner') ?? false;
        const { results } = await stranger.search(question);
        if (isOwners || results.some(({ scope }) => scope === 'owner')) seen += 1;
      }
      return {
        name: 'strangers who see something',
        value: seen,
        unit: `of ${wanted}`,
        limit: 0,
        detail: `${questions.length} questions`,
      };
    } finally {
      close();
    }
  });
}

/** Warm, as in a chat or the gateway, in a process that does nothing else. */
async function cost(scale: Scale): Promise<Figure> {
  const size = scale === 'full' ? NOTES : 2_000;
  const batch = 1_000;
  return withTemporaryHome(async (home) => {
    const notes = createNotes(SEED);
    const { memory, close } = openMemory(home);
    for (let saved = 0; saved < size; saved += batch)
      await memory.saveAll(Array.from({ length: batch }, () => ({ content: notes.note() })));
    close();
    const worker = join(import.meta.dirname, 'memory-recall-worker.ts');
    const said = await runNode(worker, home, String(SEED), scale === 'full' ? '300' : '20');
    const { recall, search, clock } = JSON.parse(said) as Record<'recall' | 'search' | 'clock', number[]>;
    const p95 = (values: number[]): number =>
      values.sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;
    return {
      name: `${size.toLocaleString('en')} notes: recall p95`,
      value: p95(recall),
      unit: 'ms of processor time',
      limit: RECALL_LIMIT_MS,
      detail: `${p95(clock).toFixed(1)} ms on the clock; a search ${p95(search).toFixed(1)} ms of processor time`,
    };
  });
}
