import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeChannel } from '../../../test/conformance/channel.ts';
import type { SeenMessage } from '../../../test/conformance/channel-subject.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { Channel, IncomingMessage } from '../channel.ts';
import { createLocalChannel } from './local-channel.ts';

const never = new AbortController().signal;

interface OutboxLine {
  type: 'message' | 'edit' | 'picture';
  key?: string;
  messageId: string;
  chatId: string;
  replyTo?: string;
  markdown?: string;
  /** Of a picture. */
  path?: string;
  buttons?: { label: string; value: string }[];
}

function outboxOf(directory: string): OutboxLine[] {
  const path = join(directory, 'outbox.jsonl');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as OutboxLine);
}

function seenIn(directory: string, chatId: string): SeenMessage[] {
  const seen = new Map<string, SeenMessage>();
  for (const { messageId, markdown: text = '', path, buttons = [], ...line } of outboxOf(directory)) {
    if (line.chatId !== chatId) continue;
    const { replyTo } = seen.get(messageId) ?? line;
    const picture = path !== undefined && { picture: readFileSync(path) };
    seen.set(messageId, { chatId, messageId, text, ...(replyTo && { replyTo }), buttons, ...picture });
  }
  return [...seen.values()];
}

describeChannel('local', async () => {
  const base = mkdtempSync(join(tmpdir(), 'lainclaw-local-'));
  const directory = join(base, 'channel');
  mkdirSync(directory);
  const inbox = join(directory, 'inbox.jsonl');
  let ids = 0;
  const append = (line: object): { id: string } => {
    ids += 1;
    appendFileSync(inbox, `${JSON.stringify({ id: `m${ids}`, ...line })}\n`);
    return { id: `m${ids}` };
  };
  return {
    open: () => createLocalChannel({ account: 'default', directory, now: Date.now, warn: () => {} }),
    chats: { direct: 'anna', otherDirect: 'boris', group: 'team' },
    senderId: 'anna',
    fits: (markdown) => markdown.length <= 4_000,
    secrets: [],
    close: async () => rmSync(base, { recursive: true, force: true }),
    platform: {
      async write({ file, mentionsBot, ...message }) {
        if (!file) return append({ ...message, isAddressed: mentionsBot });
        const path = join(base, file.name);
        writeFileSync(path, file.content);
        return append({ ...message, files: [{ path, name: file.name }] });
      },
      press: async ({ value, messageId, ...message }) => void append({ ...message, pressed: { value, messageId } }),
      seen: async (chatId) => seenIn(directory, chatId),
    },
  };
});

describe('the files of the local channel', () => {
  let directory: string;
  let inbox: string;
  let received: IncomingMessage[];
  let warnings: string[];
  const opened: Channel[] = [];
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'lainclaw-local-'));
    inbox = join(directory, 'inbox.jsonl');
    received = [];
    warnings = [];
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((channel) => channel.close()));
    rmSync(directory, { recursive: true, force: true });
  });

  const line = (id: string, more: object = {}): string =>
    `${JSON.stringify({ id, chatId: 'anna', senderId: 'anna', text: `text of ${id}`, ...more })}\n`;
  const ids = (): string[] => received.map(({ id }) => id);
  const arrived = (...expected: string[]): Promise<void> => eventually(() => expect(ids()).toEqual(expected));
  async function connected(): Promise<Channel> {
    const warn = (text: string): number => warnings.push(text);
    const channel = createLocalChannel({ account: 'default', directory, now: Date.now, warn });
    opened.push(channel);
    await channel.connect(async (message) => void received.push(message), never);
    return channel;
  }

  it('a line is read once its end is written', async () => {
    await connected();
    const whole = line('a');
    appendFileSync(inbox, whole.slice(0, 20));
    appendFileSync(join(directory, 'other'), 'x');
    appendFileSync(inbox, whole.slice(20) + line('b').slice(0, -1));
    await arrived('a');
    appendFileSync(inbox, '\n');
    await arrived('a', 'b');
  });

  it('what was taken is not read again by the next process, and what came meanwhile is', async () => {
    const first = await connected();
    appendFileSync(inbox, line('a') + line('b'));
    await arrived('a', 'b');
    await first.close();
    appendFileSync(inbox, line('c'));
    await connected();
    await arrived('a', 'b', 'c');
    expect(received.map(({ order }) => order)).toEqual([0, 1, 2]);
  });

  it('a file that was cut is read from its start', async () => {
    await connected();
    appendFileSync(inbox, line('a') + line('b'));
    await arrived('a', 'b');
    writeFileSync(inbox, '');
    appendFileSync(inbox, line('c'));
    await arrived('a', 'b', 'c');
    writeFileSync(inbox, line('d') + line('e') + line('f') + line('g'));
    await arrived('a', 'b', 'c', 'd', 'e', 'f', 'g');
    expect(received.map(({ order }) => order)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('a file that was renamed is read to its end before the new one', async () => {
    const first = await connected();
    appendFileSync(inbox, line('a'));
    await arrived('a');
    await first.close();
    appendFileSync(inbox, line('b'));
    renameSync(inbox, `${inbox}.1`);
    writeFileSync(inbox, line('c'));
    await connected();
    await arrived('a', 'b', 'c');
    renameSync(inbox, `${inbox}.2`);
    writeFileSync(inbox, line('d'));
    await arrived('a', 'b', 'c', 'd');
  });

  it('a line that is not a message is reported and passed over', async () => {
    const channel = await connected();
    appendFileSync(
      inbox,
      `{"id":\n\n[]\n${line('', {})}${line('a', { files: [{}] })}${line('b', { text: '' })}${line('c')}`,
    );
    await arrived('c');
    expect(warnings).toHaveLength(5);
    expect(warnings[0]).toBe('line 1 of inbox.jsonl was passed over: it is not JSON');
    expect(channel.status().lastError).toContain('neither text nor files');
  });

  it('thousands of lines at once arrive in order', async () => {
    const all = Array.from({ length: 5_000 }, (_, index) => `m${index}`);
    writeFileSync(inbox, all.map((id) => line(id, { text: 'x'.repeat(200) })).join(''));
    await connected();
    await eventually(() => expect(received).toHaveLength(5_000));
    expect(received.toSorted((a, b) => a.order - b.order).map(({ id }) => id)).toEqual(all);
  });

  it('an answer cut short by a kill is sent again, whole', async () => {
    const channel = await connected();
    await channel.send({ key: 'k1', chatId: 'anna', markdown: 'one' }, never);
    await channel.close();
    appendFileSync(join(directory, 'outbox.jsonl'), '{"type":"message","key":"k2","messa');
    const next = await connected();
    await next.send({ key: 'k2', chatId: 'anna', markdown: 'two' }, never);
    expect(outboxOf(directory).map(({ key }) => key)).toEqual(['k1', 'k2']);
  });

  it('answers at the same moment are each written whole', async () => {
    const channel = await connected();
    const keys = Array.from({ length: 300 }, (_, index) => `k${index}`);
    await Promise.all(
      [...keys, ...keys].map((key) => channel.send({ key, chatId: key, markdown: 'x'.repeat(500) }, never)),
    );
    expect(outboxOf(directory).map(({ key }) => key)).toEqual(keys);
  });

  it('an outbox that was moved away is begun again', async () => {
    const channel = await connected();
    await channel.send({ key: 'k1', chatId: 'anna', markdown: 'one' }, never);
    renameSync(join(directory, 'outbox.jsonl'), join(directory, 'outbox.old'));
    await channel.send({ key: 'k2', chatId: 'anna', markdown: 'two' }, never);
    expect(outboxOf(directory).map(({ key }) => key)).toEqual(['k2']);
  });
});
