// What happens to a message that arrives: who may not write here is turned away, what is known already is dropped, and
// everything else is stored before the platform gets its acknowledgement. Commands that cannot wait are answered at once;
// the rest goes to its chat's lane.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, IncomingMessage, Receive } from '../../channels/channel.ts';
import type { InboxMessage, OutboxDraft, Received } from '../../storage/mailbox.ts';
import type { BotKey, ChatKey } from '../../vocabulary/chat-name.ts';
import {
  type Admit,
  type BotSettings,
  bodyOf,
  type ChatLimits,
  type ChatLog,
  type ChatMessage,
  nameOf,
  refusedBody,
} from './chat.ts';
import { type ReadCommand, readCommand } from './commands/all.ts';
import type { Delivery } from './delivery.ts';
import type { Inbox } from './inbox.ts';
import { type Batch, retryWaitMs } from './lanes.ts';
import { draftsOf } from './outgoing.ts';
import type { WaitingMessages } from './waiting-messages.ts';

type Author = InboxMessage['from'];

const FLOOD_TOLD_EVERY_MS = 60_000;

export interface ReceiveDependencies {
  inbox: Inbox;
  admit: Admit;
  settings(bot: BotKey): Promise<BotSettings>;
  waiting: Pick<WaitingMessages, 'add' | 'countIn'>;
  delivery: Pick<Delivery, 'wake'>;
  limits: ChatLimits;
  /** What takes a message as the answer to a form; undefined when none is asked for. */
  formAnswer(message: ChatMessage): (() => void | Promise<void>) | undefined;
  /** The answer, as Markdown. */
  runCommand(command: ReadCommand, request: ChatMessage): Promise<string | undefined>;
  /** Fires when the gateway closes. */
  ending: AbortSignal;
  newId(prefix: string): string;
  now(): number;
  log: ChatLog;
}

export interface Reception {
  /** What a channel hands its messages to. */
  receiveFrom(channel: Channel): Receive;
  /** A command whose turn it is in its lane. */
  handleCommand(batch: Batch, channel: Channel): Promise<void>;
}

export function createReception(dependencies: ReceiveDependencies): Reception {
  const { inbox, admit, settings, waiting, delivery, limits, formAnswer, runCommand, ending, newId, now, log } =
    dependencies;

  const store = (
    chat: ChatKey,
    { id, order }: IncomingMessage,
    body: string,
    { from, isApart }: { from?: Author; isApart?: boolean },
  ): Promise<Received> => inbox.receive({ chat, id, order, receivedAt: now(), body, from, isApart });

  /** By chat: resolves when the message that came last is stored or refused. Never rejects. */
  const lastOf = new Map<string, Promise<void>>();

  /** Calls `take` at once, and says when every message that came before this one into its chat is stored or refused. */
  async function inTurn(chat: ChatKey, take: (earlier: Promise<void>) => Promise<void>): Promise<void> {
    const name = nameOf(chat);
    const earlier = lastOf.get(name) ?? Promise.resolve();
    const taken = take(earlier);
    const own: Promise<void> = Promise.allSettled([earlier, taken]).then(() => {
      if (lastOf.get(name) === own) lastOf.delete(name);
    });
    lastOf.set(name, own);
    await taken;
  }

  async function queue(channel: Channel, request: ChatMessage, from: Author): Promise<void> {
    const { chat, message } = request;
    if ((await waiting.countIn(chat)) >= limits.waitingMessages) return turnAway(channel, chat, message);
    const received = await store(chat, message, bodyOf(request), { from });
    if (received !== 'known') await waiting.add(request, received);
  }

  async function take(
    channel: Channel,
    chat: ChatKey,
    message: IncomingMessage,
    earlier: Promise<void>,
  ): Promise<void> {
    const bot = { channel: channel.name, account: channel.account };
    if (message.chatKind === 'group' && (!message.isAddressed || !(await settings(bot)).groups)) return;
    const admission = await admit(message, bot);
    if (!admission.allowed) return refuse(channel, chat, message, admission.reply);
    const request: ChatMessage = { chat, message, isOwner: admission.isOwner ?? message.chatKind === 'direct' };
    const answersForm = formAnswer(request);
    const read = answersForm ? undefined : readCommand(request);
    const { isOwner } = request;
    const from = { id: message.sender.id, chatKind: message.chatKind, isOwner };
    if (!answersForm && !read?.command.isImmediate) {
      // One whose storing takes long is not overtaken: it would be answered after a later one.
      await earlier;
      return queue(channel, request, from);
    }
    if ((await store(chat, message, bodyOf(request), { from, isApart: true })) === 'known') return;
    if (answersForm) {
      let isTaken: boolean | undefined;
      return untilDone(chat, async () => {
        isTaken ??= await handOver(request, answersForm);
        if (isTaken) await close(channel, chat, message);
      });
    }
    if (!read) return;
    // The platform is not kept waiting for the answer.
    runCommand(read, request)
      .then((markdown) => untilDone(chat, () => close(channel, chat, message, markdown)))
      .catch((error: unknown) =>
        log(`/${read.command.name} failed: ${(error as Error).message}`, { level: 'warn', chat }),
      );
  }

  /** The message is done with, and this is what there is to say about it. */
  async function close(channel: Channel, chat: ChatKey, message: IncomingMessage, markdown?: string): Promise<void> {
    const drafts = markdown === undefined ? [] : replyOf(channel, chat, message, markdown);
    await inbox.finish([{ chat, id: message.id }], drafts, now());
    delivery.wake();
  }

  /** Stored with the words for it: a process that ends in between leaves them to the next. */
  async function turnDown(chat: ChatKey, message: IncomingMessage, drafts: OutboxDraft[]): Promise<void> {
    if ((await store(chat, message, refusedBody(drafts), { isApart: true })) === 'known') return;
    await untilDone(chat, async () => {
      await inbox.finish([{ chat, id: message.id }], drafts, now());
      delivery.wake();
    });
  }

  /**
   * For a message that is stored and claimed here: its platform does not deliver it again, and while it is unfinished no other gateway answers its chat. What fails
   * is tried again after this has resolved, until the gateway closes.
   */
  async function untilDone(chat: ChatKey, work: () => Promise<void>): Promise<void> {
    const attempt = async (failures: number): Promise<void> => {
      try {
        await work();
      } catch (error) {
        log(`will be tried again: ${(error as Error).message}`, { level: 'warn', chat });
        void sleep(retryWaitMs(failures), undefined, { signal: ending, ref: false }).then(
          () => attempt(failures + 1),
          () => {},
        );
      }
    };
    await attempt(0);
  }

  /** A form that could not be reached: the message waits like any other. */
  async function handOver(request: ChatMessage, answersForm: () => void | Promise<void>): Promise<boolean> {
    try {
      await answersForm();
      return true;
    } catch {
      await inbox.release([{ chat: request.chat, id: request.message.id }]);
      await waiting.add(request, 'queued');
      return false;
    }
  }

  async function refuse(channel: Channel, chat: ChatKey, message: IncomingMessage, reply?: string): Promise<void> {
    if (reply === undefined) return;
    await turnDown(chat, message, replyOf(channel, chat, message, reply, { isForStranger: true }));
  }

  /** A chat in which more is written than can be answered: nothing more is kept, and that is said now and then. */
  async function turnAway(channel: Channel, chat: ChatKey, message: IncomingMessage): Promise<void> {
    const key = `${replyKey(chat, 'flood')}-${Math.floor(now() / FLOOD_TOLD_EVERY_MS)}`;
    const markdown = `${limits.waitingMessages} messages are waiting here: what comes on top of that is not read. Please wait.`;
    await turnDown(chat, message, draftsOf({ chat, channel, key, markdown }));
  }

  return {
    receiveFrom: (channel) => (message) => {
      const { chatId, threadId } = message;
      const thread = threadId === undefined ? {} : { threadId };
      const chat: ChatKey = { channel: channel.name, account: channel.account, chatId, ...thread };
      return inTurn(chat, (earlier) => take(channel, chat, message, earlier));
    },

    async handleCommand(batch, channel) {
      const [request] = batch.messages;
      const read = request && readCommand(request);
      if (!read) throw new Error('there is no command in the message');
      const { chat, message } = request;
      if (!read.command.isRepeatable) {
        if (batch.turnId !== undefined) {
          const told = `\`/${read.command.name}\` was interrupted. It was not repeated: look whether it was done.`;
          return close(channel, chat, message, told);
        }
        const turnId = newId('turn');
        if (!(await inbox.begin([{ chat, id: message.id }], turnId))) return;
        batch.turnId = turnId;
      }
      await close(channel, chat, message, await runCommand(read, request));
    },
  };
}

function replyOf(
  channel: Channel,
  chat: ChatKey,
  message: IncomingMessage,
  markdown: string,
  more: { isForStranger?: boolean } = {},
): OutboxDraft[] {
  const { id: replyTo } = message;
  return draftsOf({ chat, channel, key: replyKey(chat, replyTo), markdown, replyTo, ...more });
}

/** The same for the same message, also in another process. */
function replyKey(chat: ChatKey, id: string): string {
  const hash = createHash('sha256')
    .update(`${nameOf(chat)} ${id}`)
    .digest('hex');
  return `re-${hash.slice(0, 24)}`;
}
