// What a person changes in conversations as a whole.
import { newProjectKey } from '../sessions/project-session.ts';
import type { SessionEntry } from '../storage/storage.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { NotAllowed } from '../vocabulary/not-allowed.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { listOf, objectWith, TEXT, YES_OR_NO } from './schemas.ts';
import { ENTRY, unknownSession } from './sessions.ts';

const KEY = { type: 'string', description: 'the key of the session, or the id of an earlier one' } as const;
const TURN = { type: 'string', description: 'the beginning of its id' } as const;

export const renameSession = defineOperation({
  name: 'sessions.rename',
  class: 'change',
  people: 'session',
  summary: 'Give a session a title.',
  input: {
    type: 'object',
    properties: { key: TEXT, title: TEXT },
    required: ['key', 'title'],
    additionalProperties: false,
  },
  output: ENTRY,
  async run({ key, title }, context) {
    const changes = await context.runtime.sessionChanges();
    const renamed = await changes.rename(key, title, waiting(context));
    if (!renamed) throw await unknownSession(key, context.runtime.sessions);
    return { ...renamed };
  },
});

export const forkSession = defineOperation({
  name: 'sessions.fork',
  class: 'change',
  people: 'session',
  summary: 'Begin another session with the history of one, up to a turn; the original stays as it is.',
  input: {
    type: 'object',
    properties: {
      key: KEY,
      turn: {
        ...TURN,
        description: `the last turn to copy, by ${TURN.description}; by default the last one that ended`,
      },
      as: { type: 'string', description: 'the key of the copy; by default one that is free' },
    },
    required: ['key'],
    additionalProperties: false,
  },
  output: objectWith({ session: ENTRY }, { lastTurn: TEXT }),
  async run({ key, turn, as }, context) {
    const { sessions, sessionChanges } = context.runtime;
    const from = await knownSession(key, context);
    const to = as ?? (await newProjectKey(sessions, from.sessionKey));
    if (to === from.sessionKey)
      throw new CodedError('SESSION_EXISTS', `there is a session "${to}" already: choose another key`);
    const { entry, lastTurn } = await (await sessionChanges()).fork({ from, turn, as: to, ...waiting(context) });
    return { session: { ...entry }, ...(lastTurn !== undefined && { lastTurn }) };
  },
});

export const rewindSession = defineOperation({
  name: 'sessions.rewind',
  class: 'change',
  people: 'session',
  summary: 'Go back to an earlier turn of a session, or to before it; what came after is kept as a session of its own.',
  input: {
    type: 'object',
    properties: {
      key: KEY,
      turn: { ...TURN, description: `the turn to go back to, by ${TURN.description}` },
      before: { ...YES_OR_NO, default: false, description: 'go back to before the turn, instead of to its end' },
      files: { ...YES_OR_NO, default: false, description: 'also take back what later turns changed in files' },
      force: { ...YES_OR_NO, default: false, description: 'also overwrite what was changed since' },
    },
    required: ['key', 'turn'],
    additionalProperties: false,
  },
  output: objectWith({ session: ENTRY, turnId: TEXT, keptAside: TEXT, restored: listOf(TEXT) }),
  async run({ key, turn, before, files, force }, context) {
    if (files && context.by?.place === 'console' && context.by.person !== undefined)
      throw new NotAllowed('going back with files', 'for the owner');
    await context.runtime.finishUndos();
    const from = await knownSession(key, context);
    const rewinding = await context.runtime.rewinding();
    const rewound = await rewinding.rewind({ from, turn, before, files, force, ...waiting(context) });
    for (const reason of rewound.notCovered)
      context.warn(`a command may have changed more, which was not put back: ${reason}`);
    const { entry, turnId, restored } = rewound;
    return { session: { ...entry }, turnId, keptAside: from.sessionId, restored };
  },
});

export const deleteSession = defineOperation({
  name: 'sessions.delete',
  class: 'danger',
  people: 'session',
  summary:
    'Delete every session of a key, or one by its id: transcript, outputs, undo records, summaries, archived turns. Cannot be taken back.',
  input: { type: 'object', properties: { key: KEY }, required: ['key'], additionalProperties: false },
  output: objectWith({ sessionKey: TEXT, deleted: listOf(TEXT) }),
  async run({ key }, { runtime }) {
    const { sessions, sessionChanges } = runtime;
    const byKey = await sessions.get(key);
    const byId = byKey ? undefined : await sessions.find(key);
    const sessionKey = byId?.sessionKey ?? key;
    const deleted = await (await sessionChanges()).remove({
      sessionKey,
      ...(byId !== undefined && { sessionId: byId.sessionId }),
    });
    if (deleted.length === 0) throw await unknownSession(key, sessions);
    return { sessionKey, deleted };
  },
});

async function knownSession(name: string, { runtime: { sessions } }: OperationContext): Promise<SessionEntry> {
  const entry = await sessions.find(name);
  if (!entry) throw await unknownSession(name, sessions);
  return entry;
}

function waiting({ signal, warn }: OperationContext): { signal: AbortSignal; onWait(): void } {
  return { signal, onWait: () => warn('a turn of this session is running; waiting for it') };
}
