// What the assistant changed in files, by turn, and taking it back.
import type { Runtime } from '../runtime/runtime.ts';
import type { SessionEntry } from '../storage/storage.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation } from './operation.ts';
import { COUNT, listOf, objectWith, TEXT, TIME, YES_OR_NO } from './schemas.ts';

/** Tools called without a session (`tools invoke`) are recorded under this name. */
export const WITHOUT_SESSION = 'cli';

const SESSION = {
  type: 'string',
  default: 'main',
  description: 'the key of the session, or the id of an earlier one',
} as const;
const FILE = objectWith({ path: TEXT, action: TEXT });

export const listChanges = defineOperation({
  name: 'undo.list',
  class: 'read',
  summary: 'List the turns of a session that changed files, the newest first.',
  input: { type: 'object', properties: { session: SESSION }, additionalProperties: false },
  output: listOf(
    objectWith(
      {
        turnId: TEXT,
        recordedAt: TIME,
        root: TEXT,
        undone: YES_OR_NO,
        paths: listOf(TEXT),
        notCovered: listOf(TEXT),
      },
      { undoes: TEXT },
    ),
  ),
  async run({ session }, { runtime }) {
    await runtime.finishUndos();
    const { sessionId } = await findSession(runtime, session);
    return (await runtime.undo()).turns(sessionId);
  },
});

export const undoTurn = defineOperation({
  name: 'undo.turn',
  class: 'change',
  summary: 'Take back what a turn changed in files; undoing that brings it back.',
  input: {
    type: 'object',
    properties: {
      session: SESSION,
      turn: { type: 'string', description: 'the beginning of its id; by default the last turn that changed files' },
      force: { ...YES_OR_NO, default: false, description: 'also overwrite what was changed since' },
    },
    additionalProperties: false,
  },
  output: objectWith({
    sessionKey: TEXT,
    turnId: TEXT,
    recordedAt: TIME,
    root: TEXT,
    undoId: TEXT,
    files: listOf(FILE),
    notCovered: listOf(TEXT),
  }),
  async run({ session, turn, force }, { runtime, signal, warn, afterShown }) {
    const rewound = await (await runtime.rewinding()).finishInterrupted();
    const found = await findSession(runtime, session);
    if (turn === undefined && rewound.includes(found.sessionKey))
      throw new CodedError(
        'UNDO_REWOUND',
        'going back to an earlier turn was interrupted and is finished now; nothing else was undone: repeat the undo if you want more',
      );
    const onWait = (): void => warn('a turn of this session is running; waiting for it');
    const undone = await (await runtime.undo()).undo({ ...found, turnId: turn, force, signal, onWait, afterShown });
    return { sessionKey: found.sessionKey, ...undone };
  },
});

export const diffSession = defineOperation({
  name: 'undo.diff',
  class: 'read',
  summary: 'Show as a diff what a session, or one of its turns, changed in files.',
  input: { type: 'object', properties: { session: SESSION, turn: TEXT }, additionalProperties: false },
  output: listOf(
    objectWith({
      path: TEXT,
      root: TEXT,
      status: { enum: ['created', 'modified', 'deleted'] },
      diff: TEXT,
      added: COUNT,
      removed: COUNT,
      truncated: YES_OR_NO,
    }),
  ),
  async run({ session, turn }, { runtime }) {
    await runtime.finishUndos();
    const { sessionId } = await findSession(runtime, session);
    return (await runtime.undo()).diff({ sessionId, turnId: turn });
  },
});

/** By key, or by the id of a session that is no longer its key's current one. */
async function findSession(
  runtime: Pick<Runtime, 'sessions'>,
  name: string,
): Promise<Pick<SessionEntry, 'sessionKey' | 'sessionId'>> {
  const entry = await runtime.sessions.find(name);
  if (entry) return { sessionKey: entry.sessionKey, sessionId: entry.sessionId };
  if (name === WITHOUT_SESSION || /^session-[\w-]+$/.test(name)) return { sessionKey: name, sessionId: name };
  throw new CodedError(
    'SESSION_NOT_FOUND',
    `there is no session "${name}"; "lainclaw sessions list" shows what there is`,
  );
}
