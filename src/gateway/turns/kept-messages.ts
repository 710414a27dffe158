// Messages that people wrote to a running turn and left to the gateway: `kept-messages.json` of the owner's files. Each is on record before its sender learns that it
// was accepted, and until it has joined its turn, was taken back, or was asked as the next question, with the others of that turn in one. A gateway that is
// killed leaves them to the next one: what its transcript has by its id, as a message of a turn or as the question of one, is not asked again.
import { newestIds } from '../../lib/newest-ids.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import { isStillHeld, type Lock, type Locks } from '../../storage/locks.ts';
import type { RedactedPlace, Redaction, RedactionMode } from '../../storage/redaction.ts';
import type { OwnerFiles } from '../../storage/storage.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import type { SteeringOutcome } from './steering-queue.ts';
import type { TurnHub } from './turn-hub.ts';

export interface KeptMessage {
  /** Names it in the events of the turn, and in the transcript as what a message or a turn comes from. */
  id: string;
  turnId: string;
  sessionKey: string;
  text: string;
  /** Who wrote it; without `person` the owner. */
  sender: { name: string; person?: string };
  /** How it is asked, should it be the next question. */
  mode?: string;
  model?: string;
}

/** What is asked: `origin` is the ids of its messages. */
export type KeptQuestion = KeptMessage & { origin: string };

export interface KeptMessages {
  /** `waiting`: it is on record. `ended`: the turn takes nothing more, and nothing is kept. One that is known is not kept twice. */
  keep(message: KeptMessage): Promise<'waiting' | 'ended'>;
  /** What became of a message that was accepted here, or is on record; undefined: there is none. */
  known(id: string): Promise<'waiting' | 'joined' | undefined>;
  /** Takes one back that waits to join its turn: nobody asks it, also after a kill. Resolves with what became of it. */
  withdraw(turnId: string, id: string): Promise<SteeringOutcome | 'unknown'>;
  /** Continues what gateways left that are gone. */
  takeUp(): Promise<void>;
  /** What has not joined its turn is left to the next gateway. */
  stop(): void;
  close(): Promise<void>;
}

export interface KeptMessagesOptions {
  hub: Pick<TurnHub, 'turn' | 'steer' | 'withdraw'>;
  files: OwnerFiles;
  locks: Pick<Locks, 'acquire' | 'tryAcquire' | 'holds' | 'isHeldSince'>;
  /** Whether a message is in the conversation. Waits for the turn that runs in it. */
  isInConversation: Sessions['isInConversation'];
  /** Resolves when the turn has ended. Rejects where it could not begin. */
  ask(question: KeptQuestion): Promise<void>;
  newId(prefix: string): string;
  warn(text: string): void;
}

/** Somebody who knows how to ask. */
export type OpenKeptMessages = (asking: Pick<KeptMessagesOptions, 'ask' | 'warn'>) => Promise<KeptMessages>;

export const KEPT_MESSAGES = 'kept-messages.json';
const VERSION = 1;
/** Of one turn. */
const MOST_WAITING = 24;
const DONE_REMEMBERED = 1_000;
const RETRY_MS = 30_000;

/** `keeper`: the lock of the gateway that keeps it. */
type Stored = KeptMessage & { keeper: string };

interface Here {
  message: KeptMessage;
  /** Resolves with the lock under which it is kept. */
  stored: Promise<Lock>;
  outcome?: Promise<SteeringOutcome | 'unknown'>;
  isAsked?: true;
}

export function createKeptMessages(options: KeptMessagesOptions): KeptMessages {
  const { hub, files, locks, isInConversation, ask, newId, warn } = options;
  const stopping = new AbortController();
  /** Of the messages that are written here, while it is taken and afterwards. */
  let own: Promise<Lock> | undefined;
  /** By their names. */
  const held = new Map<string, Lock>();
  const here = new Map<string, Here>();
  const done = newestIds(DONE_REMEMBERED);

  /** Another one where it could not be taken, or was lost. */
  async function ownLock(): Promise<Lock> {
    own ??= locks.acquire(newId('kept-messages'));
    const taking = own;
    const lock = await taking.catch((error: Error) => {
      if (own === taking) own = undefined;
      throw error;
    });
    if (await isStillHeld(locks, lock)) {
      held.set(lock.name, lock);
      return lock;
    }
    if (own === taking) own = undefined;
    return ownLock();
  }

  async function store(message: KeptMessage): Promise<Lock> {
    const lock = await ownLock();
    await change(files, (messages) =>
      messages.some(({ id }) => id === message.id) ? messages : [...messages, { ...message, keeper: lock.name }],
    );
    return lock;
  }

  /** Undefined: another gateway has it. */
  async function lockOf(name: string): Promise<Lock | undefined> {
    const own = held.get(name);
    if (own && (await isStillHeld(locks, own))) return own;
    if (own) await letGo(own);
    const lock = await locks.tryAcquire(name);
    if (lock) held.set(name, lock);
    return lock;
  }

  async function letGo(lock: Lock): Promise<void> {
    if (held.get(lock.name) === lock) held.delete(lock.name);
    await lock.release();
  }

  /** The others are left to the gateway that has their lock by now; where none has it, they are taken up again here. */
  async function stillKept(entries: readonly Here[]): Promise<Here[]> {
    const found = await Promise.all(entries.map(async (entry) => ({ entry, lock: await entry.stored })));
    const keepers = new Map((await read(files)).map(({ id, keeper }) => [id, keeper]));
    const kept: Here[] = [];
    const lost: Here[] = [];
    for (const [lock, group] of Map.groupBy(found, (each) => each.lock)) {
      const isHeld = await isStillHeld(locks, lock);
      if (!isHeld) await letGo(lock);
      // One that was sent to two gateways at the same time is kept by the first that had it on record.
      for (const { entry } of group)
        (isHeld && (keepers.get(entry.message.id) ?? lock.name) === lock.name ? kept : lost).push(entry);
    }
    for (const entry of lost) if (here.get(entry.message.id) === entry) here.delete(entry.message.id);
    if (lost.length > 0) await takeUp();
    return kept;
  }

  async function settle(entries: readonly Here[]): Promise<void> {
    const ids = entries.map(({ message }) => message.id);
    await remove(ids);
    for (const id of ids) {
      here.delete(id);
      done.add(id);
    }
  }

  async function remove(ids: readonly string[]): Promise<void> {
    await change(files, (messages) => messages.filter(({ id }) => !ids.includes(id)));
  }

  async function follow(entry: Here): Promise<void> {
    const { id, turnId, text } = entry.message;
    entry.outcome = hub.steer(turnId, { id, text, origin: id, canWithdraw: true });
    const outcome = await entry.outcome;
    if (outcome === 'joined' || outcome === 'withdrawn') await settle([entry]);
    else if (!entry.isAsked) await askTogether(entry);
  }

  /** The messages that a turn did not take up end with it, all in one moment. */
  async function askTogether({ message: first }: Here): Promise<void> {
    const ended: Here[] = [];
    for (const entry of here.values()) {
      const { turnId, sender } = entry.message;
      if (turnId !== first.turnId || sender.person !== first.sender.person || !entry.outcome || entry.isAsked) continue;
      entry.isAsked = true;
      ended.push(entry);
    }
    const outcomes = await Promise.all(ended.map(({ outcome }) => outcome));
    await askUntilDone(ended.filter((_, index) => outcomes[index] === 'ended' || outcomes[index] === 'unknown'));
  }

  async function askUntilDone(entries: readonly Here[]): Promise<void> {
    try {
      await askOnce(entries);
    } catch (error) {
      if (stopping.signal.aborted) return;
      warn(`a message that was written to a turn cannot be asked, and is tried again: ${(error as Error).message}`);
      setTimeout(() => void askUntilDone(entries), RETRY_MS).unref();
    }
  }

  async function askOnce(all: readonly Here[]): Promise<void> {
    const { signal } = stopping;
    const said = new Set<string>();
    for (const { message } of all)
      if (await isInConversation(message.sessionKey, message.id, signal)) said.add(message.id);
    signal.throwIfAborted();
    const entries = await stillKept(all);
    const left = entries.map(({ message }) => message.id).filter((id) => !said.has(id));
    // As they are on record now: what was forgotten meanwhile is not said again, and a conversation that was deleted is not begun again.
    const open = (await read(files)).filter(({ id }) => left.includes(id)).map(withoutKeeper);
    const last = open.at(-1);
    const text = open.map((each) => each.text).join('\n\n');
    if (last) await ask({ ...last, text, origin: open.map(({ id }) => id).join(' ') });
    // Ended by the end of the gateway: the next one finds in the transcript whether it was begun.
    signal.throwIfAborted();
    await settle(entries);
  }

  function begin(entry: Here): void {
    here.set(entry.message.id, entry);
    const onProblem = (error: Error): void =>
      warn(`a message that was written to a turn stays on record: ${error.message}`);
    // Who wrote it learns that it could not be stored.
    entry.stored.then(
      () => follow(entry).catch(onProblem),
      () => {},
    );
  }

  async function takeUp(): Promise<void> {
    for (const name of new Set((await leftOver()).map(({ keeper }) => keeper))) {
      const lock = await lockOf(name);
      // Another gateway may have taken up some of them and be gone again.
      for (const message of lock ? await leftOver() : [])
        if (lock && message.keeper === name) begin({ message: withoutKeeper(message), stored: Promise.resolve(lock) });
    }
  }

  /** On record, and with nobody here who follows it. */
  async function leftOver(): Promise<Stored[]> {
    return (await read(files)).filter(({ id }) => !here.has(id) && !done.has(id));
  }

  return {
    async keep(message) {
      const known = here.get(message.id);
      if (!known) {
        const turn = hub.turn(message.turnId);
        if (!turn || turn.state === 'ended') return 'ended';
        const waiting = here.values().filter((each) => each.message.turnId === message.turnId);
        if ([...waiting].length >= MOST_WAITING)
          throw new CodedError(
            'TOO_MANY_MESSAGES',
            `${MOST_WAITING} messages wait to join this turn: take one back, or wait until it has read them`,
          );
        const stored = store(message);
        stored.catch(() => here.delete(message.id));
        begin({ message, stored });
      }
      await here.get(message.id)?.stored;
      return 'waiting';
    },
    async known(id) {
      await here.get(id)?.stored;
      if (here.has(id)) return 'waiting';
      if (done.has(id)) return 'joined';
      if (!(await read(files)).some((each) => each.id === id)) return undefined;
      // Another gateway has it, or one that is gone had it, or its sender learned of an error here although it was written.
      await takeUp();
      return 'waiting';
    },
    async withdraw(turnId, id) {
      const outcome = await hub.withdraw(turnId, id);
      if (outcome === 'withdrawn') await remove([id]);
      return outcome;
    },
    takeUp,
    stop: () => stopping.abort(),
    async close() {
      stopping.abort();
      await own?.catch(() => {});
      for (const lock of held.values()) await lock.release();
    },
  };
}

/** A session was deleted. */
export async function forgetKeptMessages(files: OwnerFiles, session: string): Promise<void> {
  if ((await files.read(KEPT_MESSAGES)) === undefined) return;
  await change(files, (messages) => messages.filter(({ sessionKey }) => sessionKey !== session));
}

export async function redactKeptMessages(
  redaction: Redaction,
  mode: RedactionMode,
  files: OwnerFiles,
): Promise<RedactedPlace[]> {
  const count = (await read(files)).filter(({ text }) => redaction.holds(text)).length;
  if (count === 0) return [];
  if (mode === 'remove')
    await change(files, (messages) => messages.map((each) => ({ ...each, text: redaction.replaced(each.text) })));
  return [{ place: 'message to a turn', name: '', count }];
}

function withoutKeeper({ keeper: _, ...message }: Stored): KeptMessage {
  return message;
}

async function read(files: OwnerFiles): Promise<Stored[]> {
  return parse(await files.read(KEPT_MESSAGES), files);
}

/** Durable when it resolves. */
async function change(files: OwnerFiles, work: (messages: Stored[]) => Stored[]): Promise<void> {
  await files.update(KEPT_MESSAGES, (text) => {
    const messages = work(parse(text, files));
    if (messages.length === 0) return text === undefined ? undefined : null;
    const changed = `${JSON.stringify({ version: VERSION, messages }, undefined, 2)}\n`;
    return changed === text ? undefined : changed;
  });
}

function parse(text: string | undefined, files: OwnerFiles): Stored[] {
  if (text === undefined) return [];
  let value: { messages?: unknown } | undefined;
  try {
    value = JSON.parse(text);
  } catch {
    // As without messages.
  }
  if (Array.isArray(value?.messages) && value.messages.every(isWhole)) return value.messages;
  throw new CodedError(
    'KEPT_MESSAGES_DAMAGED',
    `${files.location(KEPT_MESSAGES)} is damaged: repair it, or move it away to begin without the messages in it`,
  );
}

function isWhole(value: unknown): value is Stored {
  const { id, turnId, sessionKey, text, keeper, sender } = (value ?? {}) as Partial<Stored>;
  return [id, turnId, sessionKey, text, keeper, sender?.name].every((part) => typeof part === 'string');
}
