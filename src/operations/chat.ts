// The chat in which the operation is asked for: its model and memory, its conversation, what runs in it.
import { MODES } from '../config/mode.ts';
import type { AskingChat } from '../gateway/chats/asking-chat.ts';
import { chosenModel, turnSettings } from '../gateway/chats/choices.ts';
import type { AskRequest } from '../gateway/gateway.ts';
import { nearest } from '../lib/nearest.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, TEXT, TIME, YES_OR_NO } from './schemas.ts';

const STATE = objectWith(
  {
    sessionKey: TEXT,
    provider: TEXT,
    isModelChosen: { ...YES_OR_NO, description: 'the model was chosen in this chat' },
    withTools: YES_OR_NO,
    memory: YES_OR_NO,
    mode: { enum: MODES },
    isRunning: YES_OR_NO,
    waiting: { ...COUNT, description: 'messages that wait for the end of the turn' },
    openQuestions: COUNT,
  },
  { model: { type: 'string', description: 'absent: the default of the provider' }, createdAt: TIME },
);

export const showChat = defineOperation({
  name: 'chat.show',
  class: 'read',
  concerns: 'chat',
  summary: 'Tell what the chat is like: its model, memory and conversation, and what runs in it.',
  input: NO_INPUT,
  output: STATE,
  run: async (_input, context) => stateOf(chatOf(context), context),
});

export const listChatModels = defineOperation({
  name: 'chat.models',
  class: 'read',
  summary: 'List the models that can be chosen in the chat.',
  input: NO_INPUT,
  output: objectWith(
    { provider: TEXT, models: listOf(objectWith({ id: TEXT, isDefault: YES_OR_NO })) },
    { problem: { type: 'string', description: 'why the list is empty' } },
  ),
  async run(_input, context) {
    const { provider } = await modelOf(chatOf(context));
    const listed = await workspaceOf(context).listModels(provider, context.signal);
    if (!listed.ok) return { provider, models: [], problem: listed.message };
    return { provider, models: listed.models.map(({ id, isDefault }) => ({ id, isDefault })) };
  },
});

export const setChatModel = defineOperation({
  name: 'chat.setModel',
  class: 'change',
  summary: 'Choose the model that answers in the chat; without one, the usual model answers again.',
  input: {
    type: 'object',
    properties: { model: { type: 'string', description: 'a model, or provider/model' } },
    additionalProperties: false,
  },
  output: STATE,
  async run({ model: wanted }, context) {
    const chat = chatOf(context);
    if (wanted === undefined) {
      await chat.choose({ model: undefined });
      return stateOf(chat, context);
    }
    const { listModels, chooseModel } = workspaceOf(context);
    const { provider: inUse } = await modelOf(chat);
    const { provider, model: name = wanted } = await chooseModel({ provider: inUse, model: wanted });
    const listed = await listModels(provider, context.signal);
    // A list that cannot be read must not prevent the choice.
    if (listed.ok && listed.models.length > 0 && !listed.models.some(({ id }) => id === name)) {
      const ids = listed.models.map(({ id }) => id);
      const close = nearest(name, ids) ?? ids.find((id) => id.includes(name));
      const hint =
        close === undefined
          ? ': /models lists what there is'
          : `: did you mean ${provider === inUse ? close : `${provider}/${close}`}?`;
      throw new CodedError('MODEL_NOT_FOUND', `${provider} has no model "${name}"${hint}`);
    }
    const isOther = provider !== (await chat.settings()).turn.provider;
    await chat.choose({ model: { provider, name, ...(isOther && { withProvider: true as const }) } });
    return stateOf(chat, context);
  },
});

export const setChatMemory = defineOperation({
  name: 'chat.setMemory',
  class: 'change',
  summary: 'Turn the memory of the chat on or off.',
  input: {
    type: 'object',
    properties: { memory: YES_OR_NO },
    required: ['memory'],
    additionalProperties: false,
  },
  output: STATE,
  async run({ memory }, context) {
    const chat = chatOf(context);
    await chat.choose({ memory });
    return stateOf(chat, context);
  },
});

export const setChatMode = defineOperation({
  name: 'chat.setMode',
  class: 'change',
  summary: "Choose what asks for permission in the chat; it holds for the owner's messages.",
  input: {
    type: 'object',
    properties: { mode: { enum: MODES } },
    required: ['mode'],
    additionalProperties: false,
  },
  output: STATE,
  async run({ mode }, context) {
    const chat = chatOf(context);
    await chat.choose({ mode });
    return stateOf(chat, context);
  },
});

export const startConversation = defineOperation({
  name: 'chat.new',
  class: 'change',
  concerns: 'chat',
  summary: 'Begin another conversation in the chat; what was said before is kept.',
  input: NO_INPUT,
  output: objectWith({ sessionKey: TEXT, sessionId: TEXT }),
  async run(_input, context) {
    const { sessionKey, sessionId } = await context.runtime.sessions.renew(chatOf(context).sessionKey, context.signal);
    return { sessionKey, sessionId };
  },
});

export const stopChat = defineOperation({
  name: 'chat.stop',
  class: 'change',
  concerns: 'sender',
  summary: 'Cancel what runs in the chat, or what is about to: of others only by the owner.',
  input: NO_INPUT,
  output: objectWith({ outcome: { enum: ['stopped', 'nothing', 'of-another'] } }),
  run: async (_input, context) => ({ outcome: await chatOf(context).stop() }),
});

export const describeConversation = defineOperation({
  name: 'chat.context',
  class: 'read',
  concerns: 'chat',
  summary: "Tell what fills the model's context window, in tokens.",
  input: NO_INPUT,
  output: objectWith(
    {},
    {
      context: objectWith(
        {
          budgetTokens: { ...COUNT, description: 'the most that the history may take' },
          system: COUNT,
          instructions: COUNT,
          tools: COUNT,
          memory: { ...COUNT, description: 'core memory' },
          recalled: { ...COUNT, description: 'what was recalled for the last question' },
          summary: COUNT,
          history: COUNT,
          messageCount: COUNT,
          toolCount: COUNT,
        },
        { model: TEXT, windowTokens: COUNT },
      ),
    },
  ),
  async run(_input, context) {
    const { describe } = workspaceOf(context).conversations;
    const report = await describe(await requestOf(chatOf(context)), context.signal);
    return report ? { context: report } : {};
  },
});

export const compactConversation = defineOperation({
  name: 'chat.compact',
  class: 'change',
  summary: 'Summarise the older part of the conversation now; the originals stay in the transcript.',
  input: {
    type: 'object',
    properties: { keep: { type: 'string', description: 'what the summary must keep' } },
    additionalProperties: false,
  },
  output: {
    anyOf: [
      objectWith({ kind: { const: 'compacted' }, notice: TEXT, tokensBefore: COUNT, tokensAfter: COUNT }),
      objectWith({ kind: { const: 'nothing' }, messageCount: COUNT }),
      objectWith({ kind: { const: 'refused' }, reason: TEXT }),
    ],
  },
  async run({ keep }, context) {
    const { compact } = workspaceOf(context).conversations;
    const request = await requestOf(chatOf(context));
    return compact({ ...request, ...(keep !== undefined && { keep }) }, context.signal);
  },
});

function chatOf({ chat }: OperationContext): AskingChat {
  if (chat) return chat;
  throw noChat();
}

/** The workspace of the chat: its tools, the models it can ask. */
function workspaceOf({ opened }: OperationContext): NonNullable<OperationContext['opened']> {
  if (opened) return opened;
  throw noChat();
}

function noChat(): CodedError {
  return new CodedError('NO_CHAT', 'this is about the chat in which it is asked, and it was not asked in one');
}

async function requestOf(chat: AskingChat): Promise<AskRequest> {
  const turn = turnSettings(await chat.settings(), await chat.choices());
  return { ...turn, input: '', attachments: [], sessionKey: chat.sessionKey, asker: chat.asker, newSession: false };
}

async function modelOf(chat: AskingChat): Promise<{ provider: string; model?: string; isModelChosen: boolean }> {
  const { provider, model } = (await chat.settings()).turn;
  const own = chosenModel(await chat.choices(), provider);
  const name = own?.name ?? model;
  return {
    provider: own?.provider ?? provider,
    ...(name !== undefined && { model: name }),
    isModelChosen: own !== undefined,
  };
}

async function stateOf(chat: AskingChat, { runtime: { sessions } }: OperationContext) {
  const { sessionKey } = chat;
  const [model, { turn }, choices, entry] = await Promise.all([
    modelOf(chat),
    chat.settings(),
    chat.choices(),
    sessions.get(sessionKey),
  ]);
  return {
    sessionKey,
    ...model,
    withTools: turn.withTools,
    memory: choices.memory ?? turn.memory ?? entry?.memoryEnabled ?? false,
    mode: choices.mode ?? turn.mode,
    ...(entry && { createdAt: entry.createdAt }),
    ...(await chat.activity()),
  };
}
