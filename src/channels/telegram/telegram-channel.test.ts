import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PIXEL } from '../../../test/conformance/channel-pictures.ts';
import { startTelegramServer, type TelegramServer } from '../../../test/fakes/telegram-server/telegram-server.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { Channel, ChannelError, IncomingFile, IncomingMessage, OutgoingMessage } from '../channel.ts';
import type { HttpFetch } from './http-fetch.ts';
import { createTelegramChannel } from './telegram-channel.ts';

const never = new AbortController().signal;

describe('the Telegram channel', () => {
  let server: TelegramServer;
  const opened: Channel[] = [];

  beforeEach(async () => {
    server = await startTelegramServer();
    for (const id of [7, 8]) server.addChat({ id, kind: 'private' });
    server.addChat({ id: -50, kind: 'group' });
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((channel) => channel.close()));
    await server.close();
  });

  const open = (more: { botToken?: string; apiRoot?: string; fetch?: HttpFetch } = {}): Channel => {
    const channel = createTelegramChannel({
      account: 'default',
      botToken: server.token,
      apiRoot: `${server.url}/`,
      mode: 'polling',
      now: Date.now,
      timing: { pollSeconds: 1, graceMs: 2_000 },
      ...more,
    });
    opened.push(channel);
    return channel;
  };
  const draft = (markdown: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
    key: 'k',
    chatId: '7',
    markdown,
    ...more,
  });
  const failed = (attempt: Promise<unknown>): Promise<ChannelError> =>
    attempt.then(
      () => expect.unreachable('it succeeded'),
      (error: ChannelError) => error,
    );

  test('sends formatting as entities, without previews, into its topic', async () => {
    server.userSays({ chatId: -1001, text: 'x', threadId: 4 });
    await open().send(draft('**Hi** [there](https://e.org)', { chatId: '-1001', threadId: '4' }), never);
    expect(server.messages(-1001)).toMatchObject([
      { text: 'Hi there', threadId: 4, entities: [{ type: 'bold' }, { type: 'text_link', url: 'https://e.org' }] },
    ]);
    expect(server.calls.at(-1)?.payload.link_preview_options).toEqual({ is_disabled: true });
    await open().showWorking({ chatId: '-1001', threadId: '4' }, never);
    expect(server.actions).toEqual([{ chatId: -1001, threadId: 4, action: 'typing' }]);
  });

  test('sends a picture into its topic, and a long screenshot as a file', async () => {
    server.userSays({ chatId: -1001, text: 'x', threadId: 4 });
    const place = { key: 'k', chatId: '-1001', threadId: '4', mediaType: 'image/png' };
    const long = await sharp({ create: { width: 20, height: 9_990, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    await open().sendPicture?.({ ...place, bytes: PIXEL }, never);
    await open().sendPicture?.({ ...place, bytes: long }, never);
    expect(server.messages(-1001)).toMatchObject([
      { threadId: 4, file: { kind: 'photo', name: 'picture.png' } },
      { threadId: 4, file: { kind: 'document', name: 'picture.png' } },
    ]);
    expect(server.messages(-1001).map(({ file }) => Buffer.from(file?.content ?? []))).toEqual([PIXEL, long]);
  });

  test('sends a picture to the group that its group became', async () => {
    server.migrate(-50, -1050);
    const picture = { key: 'k', chatId: '-50', mediaType: 'image/png', bytes: PIXEL };
    expect(await open().sendPicture?.(picture, never)).toMatchObject({ chatId: '-1050' });
    expect(server.messages(-1050)).toHaveLength(1);
  });

  test('sends the plain words when the formatting is refused', async () => {
    const refusal = { kind: 'error', code: 400, description: "Bad Request: can't parse entities: odd" } as const;
    server.fail('sendMessage', refusal);
    const sent = await open().send(draft('**Hi** `x`'), never);
    expect(server.messages(7)).toMatchObject([{ text: '**Hi** `x`', entities: [] }]);
    server.fail('editMessageText', refusal);
    await open().edit(sent, { markdown: '**Bye**' }, never);
    expect(server.messages(7)).toMatchObject([{ text: '**Bye**', entities: [] }]);
    // Once: when that is refused too, it is refused.
    for (let count = 0; count < 2; count += 1) server.fail('sendMessage', refusal);
    expect(await failed(open().send(draft('**Hi**'), never))).toMatchObject({ code: 'rejected' });
  });

  test('an answer to a message that is gone, or to a press, is sent all the same', async () => {
    const channel = open();
    await channel.send(draft('one', { replyTo: '7:1' }), never);
    await channel.send(draft('two', { replyTo: 'cb:1234' }), never);
    expect(server.messages(7).map(({ text, replyTo }) => [text, replyTo])).toEqual([
      ['one', undefined],
      ['two', undefined],
    ]);
    expect(server.violations).toEqual([]);
  });

  test('follows a group that was given another id', async () => {
    server.migrate(-50, -100_050);
    expect(await open().send(draft('hello', { chatId: '-50' }), never)).toMatchObject({ chatId: '-100050' });
    expect(server.messages(-100_050)).toHaveLength(1);
  });

  test('long labels stand one below the other, with their tones', async () => {
    const buttons = [
      { label: 'Allow it this once, please', value: 'a', tone: 'primary' as const },
      { label: 'Deny', value: 'b', tone: 'danger' as const },
    ];
    await open().send(draft('May I?', { buttons }), never);
    expect(server.messages(7)[0]?.keyboard?.inline_keyboard).toEqual([
      [{ text: 'Allow it this once, please', callback_data: 'a', style: 'primary' }],
      [{ text: 'Deny', callback_data: 'b', style: 'danger' }],
    ]);
  });

  test('says what went wrong, and what may have been sent', async () => {
    const channel = open();
    server.block(8);
    expect(await failed(channel.send(draft('x', { chatId: '8' }), never))).toMatchObject({
      code: 'rejected',
      message: expect.stringMatching(/blocked by the user/),
    });
    expect(await failed(channel.send(draft('x', { chatId: '999' }), never))).toMatchObject({ code: 'rejected' });
    expect(await failed(channel.send(draft('<!-- nothing -->'), never))).toMatchObject({
      code: 'rejected',
      message: expect.stringMatching(/empty/),
    });
    server.fail('sendMessage', { kind: 'drop' });
    expect(await failed(channel.send(draft('x'), never))).toMatchObject({ code: 'unknown-outcome' });
    server.fail('sendMessage', { kind: 'error', code: 500, description: 'Internal Server Error' });
    expect(await failed(channel.send(draft('x'), never))).toMatchObject({ code: 'unknown-outcome' });
    server.fail('sendMessage', {
      kind: 'error',
      code: 429,
      description: 'Too Many Requests: retry after 7',
      retryAfter: 7,
    });
    expect(await failed(channel.send(draft('x'), never))).toMatchObject({ code: 'rate-limited', retryAfterMs: 7_000 });
    server.fail('sendMessage', { kind: 'hang' });
    const giveUp = new AbortController();
    const sending = failed(channel.send(draft('x'), giveUp.signal));
    await eventually(() => expect(server.calls.at(-1)?.status).toBeUndefined());
    giveUp.abort();
    expect(await sending).toMatchObject({ code: 'unknown-outcome' });
    await server.close();
    expect(await failed(channel.send(draft('x'), never))).toMatchObject({ code: 'unreachable' });
  });

  test('no error holds the token, whichever part repeats it', async () => {
    const { token } = server;
    const secret = token.split(':')[1] ?? '';
    const errors: ChannelError[] = [];
    server.fail('sendMessage', {
      kind: 'error',
      code: 400,
      description: `Bad Request: /bot${token}/ and ${encodeURIComponent(token)}`,
    });
    errors.push(await failed(open().send(draft('x'), never)));
    const leaking: HttpFetch = async (url) => {
      throw new Error(`request to ${url} failed, reason: ${secret}`);
    };
    errors.push(await failed(open({ fetch: leaking }).send(draft('x'), never)));
    errors.push(await failed(open({ apiRoot: 'http://127.0.0.1:1' }).send(draft('x'), never)));
    for (const error of errors) {
      const told = `${error.message} ${error.stack} ${JSON.stringify(error)} ${JSON.stringify(error.cause)}`;
      expect(told).not.toContain(secret);
    }
    expect(errors.map(({ code }) => code)).toEqual(['rejected', 'unknown-outcome', 'unreachable']);
  });

  test('a token that cannot be one is refused before it is sent anywhere', async () => {
    for (const botToken of ['', 'hello', '12:ab/../x', '12:ab?x']) {
      expect(await failed(open({ botToken }).connect(async () => {}, never))).toMatchObject({
        code: 'auth',
        message: expect.stringContaining('@BotFather'),
      });
    }
    expect(server.calls).toEqual([]);
  });

  test('files arrive whole, and are bounded', async () => {
    const received: IncomingMessage[] = [];
    const channel = open();
    await channel.connect(async (message) => void received.push(message), never);
    const content = Buffer.alloc(300_000, 'abc');
    server.userSays({ chatId: 7, document: { content, name: 'a b/ü#?.txt' } });
    server.userSays({ chatId: 7, voice: { content } });
    await eventually(() => expect(received).toHaveLength(2));
    const files = received.flatMap((message) => message.files);
    expect(files.map(({ name }) => name)).toEqual(['ü#?.txt', expect.stringMatching(/^voice-\d+\.ogg$/)]);
    for (const file of files) expect(content.equals(await channel.download(file, 300_000, never))).toBe(true);
    const [file] = files as [IncomingFile];
    expect(await failed(channel.download(file, 299_999, never))).toMatchObject({ code: 'rejected' });
    // Also when its size was not told, or told wrongly.
    expect(await failed(channel.download({ ...file, bytes: undefined }, 1_000, never))).toMatchObject({
      code: 'rejected',
      message: expect.stringMatching(/larger/),
    });
    server.fail('getFile', { kind: 'error', code: 400, description: 'Bad Request: file is too big' });
    expect(await failed(channel.download(file, 300_000, never))).toMatchObject({
      message: expect.stringMatching(/20 MB/),
    });
    const foreign = { ...file, reference: { path: '/etc/passwd' } };
    expect(await failed(channel.download(foreign, 300_000, never))).toMatchObject({ code: 'rejected' });
  });

  test('a press is answered after it was stored; an edit of a message is not a message', async () => {
    const received: IncomingMessage[] = [];
    let isFull = true;
    const channel = open();
    await channel.connect(async (message) => {
      if (isFull) throw new Error('the disk is full');
      received.push(message);
    }, never);
    const { messageId } = server.userSays({ chatId: 7, text: 'before' });
    const sent = await channel.send(draft('May I?', { buttons: [{ label: 'Yes', value: 'yes' }] }), never);
    const press = server.press(7, Number(sent.messageId.split(':')[1]), 'yes');
    server.userEdits(7, messageId, 'changed');
    await eventually(() => expect(channel.status().lastError).toMatch(/disk is full/));
    expect(server.isAnswered(press)).toBe(false);
    isFull = false;
    await eventually(() => expect(server.isAnswered(press)).toBe(true));
    expect(received.map(({ text, pressed }) => pressed?.value ?? text)).toEqual(['before', 'yes']);
  });
});
