// Conversations as they are stored.
import { sessionPrefix } from '../gateway/console-access/own-sessions.ts';
import { nearest } from '../lib/nearest.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { shortened } from '../sessions/title.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { findInConversations } from './find-in-conversations.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, POSITIVE, TEXT, TIME, YES_OR_NO } from './schemas.ts';

/** How many keys an error names, and among how many the nearest is looked for. */
const NAMED = 10;
const COMPARED = 1_000;

/** Beyond so many, first words are not read. */
const WITH_FIRST_WORDS = 500;
const FIRST_WORDS = 80;

export const ENTRY = {
  type: 'object',
  properties: {
    sessionKey: TEXT,
    sessionId: TEXT,
    createdAt: TIME,
    updatedAt: TIME,
    provider: TEXT,
    profileId: TEXT,
    route: TEXT,
    memoryEnabled: YES_OR_NO,
    compactedMessageCount: COUNT,
    title: TEXT,
    workspace: { type: 'string', description: 'the folder that it was begun in' },
    firstWords: { type: 'string', description: 'how its first question begins' },
  },
  required: ['sessionKey', 'sessionId', 'createdAt', 'updatedAt'],
} as const;
const MESSAGE = {
  type: 'object',
  properties: { id: TEXT, role: TEXT, timestamp: TIME, content: TEXT, model: TEXT },
  required: ['id', 'role', 'timestamp', 'content'],
} as const;

const PERMISSION = {
  type: 'object',
  properties: {
    tool: TEXT,
    turnId: TEXT,
    scope: TEXT,
    by: TEXT,
    place: TEXT,
    rules: listOf(TEXT),
    afterMessageId: TEXT,
  },
  required: ['tool', 'turnId', 'scope', 'by', 'place', 'rules', 'afterMessageId'],
} as const;

export const listSessions = defineOperation({
  name: 'sessions.list',
  class: 'read',
  people: 'own',
  summary: 'List sessions, the last used first.',
  input: {
    type: 'object',
    properties: {
      limit: POSITIVE,
      workspace: { type: 'string', description: 'only sessions that were begun in this folder' },
      firstWords: {
        ...YES_OR_NO,
        default: false,
        description: `also how each of the first ${WITH_FIRST_WORDS} begins`,
      },
    },
    additionalProperties: false,
  },
  output: objectWith({ sessions: listOf(ENTRY), total: COUNT }),
  async run({ limit, workspace, firstWords }, { runtime: { sessions }, by }) {
    const prefix = prefixOf(by);
    const [listed, total] = await Promise.all([
      sessions.list({ limit, workspace, ...(prefix !== undefined && { prefix }) }),
      prefix === undefined ? sessions.count() : sessions.list({ prefix }).then(({ length }) => length),
    ]);
    const shown = listed.map((entry) => ({ ...entry }));
    if (!firstWords) return { sessions: shown, total };
    const withWords = shown.slice(0, WITH_FIRST_WORDS).map(async (entry) => {
      const question = await sessions.firstQuestion(entry.sessionId);
      return question === undefined ? entry : { ...entry, firstWords: shortened(question, FIRST_WORDS) };
    });
    return { sessions: [...(await Promise.all(withWords)), ...shown.slice(WITH_FIRST_WORDS)], total };
  },
});

export const listKeptSessions = defineOperation({
  name: 'sessions.listAll',
  class: 'read',
  summary: 'List every stored session, also those that a later one under the same key has followed, oldest first.',
  input: NO_INPUT,
  output: listOf(
    objectWith({ sessionId: TEXT, isCurrent: YES_OR_NO }, { sessionKey: TEXT, createdAt: TEXT, updatedAt: TEXT }),
  ),
  run: async (_input, { runtime }) => runtime.sessions.kept(),
});

export const showSession = defineOperation({
  name: 'sessions.show',
  class: 'read',
  people: 'session',
  summary: 'Read the newest messages of a session.',
  input: {
    type: 'object',
    properties: { key: TEXT, last: { ...POSITIVE, default: 50 } },
    required: ['key'],
    additionalProperties: false,
  },
  output: objectWith({
    session: ENTRY,
    messages: listOf(MESSAGE),
    permissions: listOf(PERMISSION),
    damagedLines: listOf(COUNT),
  }),
  async run({ key, last }, { runtime: { sessions } }) {
    const shown = await sessions.show(key, last);
    if (!shown) throw await unknownSession(key, sessions);
    const { entry, messages, permissions, damagedLines } = shown;
    return {
      session: { ...entry },
      messages: messages.map((message) => ({ ...message })),
      permissions: permissions.map((permission) => ({ ...permission })),
      damagedLines,
    };
  },
});

export const searchSessions = defineOperation({
  name: 'sessions.search',
  class: 'read',
  people: 'own',
  summary: 'Find sessions by words in their titles and messages: of a time that the words name, then the newest.',
  input: {
    type: 'object',
    properties: {
      words: {
        type: 'string',
        description:
          'all of them, in any of their forms, must be in one message, or as they are in the title; what was said at a time that they name comes first',
      },
      limit: { ...POSITIVE, default: 20 },
      since: { type: 'string', description: 'only what was said from then on: a date, or words like "last week"' },
      until: { type: 'string', description: 'only what was said until then, that day included' },
    },
    required: ['words'],
    additionalProperties: false,
  },
  output: listOf(
    objectWith(
      { sessionKey: TEXT, sessionId: TEXT, date: TIME, snippet: TEXT, matches: COUNT, isCurrent: YES_OR_NO },
      { title: TEXT, role: TEXT },
    ),
  ),
  async run({ words, ...query }, context) {
    if (words.trim() === '') throw new CodedError('EMPTY_QUERY', 'there is nothing to search for: give some words');
    return findInConversations({ words, ...query, prefix: prefixOf(context.by) }, context);
  },
});

export const listTurns = defineOperation({
  name: 'sessions.turns',
  class: 'read',
  people: 'session',
  summary: 'List the newest turns of a session, oldest first, each with its question and the files it changed.',
  input: {
    type: 'object',
    properties: { key: TEXT, last: { ...POSITIVE, default: 20 } },
    required: ['key'],
    additionalProperties: false,
  },
  output: objectWith({
    session: ENTRY,
    turns: listOf(
      objectWith({ turnId: TEXT, number: COUNT, question: TEXT, changed: listOf(TEXT) }, { startedAt: TIME }),
    ),
  }),
  async run({ key, last }, { runtime, signal }) {
    const entry = await runtime.sessions.find(key);
    if (!entry) throw await unknownSession(key, runtime.sessions);
    const turns: { turnId: string; number: number; question: string; startedAt?: string }[] = [];
    for await (const item of runtime.sessions.history(entry.sessionId)) {
      signal.throwIfAborted();
      if (item.kind !== 'turn' || item.turn.turnId === undefined || item.turn.outcome === 'unfinished') continue;
      const { turnId, number, startedAt, messages } = item.turn;
      const asked = messages.find(({ role }) => role === 'user')?.content ?? '';
      const question = shortened(asked, FIRST_WORDS);
      turns.push({ turnId, number, question, ...(startedAt !== undefined && { startedAt }) });
      if (turns.length > last) turns.shift();
    }
    const recorded = await (await runtime.undo()).turns(entry.sessionId);
    const changed = new Map(recorded.filter(({ undone }) => !undone).map(({ turnId, paths }) => [turnId, paths]));
    return {
      session: { ...entry },
      turns: turns.map((turn) => ({ ...turn, changed: changed.get(turn.turnId) ?? [] })),
    };
  },
});

/** What the keys of the caller's sessions begin with; undefined: the caller may see all. */
function prefixOf(by: OperationContext['by']): string | undefined {
  return by?.place === 'console' && by.person !== undefined ? sessionPrefix(by.person) : undefined;
}

/** Says which keys there are, and which is nearest. */
export async function unknownSession(key: string, sessions: Sessions): Promise<CodedError> {
  const keys = (await sessions.list({ limit: COMPARED })).map(({ sessionKey }) => sessionKey);
  const close = nearest(key, keys);
  const shown = keys.slice(0, NAMED).join(', ') + (keys.length > NAMED ? ', …' : '');
  const advice =
    keys.length === 0
      ? '; there is none yet: lainclaw ask "hello" starts one'
      : `${close ? ` (did you mean ${close}?)` : ''}; "lainclaw sessions list" shows what there is: ${shown}`;
  return new CodedError('SESSION_NOT_FOUND', `there is no session "${key}"${advice}`);
}
