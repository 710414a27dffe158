// Proves that the fake server is faithful: an ordinary grammY bot, with the library as it comes, runs against it.
import { Bot, GrammyError, HttpError } from 'grammy';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { startTelegramServer, type TelegramServer } from './telegram-server.ts';

describe('a plain grammY bot on the fake Telegram server', () => {
  let server: TelegramServer;
  let bot: Bot;
  let running: Promise<void> | undefined;

  beforeEach(async () => {
    server = await startTelegramServer();
    bot = new Bot(server.token, { client: { apiRoot: server.url } });
    running = undefined;
  });
  afterEach(async () => {
    if (running) {
      await bot.stop();
      await running;
    }
    await server.close();
  });

  const start = (): void => {
    running = bot.start({ timeout: 1 });
  };
  const refused = async (attempt: Promise<unknown>): Promise<GrammyError> => {
    const error = await attempt.then(
      () => expect.unreachable('it was accepted'),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(GrammyError);
    return error as GrammyError;
  };

  test('hears, answers, and is heard once', async () => {
    bot.on('message:text', (context) => context.reply(`You said ${context.message.text}`));
    start();
    const { messageId } = server.userSays({ chatId: 7, text: 'hello' });
    await eventually(() => expect(server.messages(7)).toHaveLength(1));
    server.userSays({ chatId: 7, text: 'again', replyTo: messageId });
    await eventually(() =>
      expect(server.messages(7).map(({ text }) => text)).toEqual(['You said hello', 'You said again']),
    );
    await eventually(() => expect(server.waiting).toBe(0));
    expect(server.violations).toEqual([]);
  });

  test('commands, buttons and edits work', async () => {
    bot.command('ask', (context) =>
      context.reply('May I?', { reply_markup: { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] } }),
    );
    bot.callbackQuery('yes', async (context) => {
      await context.answerCallbackQuery();
      await context.editMessageText('Thank you');
    });
    start();
    server.userSays({ chatId: -100, text: '/ask@lain_test_bot', from: { id: 5, first_name: 'Ada' } });
    await eventually(() => expect(server.messages(-100)).toHaveLength(1));
    const pressed = server.press(-100, server.messages(-100)[0]?.messageId ?? 0, 'yes', { id: 5, first_name: 'Ada' });
    await eventually(() => expect(server.messages(-100)).toMatchObject([{ text: 'Thank you', edits: 1 }]));
    expect(server.isAnswered(pressed)).toBe(true);
    expect(server.messages(-100)[0]?.keyboard).toBeUndefined();
  });

  test('what was not confirmed comes again, what was confirmed does not', async () => {
    server.userSays({ chatId: 7, text: 'one' });
    server.userSays({ chatId: 7, text: 'two' });
    const [first, second] = await bot.api.getUpdates({});
    expect(await bot.api.getUpdates({})).toEqual([first, second]);
    expect(await bot.api.getUpdates({ offset: (first?.update_id ?? 0) + 1 })).toEqual([second]);
    expect(await bot.api.getUpdates({ offset: (second?.update_id ?? 0) + 1 })).toEqual([]);
    expect(await bot.api.getUpdates({})).toEqual([]);
    server.repeat(1);
    expect(await bot.api.getUpdates({ offset: (second?.update_id ?? 0) + 1 })).toEqual([second]);
  });

  test('a second poll ends the first, a webhook ends both', async () => {
    const first = refused(bot.api.getUpdates({ timeout: 30 }));
    await eventually(() => expect(server.calls).toHaveLength(1));
    const second = refused(bot.api.getUpdates({ timeout: 30 }));
    expect((await first).description).toMatch(/terminated by other getUpdates request/);
    await bot.api.setWebhook('https://example.com/hook');
    expect((await second).error_code).toBe(409);
    expect((await refused(bot.api.getUpdates({}))).description).toMatch(/webhook is active/);
    expect(await bot.api.getWebhookInfo()).toMatchObject({ url: 'https://example.com/hook' });
    await bot.api.deleteWebhook();
    expect(await bot.api.getUpdates({})).toEqual([]);
  });

  test('mistakes are refused with their reason', async () => {
    server.addChat({ id: 7, kind: 'private' });
    const send = (more: object): Promise<unknown> => bot.api.raw.sendMessage({ chat_id: 7, text: 'text', ...more });
    const reasons: [Promise<unknown>, RegExp][] = [
      [send({ text: '' }), /message text is empty/],
      [send({ text: 'x'.repeat(4097) }), /message is too long/],
      [send({ chat_id: 8 }), /chat not found/],
      [send({ chat_id: null }), /chat_id is empty/],
      [send({ txt: 'x' }), /unknown parameter "txt"/],
      [send({ text: 5 }), /"text" must be of type string/],
      [send({ entities: [{ type: 'bold', offset: 2, length: 9 }] }), /out of bounds/],
      [send({ entities: [{ type: 'bold', offset: 0 }] }), /Can't find field "length"/],
      [
        send({
          entities: [
            { type: 'bold', offset: 0, length: 3 },
            { type: 'italic', offset: 2, length: 2 },
          ],
        }),
        /overlap/,
      ],
      [
        send({
          entities: [
            { type: 'bold', offset: 0, length: 3 },
            { type: 'code', offset: 1, length: 1 },
          ],
        }),
        /bold within code/,
      ],
      [send({ reply_parameters: { message_id: 1 } }), /message to be replied not found/],
      [send({ message_thread_id: 3 }), /message thread not found/],
      [
        send({ reply_markup: { inline_keyboard: [[{ text: 'a', callback_data: 'x'.repeat(65) }]] } }),
        /BUTTON_DATA_INVALID/,
      ],
      [bot.api.editMessageText(7, 1, 'x'), /message to edit not found/],
      [bot.api.sendChatAction(7, 'dancing' as 'typing'), /wrong parameter action/],
      [bot.api.answerCallbackQuery('none'), /query is too old/],
      [bot.api.getFile('none'), /wrong file_id/],
      [bot.api.getChat(7), /method not found/],
    ];
    for (const [attempt, reason] of reasons) expect((await refused(attempt)).description).toMatch(reason);
    expect(server.violations.length).toBeGreaterThan(0);
    expect(server.messages(7)).toEqual([]);
    const stranger = new Bot(`1:${'x'.repeat(35)}`, { client: { apiRoot: server.url } });
    expect((await refused(stranger.api.getMe())).error_code).toBe(401);
  });

  test('too much to one chat has to wait, the others do not', async () => {
    await server.close();
    server = await startTelegramServer({ rate: { messages: 1, perMs: 60_000 } });
    bot = new Bot(server.token, { client: { apiRoot: server.url } });
    for (const id of [7, 8]) server.addChat({ id, kind: 'private' });
    await bot.api.sendMessage(7, 'one');
    const { error_code: code, parameters } = await refused(bot.api.sendMessage(7, 'two'));
    expect(code).toBe(429);
    expect(parameters.retry_after).toBeGreaterThan(1);
    await bot.api.sendMessage(8, 'one');
  });

  test('networks fail: dropped, lost, hanging, out of order', async () => {
    server.addChat({ id: 7, kind: 'private' });
    server.fail('sendMessage', { kind: 'drop' });
    await expect(bot.api.sendMessage(7, 'dropped')).rejects.toThrow(HttpError);
    server.fail('sendMessage', { kind: 'bad-gateway' });
    await expect(bot.api.sendMessage(7, 'bad gateway')).rejects.toThrow(HttpError);
    expect(server.messages(7)).toEqual([]);
    server.fail('sendMessage', { kind: 'answer-lost' });
    await expect(bot.api.sendMessage(7, 'lost')).rejects.toThrow(HttpError);
    expect(server.messages(7).map(({ text }) => text)).toEqual(['lost']);
    server.cut();
    await expect(bot.api.getMe()).rejects.toThrow(HttpError);
    server.restore();
    await bot.api.getMe();
    const release = server.holdBack(1);
    server.userSays({ chatId: 7, text: 'first' });
    server.userSays({ chatId: 7, text: 'second' });
    const texts = async (offset?: number): Promise<unknown[]> =>
      (await bot.api.getUpdates({ offset })).map((update) => update.message?.text);
    expect(await texts()).toEqual(['second']);
    release();
    expect(await texts(500_002)).toEqual(['first']);
    server.reorder(true);
    server.userSays({ chatId: 7, text: 'third' });
    expect(await texts()).toEqual(['third', 'first']);
  });
});
