// The running gateway on a platform and a mailbox that outlive it, with turns that a test writes: what a process is in the
// world, without its model. `kill` ends it as a power cut would: from then on nothing it does has any effect.
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ModelChoice } from '../../src/adapters/choose-model.ts';
import type { ChannelGateway } from '../../src/gateway/channel-gateway.ts';
import type { ChannelGatewayDependencies } from '../../src/gateway/chats/channel-gateway-dependencies.ts';
import type { BotSettings } from '../../src/gateway/chats/chat.ts';
import { createChannelGateway } from '../../src/gateway/chats/create-channel-gateway.ts';
import type { AskRequest } from '../../src/gateway/gateway.ts';
import { createAskedTurns } from '../../src/gateway/turns/asked-turns.ts';
import { createTurnHub, type HubTurn, type TurnHub } from '../../src/gateway/turns/turn-hub.ts';
import { newId } from '../../src/lib/new-id.ts';
import { invokeFromChat } from '../../src/operations/from-chat.ts';
import type { AskResult, RunEvent } from '../../src/pipeline/events.ts';
import type { ListModels } from '../../src/runtime/providers.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import type { RuntimeWorkspace } from '../../src/runtime/workspace.ts';
import type { Sessions } from '../../src/sessions/sessions.ts';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import type { Lock } from '../../src/storage/locks.ts';
import type { Mailbox } from '../../src/storage/mailbox.ts';
import type { SessionEntry } from '../../src/storage/storage.ts';
import { createWorkspace } from '../../src/workspace/confined.ts';
import { eventually } from './eventually.ts';
import { createMemoryPlatform, type MemoryPlatform } from './memory-channel.ts';
import { afterFile } from './test-home.ts';

/** A turn that a test writes. `questions` puts questions to the chat. */
export type Answer = (
  request: AskRequest,
  signal: AbortSignal,
  questions: HubTurn['questions'],
  steering: HubTurn['steering'],
) => AsyncIterable<RunEvent>;

export const SETTINGS: BotSettings = {
  turn: { provider: 'stub', withTools: true, toolMaxSteps: 3, mode: 'ask', caps: {} },
  groups: false,
};

export interface StartOptions extends Partial<ChannelGatewayDependencies> {
  /** What operations do with sessions, files and models. */
  renew?: Sessions['renew'];
  session?: Sessions['get'];
  undo?(): Promise<never>;
  models?: ListModels;
}

export interface TestChats {
  platform: MemoryPlatform;
  mailbox: Mailbox;
  /** Of the process that was started last. */
  hub(): TurnHub;
  workspace: string;
  /** Every request for a turn, over all processes. */
  asked: AskRequest[];
  logged: string[];
  /** Starts a process; the one before must have ended. */
  start(more?: StartOptions): Promise<ChannelGateway>;
  kill(): void;
  write(text: string, chatId?: string, more?: object): Promise<{ id: string }>;
  /** What the bot has said in a chat. */
  said(chatId?: string): Promise<string[]>;
  /** Resolves when the bot has said exactly this in the chat. */
  says(texts: unknown[], chatId?: string): Promise<void>;
}

export async function testChats(answer: Answer = echo): Promise<TestChats> {
  const base = mkdtempSync(join(tmpdir(), 'lainclaw-chats-'));
  const storage = createLocalStorage({ home: join(base, 'home'), now: Date.now });
  const mailbox = await storage.mailbox();
  const platform = createMemoryPlatform();
  const asked: AskRequest[] = [];
  const logged: string[] = [];
  let claimant: Lock | undefined;
  let running: { gateway: ChannelGateway; kill(): void } | undefined;
  afterFile(async () => {
    await running?.gateway.drain(AbortSignal.abort());
    await storage.close();
    // What ends late opens its database once more while the folder is emptied.
    await rm(base, { recursive: true, force: true, maxRetries: 10 });
  });

  let current: TurnHub;
  const chats: TestChats = {
    platform,
    mailbox,
    hub: () => current,
    workspace: base,
    asked,
    logged,
    async start({ renew, session, undo, models, ...more } = {}) {
      const life = { isOver: false };
      // The process before has ended, and its lock with it.
      await claimant?.release();
      claimant = await storage.locks.acquire('gateway-service');
      const channels = (more.channels ?? [platform.open()]).map((channel) => mortal(channel, life));
      const hub = createTurnHub({ now: Date.now, newId });
      current = hub;
      const turns = createAskedTurns(hub);
      const undone = { turnId: 'turn-1', recordedAt: '', root: '', undoId: '', notCovered: [] };
      // The operations are the real ones, on what they use of a runtime.
      const operated = {
        runtime: {
          hub,
          audit: async () => ({ append: async () => {} }),
          sessions: {
            get: session ?? (async () => undefined),
            find: session ?? (async () => undefined),
            renew: renew ?? (async (sessionKey: string) => entryOf(sessionKey)),
          },
          finishUndos: async () => [],
          rewinding: async () => ({ finishInterrupted: async () => [] }),
          undo: async () => ({
            undo: undo ?? (async () => ({ ...undone, files: [{ path: 'a.txt', action: 'restored' }] })),
          }),
        } as unknown as Runtime,
        opened: {
          listModels: models ?? (async () => ({ ok: true as const, models: [] })),
          chooseModel: async (named: ModelChoice) => named,
          conversations: {
            describe: async () => undefined,
            compact: async () => ({ kind: 'nothing' as const, messageCount: 0 }),
          },
        } as unknown as RuntimeWorkspace,
      };
      const gateway = createChannelGateway({
        hub,
        mailbox: mortal(mailbox, life),
        audit: async () => {},
        claimant,
        async ask(request, signal) {
          if (life.isOver) return never();
          asked.push(request);
          const { sessionKey, provider, chat, answering } = request;
          const id = newId('turn');
          return turns.start({
            id,
            sessionKey,
            provider,
            chat,
            questionMs: answering?.expiresMs,
            signal,
            async *run(turn) {
              yield { type: 'run-start', requestId: newId('req'), turnId: id, sessionKey, provider };
              yield* answer(request, turn.signal, turn.questions, turn.steering);
            },
          });
        },
        sessions: { findTurn: async () => undefined },
        admit: async () => ({ allowed: true }),
        mayReceive: async () => true,
        settings: async () => SETTINGS,
        invoke: (name, input, asked) => invokeFromChat(name, input, { ...asked, ...operated, warn() {} }),
        workspace: () => createWorkspace({ root: base }),
        systemTimezone: () => 'UTC',
        now: Date.now,
        newId,
        random: Math.random,
        log: (text) => logged.push(text),
        ...more,
        channels,
        limits: { debounceMs: 20, debounceMaxMs: 200, progressAfterMs: 60_000, ...more.limits },
      });
      running = {
        gateway,
        kill() {
          life.isOver = true;
        },
      };
      await gateway.start(new AbortController().signal);
      return gateway;
    },
    kill: () => running?.kill(),
    write: (text, chatId = 'anna', more = {}) => platform.write({ chatId, senderId: chatId, text, ...more }),
    said: async (chatId = 'anna') => (await platform.seen(chatId)).map(({ text }) => text),
    says: async (texts, chatId = 'anna') =>
      eventually(async () => {
        expect(await chats.said(chatId)).toEqual(texts);
      }),
  };
  return chats;
}

function entryOf(sessionKey: string): SessionEntry {
  return { sessionKey, sessionId: 'new', createdAt: '', updatedAt: '' };
}

/** After the end nothing that is called has an effect, and nobody hears of it. */
function mortal<T extends object>(target: T, life: { isOver: boolean }): T {
  return new Proxy(target, {
    get(object, name) {
      const value = Reflect.get(object, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (life.isOver && name !== 'split' && name !== 'status') return new Promise(() => {});
        return Reflect.apply(value, object, args);
      };
    },
  });
}

async function* never(): AsyncIterable<RunEvent> {
  await new Promise(() => {});
}

/** Answers with what was asked. */
export async function* echo(request: AskRequest): AsyncIterable<RunEvent> {
  yield runEnd(request, `echo: ${request.input}`);
}

export function runEnd({ sessionKey }: AskRequest, result: string, more: Partial<AskResult> = {}): RunEvent {
  const facts = {
    success: true as const,
    requestId: 'req-1',
    createdAt: '',
    route: 'stub',
    stage: 'answered' as const,
    result,
    sessionKey,
    sessionId: 'session-1',
    memoryEnabled: false,
    memoryUpdated: false,
    toolCalls: [],
    toolResults: [],
    sessionContextUpdated: false,
  };
  return { type: 'run-end', result: { ...facts, ...more } as AskResult };
}
