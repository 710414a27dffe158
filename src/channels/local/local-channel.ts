// The channel of scripts and tests: people write by appending lines to inbox.jsonl, answers are lines of outbox.jsonl.
// The format is in docs/gateway/local.md.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureDirectory, writeAtomically } from '../../storage/private-files.ts';
import { type Channel, ChannelError, type ChannelStatus, type IncomingMessage, type Receive } from '../channel.ts';
import { splitMarkdown } from '../split-markdown.ts';
import { type LocalReference, parseInboxLine } from './inbox-line.ts';
import { followInbox } from './inbox-reader.ts';
import { createOutboxWriter } from './outbox-writer.ts';

const PART_CHARACTERS = 4_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;

export interface LocalChannelOptions {
  account: string;
  /** Holds inbox.jsonl and outbox.jsonl; made when it is missing. */
  directory: string;
  now(): number;
  /** A line of the inbox that is not a message, for the person running this. */
  warn(text: string): void;
}

export function createLocalChannel({ account, directory, now, warn }: LocalChannelOptions): Channel {
  const outbox = createOutboxWriter(join(directory, 'outbox.jsonl'));
  const closing = new AbortController();
  let following: Promise<void> = Promise.resolve();
  let status: ChannelStatus = { state: 'disconnected', since: now(), reconnects: 0 };
  const become = (state: ChannelStatus['state']): void => {
    status = { ...status, state, since: now() };
  };
  const problem = (text: string): void => {
    status = { ...status, lastError: text };
    warn(text);
  };

  /** Until it is stored: what was read once must not be passed over. */
  async function deliver(message: IncomingMessage, receive: Receive): Promise<void> {
    for (let waitMs = FIRST_RETRY_MS; !closing.signal.aborted; waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)) {
      try {
        await receive(message);
        status = { ...status, lastEventAt: now() };
        return;
      } catch (error) {
        problem(`message ${message.id} could not be stored: ${(error as Error).message}`);
        await sleep(waitMs, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
    closing.signal.throwIfAborted();
  }

  async function append(line: object, key: string | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (status.state === 'closed') throw new ChannelError('unreachable', 'the local channel is closed');
    try {
      await outbox.append(line, key);
    } catch (error) {
      throw new ChannelError('unreachable', `cannot write to the outbox: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  return {
    name: 'local',
    account,
    isIdempotent: true,
    hasButtons: true,

    async connect(receive, signal) {
      signal.throwIfAborted();
      become('connecting');
      await ensureDirectory(directory);
      const ready = Promise.withResolvers<void>();
      const take = async (lines: readonly { text: string; number: number }[]): Promise<void> => {
        const messages = lines.flatMap(({ text, number }) => {
          if (text.trim() === '') return [];
          const message = parseInboxLine(text, { directory, order: number, sentAt: now() });
          if (typeof message !== 'string') return [message];
          problem(`line ${number + 1} of inbox.jsonl was passed over: ${message}`);
          return [];
        });
        // Within a chat one after the other: where the first cannot be stored now, the next one must not be stored before it.
        const chats = Map.groupBy(messages, ({ chatId, threadId = '' }) => `${chatId} ${threadId}`).values();
        await Promise.all(
          [...chats].map(async (own) => {
            for (const message of own.toSorted((a, b) => a.order - b.order)) await deliver(message, receive);
          }),
        );
      };
      following = followInbox(
        { directory, name: 'inbox.jsonl', take, onProblem: problem },
        closing.signal,
        ready.resolve,
      );
      following.catch(ready.reject);
      await ready.promise;
      become('connected');
    },

    split: (markdown) => splitMarkdown(markdown, { limit: PART_CHARACTERS }),

    async send({ key, chatId, threadId, replyTo, markdown, buttons }, signal) {
      const line = {
        type: 'message',
        key,
        messageId: key,
        chatId,
        threadId,
        replyTo,
        markdown,
        buttons,
        sentAt: now(),
      };
      await append(line, key, signal);
      return { chatId, messageId: key };
    },

    async sendPicture({ key, chatId, threadId, replyTo, mediaType, bytes }, signal) {
      signal.throwIfAborted();
      // A file of the same key has the same picture: the line may be missing after a kill.
      const path = join(directory, 'pictures', `${encodeURIComponent(key)}.${mediaType.slice('image/'.length)}`);
      try {
        await ensureDirectory(dirname(path));
        await writeAtomically(path, bytes);
      } catch (error) {
        throw new ChannelError('unreachable', `cannot write the picture: ${(error as Error).message}`, {
          cause: error,
        });
      }
      const line = { type: 'picture', key, messageId: key, chatId, threadId, replyTo, mediaType, path, sentAt: now() };
      await append(line, key, signal);
      return { chatId, messageId: key };
    },

    async edit({ chatId, messageId }, { markdown, buttons }, signal) {
      await append({ type: 'edit', messageId, chatId, markdown, buttons, sentAt: now() }, undefined, signal);
    },

    showWorking: async () => {},

    async download({ name, reference }, maxBytes, signal) {
      const { path } = reference as LocalReference;
      try {
        const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
        try {
          const stats = await handle.stat();
          if (!stats.isFile()) throw new Error('it is not a regular file');
          if (stats.size > maxBytes) throw new Error(`it has ${stats.size} bytes; accepted: up to ${maxBytes}`);
          return await handle.readFile({ signal });
        } finally {
          await handle.close();
        }
      } catch (error) {
        throw new ChannelError('rejected', `${name} cannot be read: ${(error as Error).message}`, { cause: error });
      }
    },

    status: () => status,

    async close() {
      become('closed');
      closing.abort();
      await following.catch(() => {});
      await outbox.close();
    },
  };
}
