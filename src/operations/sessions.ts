// Conversations as they are stored.
import { nearest } from '../lib/nearest.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, POSITIVE, TEXT, TIME, YES_OR_NO } from './schemas.ts';

/** How many keys an error names, and among how many the nearest is looked for. */
const NAMED = 10;
const COMPARED = 1_000;

const ENTRY = {
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
  summary: 'List sessions, the last used first.',
  input: { type: 'object', properties: { limit: POSITIVE }, additionalProperties: false },
  output: objectWith({ sessions: listOf(ENTRY), total: COUNT }),
  async run({ limit }, { runtime: { sessions } }) {
    const [listed, total] = await Promise.all([sessions.list({ limit }), sessions.count()]);
    return { sessions: listed.map((entry) => ({ ...entry })), total };
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
