// The turns of this process: what runs, what waits for a person, answering and stopping it. Their events are read from the hub.

import { MODES } from '../config/mode.ts';
import { formEnding, permissionEnding } from '../gateway/chats/question-text.ts';
import { personOfTurn } from '../gateway/console-access/own-sessions.ts';
import type { QuestionAnswer, ResolvedEvent } from '../gateway/turns/questions.ts';
import type { TurnFacts } from '../gateway/turns/turn-hub.ts';
import { newId } from '../lib/new-id.ts';
import type { Attachment } from '../pipeline/attachments.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { NotAllowed } from '../vocabulary/not-allowed.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import {
  ATTACHMENT,
  COUNT,
  listOf,
  NO_INPUT,
  objectWith,
  REASON_PARTS,
  TEXT,
  TIME,
  WORDED,
  YES_OR_NO,
} from './schemas.ts';
import { shownQuestion } from './shown-question.ts';

const SCOPE = { type: 'string', enum: ['once', 'session', 'always'] } as const;
const ANY_OBJECT = { type: 'object', properties: {}, additionalProperties: true } as const;

const TURN = objectWith(
  {
    id: TEXT,
    sessionKey: TEXT,
    provider: TEXT,
    state: { type: 'string', enum: ['waiting', 'running', 'asking', 'ended'] },
    startedAt: TIME,
    lastNumber: COUNT,
  },
  { parentId: TEXT, chat: TEXT, endedAt: TIME, stage: TEXT, isRemote: { const: true }, isElsewhere: { const: true } },
);

const QUESTION = objectWith(
  { id: TEXT, turnId: TEXT, askedAt: TIME },
  {
    expiresAt: TIME,
    permission: objectWith(
      {
        tool: TEXT,
        title: TEXT,
        titleParts: {
          ...listOf(WORDED),
          description: 'the sentences of the title, for those who word it in another language',
        },
        exact: TEXT,
        reasons: listOf(TEXT),
        why: { ...listOf(REASON_PARTS), description: 'each of the reasons by its codes and values' },
        scopes: listOf(SCOPE),
        rules: listOf(TEXT),
      },
      {
        answers: {
          ...objectWith({ once: TEXT, session: TEXT, always: TEXT }),
          description: 'what the answers mean, where it is not how long they hold',
        },
        preview: objectWith({ summary: TEXT, text: TEXT, paths: listOf(TEXT) }, { isCut: { const: true } }),
      },
    ),
    form: objectWith({ message: TEXT, schema: ANY_OBJECT }, { server: TEXT }),
  },
);

export const listTurns = defineOperation({
  name: 'turns.list',
  class: 'read',
  people: 'own',
  summary: 'List the turns that run in this process, and those that have ended lately, oldest first.',
  input: NO_INPUT,
  output: listOf(TURN),
  run: async (_input, { runtime: { hub }, by }) => hub.turns().filter((turn) => isOwn(turn, by)),
});

export const listQuestions = defineOperation({
  name: 'turns.questions',
  class: 'read',
  people: 'own',
  summary: 'List what the turns of this process ask a person: permissions and forms, oldest first.',
  input: NO_INPUT,
  output: listOf(QUESTION),
  run: async (_input, { runtime: { hub }, by }) =>
    hub
      .questions()
      .filter(({ turnId }) => isOwn(hub.turn(turnId), by))
      .map(shownQuestion),
});

export const answerQuestion = defineOperation({
  name: 'turns.answer',
  class: 'change',
  summary: 'Answer a question of a turn. The first answer counts.',
  input: {
    type: 'object',
    properties: {
      questionId: TEXT,
      answer: {
        type: 'string',
        enum: ['allow', 'deny', 'send'],
        description: '`allow` a permission, `send` a form, `deny` either',
      },
      scope: { ...SCOPE, default: 'once', description: 'how long a permission holds' },
      content: { ...ANY_OBJECT, description: 'what a form is filled in with; what is left out gets its default' },
    },
    required: ['questionId', 'answer'],
    additionalProperties: false,
  },
  output: objectWith({ isAccepted: YES_OR_NO }),
  async run({ questionId, answer, scope, content }, { runtime: { hub }, by = { place: 'terminal' } }) {
    const given: Record<typeof answer, QuestionAnswer> = {
      allow: { kind: 'allow', scope },
      deny: { kind: 'deny' },
      send: { kind: 'form', answer: { action: 'accept', content: (content ?? {}) as Record<string, string> } },
    };
    const outcome = await hub.answer(questionId, given[answer], by);
    switch (outcome.kind) {
      case 'accepted':
        return { isAccepted: true };
      case 'ended':
        throw new CodedError('QUESTION_ENDED', `the question ${questionId} has ended. ${endingOf(outcome.event)}`);
      case 'unknown':
        throw new CodedError(
          'QUESTION_UNKNOWN',
          `there is no question ${questionId}; turns.questions lists the open ones`,
        );
      case 'refused':
        throw new CodedError('ANSWER_REFUSED', outcome.message);
      case 'invalid':
        throw new CodedError('ANSWER_INVALID', outcome.message);
    }
  },
});

export const stopTurn = defineOperation({
  name: 'turns.stop',
  class: 'change',
  people: 'own',
  summary: 'Stop a turn that runs.',
  input: { type: 'object', properties: { id: TEXT }, required: ['id'], additionalProperties: false },
  output: objectWith({ isStopped: YES_OR_NO }),
  async run({ id }, { runtime: { hub }, by }) {
    if (!isOwn(hub.turn(id), by)) throw unknownTurn(id);
    const outcome = hub.stop(id);
    if (outcome === 'unknown') throw unknownTurn(id);
    return { isStopped: outcome === 'stopped' };
  },
});

export const steerTurn = defineOperation({
  name: 'turns.steer',
  class: 'change',
  people: 'own',
  summary:
    'Write to a turn that runs: the message joins it after the running tool call. Waits until it has, unless the gateway is to keep it; `ended`: the turn ended first, so ask it as a question.',
  input: {
    type: 'object',
    properties: {
      id: TEXT,
      text: { ...TEXT, minLength: 1 },
      attachments: { ...listOf(ATTACHMENT), description: 'texts and pictures that the message is about' },
      keep: {
        ...YES_OR_NO,
        default: false,
        description:
          'answer at once with `waiting`: the gateway has the message on record, and asks it as the next question when the turn ends first. Takes no attachments',
      },
      messageId: {
        ...TEXT,
        pattern: '^[A-Za-z0-9-]{8,64}$',
        description: 'with keep: an id of your own; sent twice, it is one message',
      },
      session: {
        ...TEXT,
        description:
          'with keep: the session of the turn. A message that is part of it already is `joined`, also where a restarted gateway does not know the turn',
      },
      mode: { enum: MODES, description: 'with keep: what needs permission, should it be the next question' },
      model: { ...TEXT, description: 'with keep: the model that it is asked of then' },
    },
    required: ['id', 'text'],
    additionalProperties: false,
  },
  output: objectWith(
    { outcome: { type: 'string', enum: ['joined', 'withdrawn', 'ended', 'waiting'] } },
    { message: { ...TEXT, description: 'its id in the events of the turn' } },
  ),
  async run(input, context) {
    const { id, text, attachments = [], keep } = input;
    const { hub } = context.runtime;
    if (keep) return keepMessage(input, context);
    if (!isOwn(hub.turn(id), context.by)) throw unknownTurn(id);
    const message = { id: newId('steer'), text, attachments: attachments as Attachment[] };
    const outcome = await hub.steer(id, message);
    if (outcome === 'unknown') throw unknownTurn(id);
    return { outcome, message: message.id };
  },
});

async function keepMessage(
  input: {
    id: string;
    text: string;
    messageId?: string;
    session?: string;
    mode?: string;
    model?: string;
    attachments?: readonly unknown[];
  },
  { runtime: { hub, sessions }, kept, by }: OperationContext,
): Promise<{ outcome: 'joined' | 'ended' | 'waiting'; message: string }> {
  const { id: turnId, text, messageId = newId('').slice(1), session, mode, model, attachments = [] } = input;
  if (attachments.length > 0)
    throw new CodedError('INVALID_INPUT', 'a message with attachments cannot be kept: send it without keep');
  if (!kept || by?.place !== 'console')
    throw new CodedError('GATEWAY_NEEDED', 'only the gateway keeps messages: send it without keep, and wait');
  if (by.person !== undefined && model !== undefined) throw new NotAllowed('choosing the model', 'for the owner');
  const message = `message-${messageId}`;
  const known = await kept.known(message);
  if (known) return { outcome: known, message };
  const turn = hub.turn(turnId);
  if (!isOwn(turn, by) || !turn) {
    if (session !== undefined && (await sessions.isOnRecord(session, message))) return { outcome: 'joined', message };
    throw unknownTurn(turnId);
  }
  const outcome = await kept.keep({
    id: message,
    turnId,
    sessionKey: turn.sessionKey,
    text,
    sender: { name: by.name, ...(by.person !== undefined && { person: by.person }) },
    mode,
    model,
  });
  // One that has joined is no longer kept, and its gateway may be gone.
  const hasJoined = outcome === 'ended' && (await sessions.isOnRecord(turn.sessionKey, message));
  return { outcome: hasJoined ? 'joined' : outcome, message };
}

export const withdrawMessage = defineOperation({
  name: 'turns.withdraw',
  class: 'change',
  people: 'own',
  summary: 'Take back a message that the gateway keeps and that waits to join a turn. Answers with what became of it.',
  input: {
    type: 'object',
    properties: { id: TEXT, message: { ...TEXT, description: 'its id in the events of the turn' } },
    required: ['id', 'message'],
    additionalProperties: false,
  },
  output: objectWith({ outcome: { type: 'string', enum: ['withdrawn', 'joined', 'ended'] } }),
  async run({ id, message }, { runtime: { hub }, kept, by }) {
    if (!isOwn(hub.turn(id), by)) throw unknownTurn(id);
    const outcome = await (kept ?? hub).withdraw(id, message);
    if (outcome !== 'unknown') return { outcome };
    throw new CodedError('MESSAGE_UNKNOWN', `no message ${message} that can be taken back waits to join this turn`);
  },
});

/** Whether a turn exists for the caller. */
export function isOwn(turn: Pick<TurnFacts, 'chat'> | undefined, by: OperationContext['by']): boolean {
  if (by?.place !== 'console' || by.isOwner) return true;
  return turn !== undefined && by.person !== undefined && personOfTurn(turn) === by.person;
}

function unknownTurn(id: string): CodedError {
  return new CodedError('TURN_UNKNOWN', `no turn ${id} was started since this process began; turns.list names them`);
}

function endingOf(event: ResolvedEvent): string {
  return event.type === 'form-resolved' ? formEnding(event.resolution) : permissionEnding(event.resolution);
}
