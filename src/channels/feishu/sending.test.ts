import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PIXEL } from '../../../test/conformance/channel-pictures.ts';
import type { createReceiver } from '../../../test/conformance/channel-subject.ts';
import type { FeishuServer } from '../../../test/fakes/feishu-server/feishu-server.ts';
import { eventually } from '../../../test/support/eventually.ts';
import {
  ANNA,
  channelOn,
  connectedTo,
  DIRECT,
  GROUP,
  never,
  startPlatform,
} from '../../../test/support/feishu-platform.ts';
import type { Channel, IncomingMessage, OutgoingMessage } from '../channel.ts';

let server: FeishuServer;
let channel: Channel;
let receiver: ReturnType<typeof createReceiver>;
let keys = 0;

beforeEach(async () => {
  server = await startPlatform();
  ({ channel, receiver } = await connectedTo(server));
});
afterEach(async () => {
  await channel.close();
  await server.close();
});

const draft = (markdown: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage => {
  keys += 1;
  return { key: `key-${keys}`, chatId: DIRECT, markdown, ...more };
};
const send = (markdown: string, more?: Partial<OutgoingMessage>) => channel.send(draft(markdown, more), never);
const sentTexts = () => server.sent(DIRECT).map(({ seen }) => seen.text);

describe('a picture', () => {
  const picture = { mediaType: 'image/png', bytes: PIXEL };
  const isUpload = ({ path }: { path: string }): boolean => path.endsWith('/images');

  test('whose upload was not answered is sent once by the next attempt', async () => {
    server.api.failNext({ kind: 'answer-lost' }, isUpload);
    const attempt = () => channel.sendPicture?.({ ...picture, key: 'p', chatId: DIRECT }, never);
    await expect(attempt()).rejects.toMatchObject({ code: 'unknown-outcome' });
    await attempt();
    await attempt();
    expect(server.sent(DIRECT).map((sent) => Buffer.from(sent.picture ?? []))).toEqual([PIXEL]);
  });

  test('that the platform cannot read, or without the permission for it, is rejected', async () => {
    const broken = { mediaType: 'image/png', bytes: Buffer.from('not a picture'), key: 'p', chatId: DIRECT };
    await expect(channel.sendPicture?.(broken, never)).rejects.toMatchObject({ code: 'rejected' });
    server.api.failNext({ kind: 'refused', code: 99991672 }, isUpload);
    const rejected = expect.objectContaining({ code: 'rejected', message: expect.stringContaining('permission') });
    await expect(channel.sendPicture?.({ ...broken, bytes: PIXEL }, never)).rejects.toEqual(rejected);
    expect(server.sent(DIRECT)).toEqual([]);
  });

  test('is sent into its topic', async () => {
    const { messageId } = server.say({ chatId: GROUP, senderId: ANNA, text: 'x', mentionsBot: true });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    await channel.sendPicture?.(
      { ...picture, key: 'p', chatId: GROUP, threadId: messageId, replyTo: messageId },
      never,
    );
    expect(server.sent(GROUP)).toMatchObject([{ threadId: `omt_${messageId}` }]);
  });
});

describe('tokens', () => {
  const tokenCalls = () => server.api.calls.filter(({ path }) => path.endsWith('/tenant_access_token/internal')).length;

  test('are fetched once for all who wait', async () => {
    server.api.invalidateTokens();
    await Promise.all(Array.from({ length: 8 }, (_, index) => send(`message ${index}`)));
    expect(server.sent(DIRECT)).toHaveLength(8);
    expect(tokenCalls()).toBeLessThanOrEqual(3);
  });

  test('that were revoked are replaced, and the message is sent once', async () => {
    await send('first');
    server.api.invalidateTokens();
    await send('second');
    expect(sentTexts()).toEqual(['first', 'second']);
    expect(tokenCalls()).toBe(2);
  });

  test('that are refused again and again are an error of the credentials, without the token', async () => {
    for (let index = 0; index < 2; index += 1) server.api.failNext({ kind: 'refused', code: 99991663 });
    const error = await send('never').catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: 'auth' });
    for (const secret of [...server.api.tokens, server.appSecret]) expect(String(error)).not.toContain(secret);
  });

  test('end: the next is fetched before the platform refuses', async () => {
    let now = Date.now();
    const short = await startPlatform({ tokenLifetimeSeconds: 600 });
    const connected = await connectedTo(short, { now: () => now });
    now += 8 * 60_000;
    short.api.invalidateTokens();
    await connected.channel.send(draft('later'), never);
    expect(short.api.calls.filter(({ status }) => status === 400)).toEqual([]);
    await connected.channel.close();
    await short.close();
  });
});

describe('refusals', () => {
  test.each([
    [
      { kind: 'rate-limited', retryAfterMs: 2_500, form: 'code' },
      { code: 'rate-limited', retryAfterMs: 2_500 },
    ],
    [
      { kind: 'refused', code: 230020 },
      { code: 'rate-limited', retryAfterMs: 1_000 },
    ],
    [
      { kind: 'refused', code: 230002 },
      { code: 'rejected', message: expect.stringContaining('add it to the group') },
    ],
    [
      { kind: 'refused', code: 99991672, msg: 'scope im:message needed' },
      { code: 'rejected', message: expect.stringContaining('im:message') },
    ],
    [{ kind: 'refused', code: 230049 }, { code: 'unknown-outcome' }],
    [{ kind: 'broken', status: 502 }, { code: 'unknown-outcome' }],
    [{ kind: 'refused', code: 10014 }, { code: 'auth' }],
  ] as const)('%j → %j', async (fault, expected) => {
    server.api.failNext(fault);
    await expect(send('x')).rejects.toMatchObject(expected);
  });

  test('a chat that the bot is not in is refused for good', async () => {
    await expect(send('x', { chatId: 'oc_unknown' })).rejects.toMatchObject({ code: 'rejected' });
  });

  test('nobody listens: nothing was sent', async () => {
    const away = await startPlatform();
    await away.close();
    const alone = channelOn(away);
    await expect(alone.send(draft('x'), never)).rejects.toMatchObject({ code: 'unreachable' });
    await alone.close();
  });

  test('a caller who gives up while the answer is awaited', async () => {
    server.api.failNext({ kind: 'slow', ms: 5_000 });
    const stop = new AbortController();
    const sending = channel.send(draft('x'), stop.signal);
    await eventually(() => expect(server.api.calls.at(-1)?.path).toContain('im/v1/messages'));
    stop.abort(new Error('stopped'));
    await expect(sending).rejects.toThrow('stopped');
  });
});

describe('a card', () => {
  test('calls nobody, whatever the text says', async () => {
    await send('Hello <at id=all></at> and <at user_id="ou_x">X</at>, `<at id=all></at>`');
    const [message] = server.sent(DIRECT);
    expect(message?.seen.mentions).toEqual([]);
    expect(message?.seen.text).toContain('<at id=all></at> and');
  });

  test('shows a picture as a link, as the platform knows pictures by key only', async () => {
    await send('see ![the chart](https://example.com/c.png) <https://example.com/x>');
    expect(sentTexts()).toEqual(['see the chart https://example.com/x']);
  });

  test('that the platform refuses to draw is sent without markup', async () => {
    server.api.failNext({ kind: 'refused', code: 230099, msg: 'ErrCode: 11310' });
    const sent = await send('# still *there*');
    expect(sentTexts()).toEqual(['# still *there*']);
    const isPatch = ({ method }: { method: string }) => method === 'PATCH';
    server.api.failNext({ kind: 'refused', code: 230099 }, isPatch);
    await channel.edit(sent, { markdown: '**changed**' }, never);
    expect(sentTexts()).toEqual(['**changed**']);
  });

  test('with many tables is refused by the platform, so they are spread over parts', async () => {
    const table = '| a | b |\n|---|---|\n| 1 | 2 |';
    const parts = channel.split(Array(10).fill(table).join('\n\n'));
    for (const part of parts) await send(part);
    expect(parts.length).toBeGreaterThan(1);
    expect(server.violations).toEqual([]);
    expect(
      sentTexts()
        .join('\n')
        .match(/\| 1 \| 2 \|/g),
    ).toHaveLength(10);
  });
});

describe('places', () => {
  test('an answer to a message that was taken back goes to the chat', async () => {
    const { messageId } = server.say({ chatId: DIRECT, senderId: ANNA, text: 'oops' });
    const message = server.store.messages.get(messageId);
    if (message) message.isRecalled = true;
    await send('answer', { replyTo: messageId });
    expect(server.sent(DIRECT)).toMatchObject([{ replyTo: undefined, seen: { text: 'answer' } }]);
  });

  test('a topic is answered within the topic', async () => {
    const first = server.say({ chatId: GROUP, senderId: ANNA, text: 'topic', threadId: 'omt_1', mentionsBot: true });
    server.say({
      chatId: GROUP,
      senderId: ANNA,
      text: 'more',
      threadId: 'omt_1',
      rootId: first.messageId,
      replyTo: first.messageId,
      mentionsBot: true,
    });
    await eventually(() => expect(receiver.received).toHaveLength(2));
    expect(receiver.received.map(({ threadId }) => threadId)).toEqual([first.messageId, first.messageId]);
    await send('here', { chatId: GROUP, threadId: first.messageId });
    expect(server.sent(GROUP)).toMatchObject([{ threadId: 'omt_1' }]);
  });

  test('a topic of another chat is not reached through this one, known or not', async () => {
    const known = server.say({ chatId: GROUP, senderId: ANNA, text: 'topic', threadId: 'omt_1', mentionsBot: true });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const unknown = server.say({ chatId: GROUP, senderId: ANNA, text: 'unread', threadId: 'omt_2' });
    for (const threadId of [known.messageId, unknown.messageId])
      await expect(send('secret', { threadId })).rejects.toMatchObject({
        code: 'rejected',
        message: expect.stringContaining('is not a topic of'),
      });
    expect([...server.sent(GROUP), ...server.sent(DIRECT)]).toEqual([]);
    const other = channelOn(server, {});
    await other.send(draft('here', { chatId: GROUP, threadId: unknown.messageId }), never);
    expect(server.sent(GROUP)).toMatchObject([{ threadId: 'omt_2' }]);
  });

  test('an answer to a message of a topic that was taken back is still in the topic', async () => {
    const first = server.say({ chatId: GROUP, senderId: ANNA, text: 'topic', threadId: 'omt_1', mentionsBot: true });
    const place = { threadId: 'omt_1', rootId: first.messageId, replyTo: first.messageId };
    const second = server.say({ chatId: GROUP, senderId: ANNA, text: 'oops', ...place, mentionsBot: true });
    const message = server.store.messages.get(second.messageId);
    if (message) message.isRecalled = true;
    await send('answer', { chatId: GROUP, threadId: first.messageId, replyTo: second.messageId });
    expect(server.sent(GROUP)).toMatchObject([{ threadId: 'omt_1', seen: { text: 'answer' } }]);
  });

  test('an answer to a press is in the chat, in the topic of its card', async () => {
    const topic = server.say({ chatId: GROUP, senderId: ANNA, text: 'topic', threadId: 'omt_1', mentionsBot: true });
    const place = { chatId: GROUP, threadId: topic.messageId };
    const { messageId } = await send('May I?', { ...place, buttons: [{ label: 'Yes', value: 'yes' }] });
    server.press({ chatId: GROUP, messageId, value: 'yes', senderId: ANNA });
    await eventually(() => expect(receiver.received).toHaveLength(2));
    const { id, threadId, chatId } = receiver.received[1] as IncomingMessage;
    expect(threadId).toBe(topic.messageId);
    await channel.showWorking({ chatId, threadId, replyTo: id }, never);
    await send('thank you', { chatId, threadId, replyTo: id });
    await send('directly', { replyTo: id });
    expect(server.sent(GROUP).at(-1)).toMatchObject({ threadId: 'omt_1', seen: { text: 'thank you' } });
    expect(server.sent(DIRECT)).toMatchObject([{ seen: { text: 'directly' } }]);
    expect(server.violations).toEqual([]);
  });

  test('a person can be written to by their id', async () => {
    const sent = await send('hello', { chatId: ANNA });
    expect(sent.chatId).toBe(DIRECT);
  });
});

describe('the sign of working', () => {
  const reactions = (messageId: string) => [...(server.store.messages.get(messageId)?.reactions.values() ?? [])];

  test('is a reaction that goes with the answer', async () => {
    const { messageId } = server.say({ chatId: DIRECT, senderId: ANNA, text: 'question' });
    await channel.showWorking({ chatId: DIRECT, replyTo: messageId }, never);
    await channel.showWorking({ chatId: DIRECT, replyTo: messageId }, never);
    expect(reactions(messageId)).toEqual(['Typing']);
    expect(server.api.calls.filter(({ path }) => path.endsWith('/reactions'))).toHaveLength(1);
    await send('answer', { replyTo: messageId });
    await eventually(() => expect(reactions(messageId)).toEqual([]));
    // The reply may only tell of progress; it is sign enough.
    await channel.showWorking({ chatId: DIRECT, replyTo: messageId }, never);
    expect(reactions(messageId)).toEqual([]);
  });

  test('is given up when the app may not react', async () => {
    const { messageId } = server.say({ chatId: DIRECT, senderId: ANNA, text: 'question' });
    const isReaction = ({ path }: { path: string }) => path.endsWith('/reactions');
    server.api.failNext({ kind: 'refused', code: 99991672 }, isReaction);
    for (let index = 0; index < 3; index += 1) await channel.showWorking({ chatId: DIRECT, replyTo: messageId }, never);
    expect(server.api.calls.filter(isReaction)).toHaveLength(1);
  });

  test('is taken away when the channel closes', async () => {
    const { messageId } = server.say({ chatId: DIRECT, senderId: ANNA, text: 'question' });
    await channel.showWorking({ chatId: DIRECT, replyTo: messageId }, never);
    await channel.close();
    expect(reactions(messageId)).toEqual([]);
  });
});

describe('a press', () => {
  const buttons = [{ label: 'Yes', value: 'yes' }];

  test('is answered with a toast, and knows a direct chat after a restart', async () => {
    server.say({ chatId: DIRECT, senderId: ANNA, text: 'hi' });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const { messageId } = await send('May I?', { buttons });
    await channel.close();
    ({ channel, receiver } = await connectedTo(server));
    server.press({ chatId: DIRECT, messageId, value: 'yes', senderId: ANNA });
    await eventually(() => expect(server.push.events.at(-1)?.state).toBe('acknowledged'));
    expect(server.push.events.at(-1)?.answer?.data).toMatchObject({ toast: { type: 'success' } });
    expect(receiver.received).toMatchObject([{ chatKind: 'direct', pressed: { value: 'yes', messageId } }]);
    expect(Math.abs((receiver.received[0]?.sentAt ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  test.each([
    [DIRECT, 'direct'],
    [GROUP, 'group'],
  ])('in an unknown chat asks the platform: %s', async (chatId, chatKind) => {
    const { messageId } = await send('May I?', { buttons, chatId });
    server.press({ chatId, messageId, value: 'yes', senderId: ANNA });
    await eventually(() => expect(receiver.received).toMatchObject([{ chatKind }]));
  });
});

describe('downloads', () => {
  test('of a JSON file are the file', async () => {
    const content = Buffer.from('{"code":230002,"msg":"x"}');
    server.say({ chatId: DIRECT, senderId: ANNA, file: { kind: 'file', name: 'a.json', content } });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    const [file] = receiver.received[0]?.files ?? [];
    if (!file) throw new Error('there is no file');
    expect(file.name).toBe('a.json');
    expect(Buffer.from(await channel.download(file, 1_000, never))).toEqual(content);
  });

  test('of what was never a file of Feishu are refused', async () => {
    const file = { kind: 'file' as const, name: 'x', reference: { path: '/etc/passwd' } };
    await expect(channel.download(file, 1_000, never)).rejects.toMatchObject({ code: 'rejected' });
  });
});
