// A channel whose platform is in this process: people write, press and read, messages are delivered again until they are
// taken, sending can fail in every way, and the connection can be cut. What a process leaves when it ends stays here.
import {
  type Channel,
  ChannelError,
  type ChannelStatus,
  type IncomingMessage,
  type Receive,
} from '../../src/channels/channel.ts';
import { splitMarkdown } from '../../src/channels/split-markdown.ts';
import type { Platform, PlatformFault, SeenMessage } from '../conformance/channel-subject.ts';

export const MEMORY_PART_CHARACTERS = 2_000;

export interface MemoryPlatform extends Platform {
  open(options?: { account?: string; isIdempotent?: boolean; hasButtons?: boolean }): Channel;
  /** Everything the bot has sent, in order, over all chats. */
  sent(): SeenMessage[];
  /** How often each message was changed. */
  edits(messageId: string): number;
  /** Signs of working, by chat. */
  signs(chatId: string): number;
  /** Every request to send or edit meets what this returns, until it returns undefined. */
  failWith(fault: ((request: { chatId: string; markdown: string }) => PlatformFault | undefined) | undefined): void;
  /** Delivers a message as it is, as often as it is called. */
  deliver(message: IncomingMessage): Promise<void>;
}

export function createMemoryPlatform(): MemoryPlatform {
  const undelivered: IncomingMessage[] = [];
  const messages = new Map<string, SeenMessage & { edits: number }>();
  const byKey = new Map<string, string>();
  const files = new Map<string, Uint8Array>();
  const signs = new Map<string, number>();
  let next: PlatformFault | undefined;
  let failWith: ((request: { chatId: string; markdown: string }) => PlatformFault | undefined) | undefined;
  let ids = 0;
  let isUp = true;
  let receive: Receive | undefined;
  let onConnection = (_isUp: boolean): void => {};
  const inFlight = new Set<string>();

  async function pump(): Promise<void> {
    if (!isUp || !receive) return;
    const taker = receive;
    for (const message of [...undelivered]) {
      if (inFlight.has(message.id)) continue;
      inFlight.add(message.id);
      taker(message).then(
        () => {
          inFlight.delete(message.id);
          const at = undelivered.indexOf(message);
          if (at >= 0) undelivered.splice(at, 1);
        },
        () => {
          inFlight.delete(message.id);
          setTimeout(pump, 10);
        },
      );
    }
  }

  function incoming(more: Partial<IncomingMessage> & Pick<IncomingMessage, 'chatId' | 'sender'>): IncomingMessage {
    ids += 1;
    return {
      id: `in-${ids}`,
      chatKind: 'direct',
      isAddressed: true,
      order: ids,
      sentAt: ids,
      text: '',
      files: [],
      ...more,
    };
  }

  const meet = (request: { chatId: string; markdown: string }): PlatformFault | undefined => {
    const fault = next ?? failWith?.(request);
    next = undefined;
    return fault;
  };
  const refused = (fault: PlatformFault): ChannelError => {
    if (fault.kind === 'rate-limited')
      return new ChannelError('rate-limited', 'too many requests', { retryAfterMs: fault.retryAfterMs });
    if (fault.kind === 'answer-lost') return new ChannelError('unknown-outcome', 'the answer was lost');
    return new ChannelError(fault.kind, `the platform is ${fault.kind}`);
  };

  return {
    async write({ chatId, threadId, senderId, text, chatKind = 'direct', mentionsBot = true, replyTo, file }) {
      const message = incoming({
        chatId,
        ...(threadId && { threadId }),
        sender: { id: senderId },
        text,
        chatKind,
        isAddressed: chatKind === 'direct' || mentionsBot,
        ...(replyTo && { replyTo }),
        ...(file && { files: [{ kind: file.kind, name: file.name, reference: `file-${ids + 1}` }] }),
      });
      if (file) files.set(`file-${ids}`, file.content);
      undelivered.push(message);
      void pump();
      return { id: message.id };
    },
    async deliver(message) {
      await receive?.(message);
    },
    async press({ chatId, messageId, value, senderId }) {
      const { threadId } = messages.get(messageId) ?? {};
      const topic = threadId === undefined ? {} : { threadId };
      undelivered.push(incoming({ chatId, ...topic, sender: { id: senderId }, pressed: { value, messageId } }));
      void pump();
    },
    seen: async (chatId) => [...messages.values()].filter((message) => message.chatId === chatId),
    sent: () => [...messages.values()],
    edits: (messageId) => messages.get(messageId)?.edits ?? 0,
    signs: (chatId) => signs.get(chatId) ?? 0,
    failNextSend(fault) {
      next = fault;
    },
    failWith(faults) {
      failWith = faults;
    },
    async disconnect() {
      isUp = false;
      onConnection(false);
    },
    async restore() {
      isUp = true;
      onConnection(true);
      void pump();
    },

    open({ account = 'default', isIdempotent = true, hasButtons = true } = {}): Channel {
      let status: ChannelStatus = { state: 'disconnected', since: 0, reconnects: 0 };
      const assertOpen = (): void => {
        if (status.state === 'closed') throw new ChannelError('unreachable', 'the channel is closed');
      };
      return {
        name: 'local',
        account,
        isIdempotent,
        hasButtons,
        async connect(take, signal) {
          signal.throwIfAborted();
          const own: Receive = async (message) => {
            status = { ...status, lastEventAt: 1 };
            await take(message);
          };
          receive = own;
          inFlight.clear();
          onConnection = (up) => {
            const reconnects = status.reconnects + (up ? 1 : 0);
            status = { ...status, state: up ? 'connected' : 'disconnected', reconnects };
          };
          status = { ...status, state: 'connected' };
          void pump();
        },
        split: (markdown) => splitMarkdown(markdown, { limit: MEMORY_PART_CHARACTERS }),
        async send({ key, chatId, threadId, markdown, replyTo, buttons = [] }, signal) {
          signal.throwIfAborted();
          assertOpen();
          const fault = meet({ chatId, markdown });
          if (fault && fault.kind !== 'answer-lost') throw refused(fault);
          const known = isIdempotent ? byKey.get(key) : undefined;
          const messageId = known ?? `out-${messages.size + 1}`;
          if (known === undefined) {
            byKey.set(key, messageId);
            const topic = threadId === undefined ? {} : { threadId };
            const shown = { chatId, ...topic, messageId, text: markdown, buttons, edits: 0 };
            messages.set(messageId, replyTo === undefined ? shown : { ...shown, replyTo });
          }
          if (fault) throw refused(fault);
          return { chatId, messageId };
        },
        async sendPicture({ key, chatId, threadId, bytes }, signal) {
          signal.throwIfAborted();
          assertOpen();
          const fault = meet({ chatId, markdown: `picture of ${bytes.length} bytes` });
          if (fault && fault.kind !== 'answer-lost') throw refused(fault);
          const known = isIdempotent ? byKey.get(key) : undefined;
          const messageId = known ?? `out-${messages.size + 1}`;
          if (known === undefined) {
            byKey.set(key, messageId);
            const topic = threadId === undefined ? {} : { threadId };
            messages.set(messageId, { chatId, ...topic, messageId, text: '', buttons: [], picture: bytes, edits: 0 });
          }
          if (fault) throw refused(fault);
          return { chatId, messageId };
        },
        async edit({ messageId }, { markdown, buttons = [] }, signal) {
          signal.throwIfAborted();
          assertOpen();
          const found = messages.get(messageId);
          if (!found) throw new ChannelError('rejected', 'there is no such message');
          const fault = meet({ chatId: found.chatId, markdown });
          if (fault) throw refused(fault);
          messages.set(messageId, { ...found, text: markdown, buttons, edits: found.edits + 1 });
        },
        async showWorking({ chatId }) {
          signs.set(chatId, (signs.get(chatId) ?? 0) + 1);
        },
        async download({ reference }, maxBytes) {
          const bytes = files.get(String(reference));
          if (!bytes) throw new ChannelError('rejected', 'there is no such file');
          if (bytes.length > maxBytes) throw new ChannelError('rejected', `it has ${bytes.length} bytes`);
          return bytes;
        },
        status: () => status,
        async close() {
          if (status.state === 'connected') {
            receive = undefined;
            inFlight.clear();
          }
          status = { ...status, state: 'closed' };
        },
      };
    },
  };
}
