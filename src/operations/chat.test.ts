import { describe, expect, it } from 'vitest';
import { testOperations } from '../../test/support/test-operations.ts';
import type { AskingChat } from '../gateway/chats/asking-chat.ts';
import type { ChatChoices } from '../gateway/chats/choices.ts';
import type { Runtime } from '../runtime/runtime.ts';

const TURN = { provider: 'stub', withTools: true, toolMaxSteps: 3, mode: 'auto' as const, caps: {} };

/** A chat whose choices are kept in memory. */
function inMemory(): AskingChat {
  let chosen: ChatChoices = {};
  return {
    sessionKey: 'local:anna',
    settings: async () => ({ turn: TURN, groups: false }),
    choices: async () => chosen,
    async choose(change) {
      chosen = { ...chosen, ...change } as ChatChoices;
    },
    stop: async () => 'nothing',
    activity: async () => ({ isRunning: false, waiting: 2, openQuestions: 1 }),
  };
}

async function setUp() {
  const { runtime, checked } = await testOperations({ chat: inMemory() });
  const opened = await runtime.openWorkspace();
  return { runtime, checked: (name: string, input: Record<string, unknown>) => checked(name, input, { opened }) };
}

async function ask(runtime: Runtime, input: string): Promise<void> {
  const { ask: start } = await (await runtime.openWorkspace()).gateway();
  const request = { ...TURN, input, attachments: [], sessionKey: 'local:anna', newSession: false };
  for await (const event of await start(request, new AbortController().signal))
    if (event.type === 'run-end') expect(event.result.success).toBe(true);
}

describe('the operations on the chat that asks', () => {
  it.each([
    ['chat.show', {}, { sessionKey: 'local:anna', provider: 'stub', isModelChosen: false, waiting: 2 }],
    ['chat.models', {}, { provider: 'stub', models: [] }],
    ['chat.setModel', { model: 'small' }, { model: 'small', isModelChosen: true }],
    ['chat.setModel', { model: 'openai/gpt-5' }, { provider: 'openai', isModelChosen: true }],
    ['chat.setModel', {}, { isModelChosen: false }],
    ['chat.setMemory', { memory: true }, { memory: true }],
    ['chat.setMode', { mode: 'plan' }, { mode: 'plan' }],
    ['chat.new', {}, { sessionKey: 'local:anna' }],
    ['chat.stop', {}, { outcome: 'nothing' }],
    ['chat.context', {}, { context: { messageCount: 2 } }],
    ['chat.compact', {}, { kind: 'nothing' }],
  ])('%s %j answers what its output schema says', async (name, input, expected) => {
    const { runtime, checked } = await setUp();
    await ask(runtime, 'hello');
    expect(await checked(name, input)).toMatchObject({ output: expected, problem: undefined });
  });

  it('say that there is none, where they are not asked in a chat', async () => {
    const { invoke } = await testOperations();
    await expect(invoke('chat.show')).rejects.toMatchObject({ code: 'NO_CHAT' });
  });
});
