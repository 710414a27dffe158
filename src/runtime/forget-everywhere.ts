// Forgetting a text everywhere: in the archive and its facts, core memory and its history, conversations with their summaries and titles, undo, outputs, and what is queued or
// cached. What is to be forgotten is on record first (`forgetting.json`), so that the next command finishes what was killed; each step can be
// repeated. Facts go before the turns they were said in: these are found by the text. A conversation in use is finished when its turn has ended.
import { redactKeptMessages } from '../gateway/turns/kept-messages.ts';
import { redactCoreMemory } from '../memory/redact-core.ts';
import { freeKeys, type HoldingKey, keysHolding, redactKey } from '../sessions/redact-sessions.ts';
import type { SessionChanges } from '../sessions/session-changes.ts';
import {
  createRedaction,
  FORGETTING_LOCK,
  type RedactedPlace,
  type Redaction,
  type RedactionMode,
} from '../storage/redaction.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';
import type { Base } from './base.ts';
import { createForgettings, type Forgetting } from './forgettings.ts';
import type { Services } from './services.ts';

export interface ForgetReport {
  places: RedactedPlace[];
  conversations: { sessionKey: string; title?: string; lines: number }[];
  /** Conversations in use, by key: they are finished when their turns have ended. */
  waiting: string[];
  /** Files of the home that still hold the text: those of the person, and those where it is part of a name, a key or a time. */
  left: string[];
}

export interface ForgetEverywhere {
  find(text: string, signal: AbortSignal): Promise<ForgetReport>;
  /** `conversations`: whole conversations that hold it are deleted, instead of the text in them. */
  forget(text: string, options: { conversations?: boolean; signal: AbortSignal }): Promise<ForgetReport>;
  /** Finishes what was cut short, or waited for a turn. */
  finish(): Promise<void>;
}

interface RunOptions {
  signal: AbortSignal;
  only?: readonly string[];
  busy?: readonly string[];
}

const LEAST_CHARACTERS = 3;
const HAN = /\p{Script=Han}/u;

export interface ForgetEverywhereDependencies {
  services: Pick<Services, 'memory' | 'pastConversations'>;
  sessionChanges(): Promise<SessionChanges>;
}

export function createForgetEverywhere(
  { storage, sessions, hub, now }: Base,
  { services, sessionChanges }: ForgetEverywhereDependencies,
): ForgetEverywhere {
  const { ownerFiles, locks } = storage;
  const forgettings = createForgettings(ownerFiles);
  const ofSessions = { ...storage, now };

  async function inMemory(
    redaction: Redaction,
    keys: readonly HoldingKey[],
    mode: RedactionMode,
  ): Promise<RedactedPlace[]> {
    const { facts, ...memory } = await services.memory();
    const own = memory.as(OWNER);
    const held = await own.holding(redaction);
    const said: string[] = [];
    for (const { sessionId, turnIds } of keys.flatMap((key) => key.sessions))
      said.push(...(await facts.saidIn(sessionId, turnIds)));
    const ids = new Set([...held.map(({ id }) => id), ...said]);
    if (mode === 'remove' && ids.size > 0) await own.forgetAll([...ids]);
    const derived = [...new Set(said)].filter((id) => held.every((each) => each.id !== id));
    const notes = held.map(({ kind, session, title, head }) => ({
      place: kind ? 'fact' : session === undefined ? 'note' : 'archived message',
      // The title of a fact is its topic.
      name: (kind ? head : (title ?? head)).replace(/\s+/g, ' ').slice(0, 80),
      count: 1,
    }));
    return [
      ...notes,
      ...(derived.length > 0 ? [{ place: 'fact from these conversations', name: '', count: derived.length }] : []),
    ];
  }

  async function elsewhere(redaction: Redaction, mode: RedactionMode): Promise<RedactedPlace[]> {
    return [
      ...(await redactCoreMemory(redaction, mode, { files: ownerFiles, locks })),
      ...(await redactKeptMessages(redaction, mode, ownerFiles)),
      ...(await storage.outputs.redact(redaction, mode)),
      ...(await (await storage.undoRecords()).redact(redaction, mode)),
      ...(await storage.redactRows(redaction, mode)),
      ...(await (await storage.audit()).redact(redaction, mode)),
    ];
  }

  /** They hold the home as it was, whatever is in it. */
  async function inBackups(mode: RedactionMode): Promise<RedactedPlace[]> {
    const count = await (await storage.backups()).removeAutomatic(mode);
    return count > 0 ? [{ place: 'automatic backup, which goes as a whole', name: '', count }] : [];
  }

  /** Returns the keys that are in use. */
  async function inSessions(
    keys: readonly HoldingKey[],
    redaction: Redaction,
    { conversations }: Forgetting,
  ): Promise<string[]> {
    const waiting: string[] = [];
    const past = await services.pastConversations();
    const unindex = async (key: HoldingKey): Promise<void> => {
      for (const { sessionId } of key.sessions) await past.forget(sessionId);
    };
    for (const key of keys) {
      await unindex(key);
      const isDone = conversations ? await removed(key) : await redactKey(key, redaction, ofSessions);
      if (!isDone) waiting.push(key.sessionKey);
      // The background may have read the transcript once more before it was changed.
      await unindex(key);
      for (const { sessionId } of key.sessions) sessions.forget(sessionId);
      hub.forgetSession(key.sessionKey);
    }
    return waiting;
  }

  async function removed({ sessionKey, sessions: held }: HoldingKey): Promise<boolean> {
    try {
      for (const { sessionId } of held) await (await sessionChanges()).remove({ sessionKey, sessionId });
      return true;
    } catch (error) {
      if (error instanceof CodedError && error.code === 'SESSION_BUSY') return false;
      throw error;
    }
  }

  /** Nobody keeps words meanwhile that were read before: see `Forgettings.runs`. */
  async function run(forgetting: Forgetting, options: RunOptions): Promise<Omit<ForgetReport, 'left'>> {
    const lock = await locks.acquire(FORGETTING_LOCK, { signal: options.signal });
    try {
      return await runLocked(forgetting, options);
    } finally {
      await forgettings.countRun();
      await lock.release();
    }
  }

  /** The conversations in `only`, or all; the rest of the home is done each time, because a turn that ended meanwhile wrote what it had to memory. */
  async function runLocked(
    forgetting: Forgetting,
    { signal, only, busy = [] }: RunOptions,
  ): Promise<Omit<ForgetReport, 'left'>> {
    const redaction = createRedaction(forgetting.text);
    const keys = await keysHolding(redaction, ofSessions, { signal, only });
    const places = [
      ...(await inMemory(redaction, keys, 'remove')),
      ...(await elsewhere(redaction, 'remove')),
      ...(await inBackups('remove')),
    ];
    const waiting = [...busy, ...(await inSessions(keys, redaction, forgetting))];
    await storage.erase();
    const done = { places, conversations: keys.map(shownKey), waiting };
    if (waiting.length > 0) await forgettings.update({ ...forgetting, onlySessions: waiting });
    else await forgettings.end(forgetting);
    if (only === undefined) await forgettings.journal({ at: new Date(now()).toISOString(), ...counted(done) });
    return done;
  }

  /** Reads nothing while every conversation that is left is in use: any command may begin with this. */
  async function resume(forgetting: Forgetting): Promise<void> {
    const { signal } = new AbortController();
    const { onlySessions } = forgetting;
    if (onlySessions === undefined) {
      await run(forgetting, { signal });
      return;
    }
    const only = await freeKeys(onlySessions, ofSessions);
    if (only.length === 0 && onlySessions.length > 0) return;
    await run(forgetting, { signal, only, busy: onlySessions.filter((key) => !only.includes(key)) });
  }

  return {
    async find(text, signal) {
      const redaction = createRedaction(checked(text));
      const keys = await keysHolding(redaction, ofSessions, { signal });
      const places = [...(await inMemory(redaction, keys, 'find')), ...(await elsewhere(redaction, 'find'))];
      if (places.length + keys.length > 0) places.push(...(await inBackups('find')));
      return { places, conversations: keys.map(shownKey), waiting: [], left: [] };
    },
    async forget(text, { conversations = false, signal }) {
      const forgetting = { text: checked(text), conversations };
      await forgettings.begin(forgetting);
      const done = await run(forgetting, { signal });
      const left = await storage.filesHolding(createRedaction(forgetting.text));
      return { ...done, left: left.filter((file) => !forgettings.isOwn(file)) };
    },
    async finish() {
      for (const forgetting of await forgettings.open()) await resume(forgetting);
    },
  };
}

function checked(text: string): string {
  const trimmed = text.trim();
  const least = HAN.test(trimmed) ? 2 : LEAST_CHARACTERS;
  if ([...trimmed].length >= least) return trimmed;
  throw new CodedError(
    'MEMORY_TOO_SHORT',
    `"${trimmed}" would be found in too much: give at least ${least} characters`,
  );
}

function shownKey({ sessionKey, title, sessions }: HoldingKey): ForgetReport['conversations'][number] {
  const lines = sessions.reduce((sum, session) => sum + session.lines, 0);
  return { sessionKey, ...(title !== undefined && { title }), lines };
}

/** Without a word of what was forgotten. */
function counted({ places, conversations }: Pick<ForgetReport, 'places' | 'conversations'>) {
  const counts: Record<string, number> = {};
  for (const { place, count } of places) counts[place] = (counts[place] ?? 0) + count;
  return { places: counts, conversations: conversations.length };
}
