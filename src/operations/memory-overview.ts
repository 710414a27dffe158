// Looking at memory: how much there is, and what was recalled for an answer.
import type { HistoryTurn } from '../sessions/history.ts';
import { questionIn } from '../sessions/history.ts';
import type { SessionEntry } from '../storage/storage.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';
import { ownerReading, SCOPE } from './memory-scope.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { COUNT, listOf, objectWith, TEXT, TIME, YES_OR_NO } from './schemas.ts';
import { unknownSession } from './sessions.ts';

const LATEST = 5;

export const summariseMemory = defineOperation({
  name: 'memory.summary',
  class: 'read',
  summary: 'How much is remembered, since when and of whom, and what was saved last.',
  input: { type: 'object', properties: { scope: SCOPE }, additionalProperties: false },
  output: objectWith(
    {
      documents: COUNT,
      chunks: COUNT,
      notes: COUNT,
      files: COUNT,
      turns: COUNT,
      facts: objectWith({ fact: COUNT, preference: COUNT, decision: COUNT, date: COUNT }),
      core: { ...COUNT, description: 'facts in core memory' },
      scopes: listOf(objectWith({ scope: TEXT, documents: COUNT })),
      latest: listOf(objectWith({ id: TEXT, date: TIME, source: TEXT, scope: TEXT, head: TEXT })),
      waiting: { ...COUNT, description: 'turns whose facts are not extracted yet' },
      isRememberedByDefault: YES_OR_NO,
    },
    { oldest: TIME, newest: TIME },
  ),
  async run({ scope }, { runtime }) {
    const reader = ownerReading(scope);
    const [shared, core] = await Promise.all([runtime.memory(), runtime.coreMemory()]);
    const memory = shared.as(reader);
    const [summary, latest, facts, waiting, coreFacts] = await Promise.all([
      memory.summary(),
      memory.latest(LATEST),
      shared.facts.counts(reader),
      shared.facts.waiting(),
      core.as(reader).get(),
    ]);
    const { kinds, ...rest } = summary;
    return {
      ...rest,
      notes: kinds.notes ?? 0,
      files: kinds.files ?? 0,
      turns: kinds.conversations ?? 0,
      facts: { fact: 0, preference: 0, decision: 0, date: 0, ...facts },
      core: Object.values(coreFacts).reduce((sum, section) => sum + Object.keys(section).length, 0),
      latest: latest.map(({ id, date, source, scope: of, head }) => ({ id, date, source, scope: of, head })),
      waiting: waiting.turns,
      isRememberedByDefault: runtime.config.memory === true,
    };
  },
});

const RECALLED = objectWith(
  { source: TEXT, scope: TEXT, tainted: YES_OR_NO },
  { id: TEXT, date: TIME, text: { type: 'string', description: 'absent when it was forgotten since' } },
);

export const explainRecall = defineOperation({
  name: 'memory.why',
  class: 'read',
  summary: 'What was recalled for a turn, and where it came from.',
  input: {
    type: 'object',
    properties: {
      turn: {
        type: 'string',
        description: 'the beginning of the id of a turn or of a message; by default the last turn',
      },
      session: {
        type: 'string',
        description: 'only in this session; by default the one used last, or any that has the turn',
      },
    },
    additionalProperties: false,
  },
  output: objectWith(
    {
      sessionKey: TEXT,
      sessionId: TEXT,
      turnId: TEXT,
      question: TEXT,
      remembers: { ...YES_OR_NO, description: 'the session had memory on' },
      tokens: COUNT,
      recalled: listOf(RECALLED),
    },
    { startedAt: TIME, provider: { ...TEXT, description: 'which model provider answered' } },
  ),
  async run({ turn, session }, context) {
    const { entry, found } = await findTurn(turn, session, context);
    const { turnId = '', startedAt, provider, recalled, memoryEnabled = false } = found;
    return {
      sessionKey: entry.sessionKey,
      sessionId: entry.sessionId,
      turnId,
      question: questionIn(found)?.content ?? '',
      remembers: memoryEnabled,
      tokens: recalled?.tokens ?? 0,
      recalled: await Promise.all((recalled?.items ?? []).map((item) => withText(item, context))),
      ...(startedAt !== undefined && { startedAt }),
      ...(provider !== undefined && { provider }),
    };
  },
});

type Recalled = NonNullable<HistoryTurn['recalled']>['items'][number];

async function withText(item: Recalled, { runtime }: OperationContext) {
  const { id, position = 0, source, scope, date } = item;
  const kept = id === undefined ? undefined : await (await runtime.memory()).as(OWNER).get(id);
  const text = kept?.parts[position]?.trim();
  return {
    source,
    scope,
    tainted: item.tainted === true,
    ...(id !== undefined && { id }),
    ...(date !== undefined && { date }),
    ...(text !== undefined && { text }),
  };
}

async function findTurn(
  wanted: string | undefined,
  session: string | undefined,
  { runtime: { sessions }, signal }: OperationContext,
): Promise<{ entry: SessionEntry; found: HistoryTurn }> {
  const named = session === undefined ? undefined : await sessions.find(session);
  if (session !== undefined && !named) throw await unknownSession(session, sessions);
  const entries = named ? [named] : await sessions.list(wanted === undefined ? { limit: 1 } : {});
  for (const entry of entries) {
    signal.throwIfAborted();
    const found = await turnIn(sessions.history(entry.sessionId), wanted);
    if (found) return { entry, found };
  }
  if (wanted === undefined)
    throw new CodedError('TURN_NOT_FOUND', 'there is no turn yet: lainclaw ask "hello" starts one');
  throw new CodedError(
    'TURN_NOT_FOUND',
    `there is no turn or message "${wanted}": "lainclaw sessions show" and --json of "lainclaw ask" name them`,
  );
}

/** The last one by default. */
async function turnIn(
  history: ReturnType<OperationContext['runtime']['sessions']['history']>,
  wanted: string | undefined,
): Promise<HistoryTurn | undefined> {
  let last: HistoryTurn | undefined;
  for await (const item of history) {
    if (item.kind !== 'turn' || item.turn.turnId === undefined) continue;
    const { turnId, messages } = item.turn;
    if (wanted === undefined) last = item.turn;
    else if (turnId.startsWith(wanted) || messages.some(({ id }) => id.startsWith(wanted))) return item.turn;
  }
  return last;
}
