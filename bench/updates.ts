// What changed in a person's life: is the present fact found first, and the past one when the past is asked about? A conversation of some hundred turns in each of three languages, archived turn by
// turn, with the facts that a model would extract kept as updates of each other; then each question through the same search as everyone's. The halves of the
// set are in different homes: only the held one is reported with a limit.
import { newId } from '../src/lib/new-id.ts';
import type { SharedMemory } from '../src/memory/memory.ts';
import { rememberTurns } from '../src/memory/remember-turns.ts';
import { OWNER } from '../src/vocabulary/memory-scope.ts';
import type { Bench, Figure } from './bench.ts';
import { withTemporaryHome } from './commands.ts';
import { openSharedMemory } from './open-memory.ts';
import { CHINESE } from './update-set/chinese.ts';
import { ENGLISH } from './update-set/english.ts';
import { RUSSIAN } from './update-set/russian.ts';
import type { Update, UpdateSet } from './update-set/update-set.ts';

const DAY_MS = 24 * 60 * 60_000;
const BEGINS = Date.UTC(2026, 0, 5, 9);
const TURNS_BETWEEN = 6;
/** Misses, so that less is better like in every other figure. */
const MOST_MISSED_NOW = 0.05;
const MOST_MISSED_PAST = 0.1;

export const updates: Bench = {
  name: 'updates',
  async run(scale) {
    const figures: Figure[] = [];
    for (const half of scale === 'full' ? (['development', 'held'] as const) : (['held'] as const)) {
      const results: Missed[] = [];
      for (const set of [ENGLISH, CHINESE, RUSSIAN]) results.push(...(await ask(set, half)));
      const limits = half === 'held' ? [MOST_MISSED_NOW, MOST_MISSED_PAST] : [1, 1];
      figures.push(
        figureOf(`${half}: present fact first`, results, 'now', limits[0] ?? 1),
        figureOf(`${half}: past fact first, asked about`, results, 'past', limits[1] ?? 1),
      );
    }
    return figures;
  },
};

interface Missed {
  now: string | undefined;
  past: string | undefined;
}

function figureOf(name: string, results: readonly Missed[], which: keyof Missed, limit: number): Figure {
  const missed = results.flatMap((result) => result[which] ?? []);
  const found = results.length - missed.length;
  // A person who sees what was missed begins to tune for it.
  const shown = limit === 1 && missed.length > 0 ? `; missed: ${missed.join(' | ')}` : '';
  const detail = `${found} of ${results.length}${shown}`;
  return { name, value: missed.length / results.length, unit: 'missed', limit, detail };
}

async function ask({ chatter, ...halves }: UpdateSet, half: 'development' | 'held'): Promise<Missed[]> {
  return withTemporaryHome(async (home) => {
    const { shared: memory, close } = openSharedMemory(home, { now: () => BEGINS + 90 * DAY_MS });
    try {
      await live(memory, halves[half], chatter);
      const results: Missed[] = [];
      for (const update of halves[half]) {
        const first = async (question: string): Promise<string> =>
          (await memory.as(OWNER).search(question)).results[0]?.text ?? '';
        const { now, then, newFact, oldFact, askedNow, askedPast } = update;
        const [present, past] = [await first(askedNow), await first(askedPast)];
        results.push({
          now: [now, newFact].includes(present) ? undefined : `${askedNow} → ${present}`,
          past: [then, oldFact].includes(past) ? undefined : `${askedPast} → ${past}`,
        });
      }
      return results;
    } finally {
      close();
    }
  });
}

/** First everything as it was, then what changed, with other talk between: a session a day. */
async function live(memory: SharedMemory, updates: readonly Update[], chatter: readonly string[]): Promise<void> {
  let spoken = 0;
  let day = 0;
  const known = new Map<string, string>();
  const say = async (text: string, sessionId: string): Promise<{ turnId: string; messageId: string }> => {
    const turnId = newId('turn');
    const messageId = newId('msg');
    const timestamp = new Date(BEGINS + day * DAY_MS + spoken * 60_000).toISOString();
    const messages = [
      { id: messageId, role: 'user' as const, content: text, timestamp },
      { id: newId('msg'), role: 'assistant' as const, content: 'Noted.', timestamp },
    ];
    await rememberTurns(memory.as(OWNER), { sessionKey: 'main', sessionId, tainted: false }, messages);
    spoken += 1;
    return { turnId, messageId };
  };
  const keep = async (
    { turnId, messageId }: { turnId: string; messageId: string },
    sessionId: string,
    { topic, text, replaces }: { topic: string; text: string; replaces?: string },
  ): Promise<void> => {
    const conversation = { sessionId, sessionKey: 'main', scope: 'owner' as const, tainted: false, turnIds: [turnId] };
    const saidAt = new Date(BEGINS + day * DAY_MS).toISOString();
    await memory.facts.wait({ ...conversation, turnId, endedAt: Date.parse(saidAt) });
    const id = replaces === undefined ? undefined : known.get(replaces);
    const facts = [
      {
        text,
        topic,
        kind: 'fact' as const,
        turnId,
        messageId,
        saidAt,
        ...(id === undefined ? { relation: 'new' as const } : { relation: 'update' as const, of: { known: id } }),
      },
    ];
    const kept = await memory.facts.keep({ conversation, facts, known: await memory.facts.valid(OWNER, 1_000) });
    known.set(text, kept?.ids[0] ?? '');
  };
  for (const isLater of [false, true]) {
    for (const { topic, then, now, oldFact, newFact } of updates) {
      day += 1;
      const sessionId = newId('session');
      for (let turn = 0; turn < TURNS_BETWEEN; turn += 1)
        await say(chatter[(spoken * 7) % chatter.length] ?? '', sessionId);
      const said = await say(isLater ? now : then, sessionId);
      const fact = isLater ? { topic, text: newFact, replaces: oldFact } : { topic, text: oldFact };
      await keep(said, sessionId, fact);
    }
  }
}
