// Turns of gateways that share one storage, in the hub of each: a console sees what runs on any of them, with the same numbers, and its questions are answered
// from any of them. Every gateway tells the others when its turns begin, ask and end. Events follow only while a gateway is watched: somebody reads
// turns in its console. They are added a few times a second, all turns of a gateway together, so that streaming costs the storage little.
//
// A turn belongs to the gateway that runs it, which decides which answer was first. When that gateway is lost, the copies end with an error; when it comes back,
// they begin again from what it told.
import { createEventQueue, type EventQueue } from '../../lib/event-queue.ts';
import { newestIds } from '../../lib/newest-ids.ts';
import type { Cluster } from '../../storage/cluster.ts';
import type { Lock, Locks } from '../../storage/locks.ts';
import type { TurnFacts, TurnHub } from './turn-hub.ts';
import { type RelayCommand, type RelayedLine, receiveTurns } from './turn-relay.ts';

const TELL_EVERY_MS = 200;
const LARGEST_LINES = 256 * 1024;
/** The largest size of one statement, unless one turn alone is larger. */
const LARGEST_TELLING = 4 * 1024 * 1024;
/** After the last reader. */
const WATCHED_MS = 60_000;
const PRUNE_EVERY_MS = 60_000;
/** A gateway that lives renews its lock twice in this time, also after the database stopped for a while and all locks ended. */
const GONE_AFTER_MS = 1_500;
const POST_TIMES = 3;
const MESSAGES_REMEMBERED = 1_000;

export interface TurnExchangeOptions {
  hub: TurnHub;
  cluster: Pick<Cluster, 'exchange' | 'on'>;
  locks: Locks;
  newId(prefix: string): string;
  now(): number;
  warn(text: string): void;
}

export interface TurnExchange {
  /** Tells what is left, and ends the copies. */
  close(): Promise<void>;
}

/** A turn of this gateway. */
interface ToldTurn {
  facts: TurnFacts;
  isAnnounced: boolean;
  isEnded: boolean;
  /** The number of the last event that was sent. */
  toldNumber: number;
  /** Questions and their ends that were not told yet. */
  waiting: RelayedLine[];
  isDirty: boolean;
}

/** Between gateways: who wrote it, so that an answer can be sent back. */
interface Posted {
  /** It may be written twice, when the database did not say whether it was. An earlier version sends none. */
  id?: string;
  from: string;
  command: RelayCommand | Extract<RelayedLine, { kind: 'answered' }>;
}

export async function openTurnExchange(options: TurnExchangeOptions): Promise<TurnExchange> {
  const { hub, cluster, locks, newId, now, warn } = options;
  const { exchange } = cluster;
  const id = newId('gateway');
  const own = `turns:${id}`;
  const ending = new AbortController();
  let lock = await locks.acquire(own);
  let watching: Lock | undefined;
  let watchedUntil = 0;
  let isWatched = false;

  const told = new Map<string, ToldTurn>();
  let toldLines = 0;
  let telling: NodeJS.Timeout | undefined;
  let isFailing = false;
  let lastTold: Promise<void> = Promise.resolve();

  const others = new Map<string, { lines: EventQueue<RelayedLine>; ended: Promise<void> }>();
  const positions = new Map<string, number>();
  const missingSince = new Map<string, number>();
  /** Messages that were obeyed and are perhaps not removed yet. */
  const obeyed = new Set<number>();
  const received = newestIds(MESSAGES_REMEMBERED);
  let prunedAt = now();

  const unwatch = hub.watch({
    onEvent(facts, _number, event) {
      const turn = toldTurn(facts);
      if ((event.type === 'permission-request' || event.type === 'form-request') && event.question.turnId === facts.id)
        turn.waiting.push({ kind: 'asked', turnId: facts.id, question: event.question });
      if (event.type === 'permission-resolved' || event.type === 'form-resolved')
        turn.waiting.push({ kind: 'resolved', turnId: facts.id, questionId: event.questionId });
      if (!isWatched && turn.isAnnounced && turn.waiting.length === 0) return;
      turn.isDirty = true;
      tellLater();
    },
    onEnd({ id: turnId }) {
      const turn = told.get(turnId);
      if (!turn) return;
      turn.isEnded = true;
      turn.isDirty = true;
      tellLater();
    },
  });

  function toldTurn({ id: turnId, sessionKey, provider, parentId, chat }: TurnFacts): ToldTurn {
    const known = told.get(turnId);
    if (known) return known;
    const facts = { id: turnId, sessionKey, provider, ...(parentId && { parentId }), ...(chat && { chat }) };
    const turn = { facts, isAnnounced: false, isEnded: false, toldNumber: 0, waiting: [], isDirty: true };
    told.set(turnId, turn);
    // Whether this gateway is watched is not asked for while it runs nothing.
    void check().catch(() => {});
    return turn;
  }

  function tellLater(): void {
    if (ending.signal.aborted) return;
    telling ??= setTimeout(() => {
      lastTold = tell()
        .then(
          () => {
            isFailing = false;
          },
          (error: Error) => {
            // Once for each time, not with each try.
            if (!isFailing) warn(`turns cannot be told to the other gateways: ${error.message}`);
            isFailing = true;
          },
        )
        .finally(() => {
          telling = undefined;
          if ([...told.values()].some(({ isDirty }) => isDirty)) tellLater();
        });
    }, TELL_EVERY_MS);
  }

  /** An event counts as sent only once it is stored: otherwise it is sent again. */
  async function tell(): Promise<void> {
    const dirty = [...told.values()].filter(({ isDirty }) => isDirty);
    while (dirty.length > 0) {
      const { turns, rows, settle } = nextTelling(dirty);
      try {
        if (rows.length > 0) await exchange.tell(own, rows);
      } catch (error) {
        for (const turn of turns) turn.isDirty = true;
        throw error;
      }
      settle();
    }
  }

  /** Takes turns from the list, as many as one statement should hold. */
  function nextTelling(dirty: ToldTurn[]) {
    const turns: ToldTurn[] = [];
    const rows: Parameters<typeof exchange.tell>[1][number][] = [];
    const settles: (() => void)[] = [];
    for (let size = 0, turn = dirty.shift(); turn; turn = size < LARGEST_TELLING ? dirty.shift() : undefined) {
      turn.isDirty = false;
      turns.push(turn);
      const { lines, isEnd, settle } = linesOf(turn);
      settles.push(settle);
      for (const [index, text] of lines.entries()) {
        toldLines += 1;
        size += text.length;
        rows.push({ number: toldLines, turnId: turn.facts.id, text, isEnd: isEnd && index === lines.length - 1 });
      }
    }
    const settle = (): void => {
      for (const each of settles) each();
    };
    return { turns, rows, settle };
  }

  /** As texts of a bounded size, each a list of lines. */
  function linesOf(turn: ToldTurn): { lines: string[]; isEnd: boolean; settle(): void } {
    const { facts, waiting, isEnded: isEnd, isAnnounced, toldNumber } = turn;
    const asked = [...waiting];
    const stretches = isWatched ? (hub.stretches(facts.id, toldNumber) ?? []) : [];
    const parts: RelayedLine[] = [
      ...(isAnnounced ? [] : [{ kind: 'turn' as const, turn: facts }]),
      ...asked,
      ...stretches.map((stretch) => ({ kind: 'stretch' as const, turnId: facts.id, stretch })),
      ...(isEnd ? [{ kind: 'end' as const, turnId: facts.id }] : []),
    ];
    const last = stretches.at(-1);
    return {
      lines: inTexts(parts),
      isEnd,
      settle() {
        turn.isAnnounced = true;
        turn.waiting = turn.waiting.slice(asked.length);
        if (last) turn.toldNumber = last.first + (last.pieces?.length ?? 1) - 1;
        if (isEnd) told.delete(facts.id);
      },
    };
  }

  const look = oneAtATime(async () => {
    for (let rows = await exchange.read(own, positions); rows.length > 0; rows = await exchange.read(own, positions)) {
      for (const { number, gateway, text } of rows) {
        positions.set(gateway, number);
        for (const line of JSON.parse(text) as RelayedLine[]) otherGateway(gateway).push(line);
      }
      if (ending.signal.aborted) return;
    }
  });

  function otherGateway(name: string): EventQueue<RelayedLine> {
    const known = others.get(name);
    if (known) return known.lines;
    const lines = createEventQueue<RelayedLine>();
    const ended = receiveTurns(hub, lines, (command) => post(name, command), {
      isElsewhere: true,
      onRead: watchElsewhere,
    });
    others.set(name, { lines, ended });
    return lines;
  }

  /** Resolves when it is stored for that gateway. */
  async function post(gateway: string, command: Posted['command']): Promise<void> {
    // Whether it joins is seen in its events.
    if (command.kind === 'steer' || command.kind === 'withdraw') watchElsewhere();
    const text = JSON.stringify({ id: newId('message'), from: own, command } satisfies Posted);
    for (let times = 1; ; times += 1)
      try {
        return await exchange.post(gateway, text);
      } catch (error) {
        if (times < POST_TIMES && !ending.signal.aborted) continue;
        warn(`another gateway could not be asked: ${(error as Error).message}`);
        throw error;
      }
  }

  const obey = oneAtATime(async () => {
    for (let posted = await exchange.messages(own); posted.length > 0; posted = await exchange.messages(own)) {
      for (const { number, text } of posted) {
        if (obeyed.has(number)) continue;
        obeyed.add(number);
        obeyOne(JSON.parse(text) as Posted);
      }
      const numbers = posted.map(({ number }) => number);
      await exchange.remove(own, numbers);
      for (const number of numbers) obeyed.delete(number);
    }
  });

  function obeyOne({ id: messageId, from, command }: Posted): void {
    if (messageId !== undefined && received.has(messageId)) return;
    if (messageId !== undefined) received.add(messageId);
    if (command.kind === 'answered') others.get(from)?.lines.push(command);
    else if (command.kind === 'stop') hub.stop(command.turnId);
    else if (command.kind === 'write') void hub.write(command.turnId, command.message).catch(() => {});
    else if (command.kind === 'steer') void hub.steer(command.turnId, command.message);
    else if (command.kind === 'withdraw') void hub.withdraw(command.turnId, command.messageId);
    else
      void hub
        .answer(command.questionId, command.answer, command.by)
        .then((outcome) => post(from, { kind: 'answered', id: command.id, outcome }))
        .catch(() => {});
  }

  /** Somebody reads here what others run. */
  function watchElsewhere(): void {
    watchedUntil = now() + WATCHED_MS;
    void keepWatching();
  }

  const keepWatching = oneAtATime(async () => {
    if (hub.isWatchedElsewhere) watchedUntil = now() + WATCHED_MS;
    const isWanted = now() < watchedUntil && !ending.signal.aborted;
    if (isWanted && (watching === undefined || watching.lost.aborted)) {
      watching = await locks.acquire(`watches:${id}`);
      await exchange.signal();
    } else if (!isWanted && watching) {
      await watching.release();
      watching = undefined;
    }
  });

  /** What no signal tells: gateways that are gone, and whether this one is watched. */
  const check = oneAtATime(async () => {
    if (lock.lost.aborted) lock = await locks.acquire(own, { signal: ending.signal });
    await keepWatching();
    const wasWatched = isWatched;
    isWatched = told.size > 0 && (await exchange.isWatched(`watches:${id}`));
    if (isWatched && !wasWatched) {
      for (const turn of told.values()) turn.isDirty = true;
      tellLater();
    }
    await loseGone();
    if (now() - prunedAt < PRUNE_EVERY_MS) return;
    prunedAt = now();
    await exchange.prune();
  });

  async function loseGone(): Promise<void> {
    if (others.size === 0) return;
    const gone = new Set(await exchange.gone([...others.keys()]));
    for (const name of [...others.keys()]) {
      const since = gone.has(name) ? (missingSince.get(name) ?? now()) : undefined;
      if (since === undefined) missingSince.delete(name);
      else missingSince.set(name, since);
      if (since === undefined || now() - since < GONE_AFTER_MS) continue;
      // What it told last.
      await look();
      lose(name);
    }
  }

  /** When it comes back, everything that it told is read again. */
  function lose(name: string): void {
    others.get(name)?.lines.close();
    others.delete(name);
    positions.delete(name);
    missingSince.delete(name);
  }

  /** While the database is away it sends nothing; what needs the database says so. */
  const quietly = (work: () => Promise<void>) => (): void => void work().catch(() => {});
  const stopListening = [
    cluster.on('turns', quietly(look)),
    cluster.on('watchers', quietly(check)),
    cluster.on('commands', quietly(obey)),
  ];

  return {
    async close() {
      ending.abort();
      for (const stop of stopListening) stop();
      unwatch();
      clearTimeout(telling);
      await lastTold;
      await tell().catch(() => {});
      for (const name of [...others.keys()]) lose(name);
      await watching?.release();
      await lock.release();
    },
  };
}

/** A call while one runs is one more run after it. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const run = (): Promise<void> => {
    running = work().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (!running) return run();
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  };
}

function inTexts(lines: readonly RelayedLine[]): string[] {
  const texts: string[] = [];
  let part: string[] = [];
  let size = 0;
  const end = (): void => {
    if (part.length > 0) texts.push(`[${part.join(',')}]`);
    part = [];
    size = 0;
  };
  for (const line of lines) {
    const text = JSON.stringify(line);
    if (size + text.length > LARGEST_LINES) end();
    part.push(text);
    size += text.length;
  }
  end();
  return texts;
}
