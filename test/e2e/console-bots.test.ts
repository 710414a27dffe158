// Connecting bots in the browser, and what could not be sent to their chats, against fake platforms.
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { SETUP_WORDS as FEISHU } from '../../src/channels/feishu/setup-words.ts';
import { SETUP_WORDS as TELEGRAM } from '../../src/channels/telegram/setup-words.ts';
import { en } from '../../web/src/language/en.ts';
import { ru } from '../../web/src/language/ru.ts';
import { zh } from '../../web/src/language/zh.ts';
import { type FeishuServer, startFeishuServer } from '../fakes/feishu-server/feishu-server.ts';
import { startTelegramServer, type TelegramServer } from '../fakes/telegram-server/telegram-server.ts';
import { type ConsoleBrowser, openConsole } from '../support/console-browser.ts';
import { expectLooks } from '../support/console-looks.ts';
import { eventually } from '../support/eventually.ts';
import { afterFile } from '../support/test-home.ts';

const ADA = { id: 4_242, first_name: 'Ada' };
const ANNA = { chatId: 'oc_anna', id: 'ou_anna' };

let opened: ConsoleBrowser;
let telegram: TelegramServer;
let feishu: FeishuServer;
let page: Page;

beforeAll(async () => {
  [telegram, feishu] = await Promise.all([startTelegramServer(), startFeishuServer()]);
  afterFile(() => Promise.all([telegram.close(), feishu.close()]));
  feishu.addChat(ANNA.chatId, 'p2p', ANNA.id);
  opened = await openConsole({
    script: ({ messages }) => ({ text: `You wrote: ${JSON.stringify(messages.at(-1)).match(/number \w+/)?.[0]}` }),
    prepare: (home) => home.config({ provider: 'openai' }),
    variables: () => ({ LAINCLAW_TELEGRAM_API_ROOT: telegram.url }),
  });
  page = await (await opened.signIn()).newPage();
});

const open = (path: string) => page.goto(`${opened.address}#/${path}`);
const connection = (channel: string): Locator =>
  page.getByRole('region', { name: 'Connections' }).locator('li', { hasText: channel });
const onTelegram = (): string => JSON.stringify(telegram.messages(ADA.id));
const onFeishu = (): string => JSON.stringify(feishu.sent(ANNA.chatId).map(({ seen }) => seen));

async function connecting(offer: string): Promise<Locator> {
  await open('channels');
  await page.getByRole('button', { name: 'Connect a bot' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: offer }).click();
  return page.getByRole('dialog');
}

/** When the one message that waits could not be sent; nothing while it is tried again. */
async function lastDeath(): Promise<string | undefined> {
  const status = (await opened.run(['gateway', 'status', '--json'])).json<{ deadLetters: { diedAt: string }[] }>();
  return status.deadLetters[0]?.diedAt;
}

async function restart(dialog: Locator): Promise<void> {
  await dialog.getByRole('button', { name: 'Restart the gateway now' }).click();
  await dialog.getByText('The gateway runs again.').waitFor();
  await dialog.getByText('Close', { exact: true }).click();
}

it('a bot that cannot be started yet waits on the home page; its restart says why, and the gateway keeps running', async () => {
  await opened.run(['gateway', 'config', 'set', '--channel=feishu', 'appId=cli_a1', 'appSecret=env:NOT_SET_HERE']);
  await open('home');
  const card = page.locator('.card', { hasText: 'The bot on feishu is set up, but does not run yet.' });
  await card.waitFor();
  await expectLooks(page);
  await card.getByRole('link', { name: 'Look' }).click();
  await page.getByRole('button', { name: 'Restart the gateway now' }).click();
  await connection('feishu')
    .getByText(/NOT_SET_HERE/)
    .waitFor();
  await expectLooks(page);
  await opened.run(['gateway', 'config', 'clear', '--channel=feishu']);
  await page.reload();
  await page.getByText('No bot is connected').waitFor();
});

it('a bot on Telegram is connected: a wrong token stores nothing, the right one runs after the restart that is offered', async () => {
  const dialog = await connecting('Talk to it on Telegram');
  for (const step of TELEGRAM.en.steps) await dialog.getByText(step).waitFor();
  const token = dialog.getByLabel('The token of the bot');
  expect(await token.getAttribute('type')).toBe('password');
  await eventually(async () => expect(await token.evaluate((field) => field.matches(':focus'))).toBe(true));
  await expectLooks(page);
  await token.fill('not a token');
  await dialog.getByRole('button', { name: 'Try and store' }).click();
  await dialog.getByText(/that is not the botToken.*Nothing was stored/).waitFor();
  await token.fill(`${telegram.token.slice(0, -4)}wxyz`);
  await dialog.getByRole('button', { name: 'Try and store' }).click();
  await dialog.getByText(/Telegram does not accept the bot token.*Nothing was stored/).waitFor();
  await token.fill(telegram.token);
  await dialog.getByRole('button', { name: 'Try and store' }).click();
  await dialog.getByText('@lain_test_bot is connected.').waitFor();
  await expectLooks(page);
  await restart(dialog);
  await connection('telegram').getByText('connected', { exact: true }).waitFor();
});

it('a person who writes to it is admitted, and is answered', async () => {
  telegram.userSays({ chatId: ADA.id, from: ADA, text: 'hello' });
  const request = page.getByRole('region', { name: 'Waiting to be admitted' }).locator('.card', { hasText: 'Ada' });
  await request.getByRole('button', { name: 'Admit' }).click();
  await page.getByText('Ada was admitted.').waitFor();
  await request.waitFor({ state: 'detached' });
  telegram.userSays({ chatId: ADA.id, from: ADA, text: 'number one' });
  await eventually(() => expect(onTelegram()).toContain('You wrote: number one'));
});

it('an answer that could not be sent waits on the home page, and is sent again from there', async () => {
  telegram.block(ADA.id);
  telegram.userSays({ chatId: ADA.id, from: ADA, text: 'number two' });
  await open('home');
  const letter = page.locator('.card', { hasText: `A message to telegram:${ADA.id} could not be sent.` });
  await letter.getByText(/blocked/).waitFor();
  await expectLooks(page);
  const diedAt = await lastDeath();
  // As long as the bot is blocked, the next try fails too.
  await letter.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('It will be sent again.').waitFor();
  await eventually(async () => expect([undefined, diedAt]).not.toContain(await lastDeath()));
  expect(onTelegram()).not.toContain('number two');
  telegram.block(ADA.id, false);
  await letter.getByRole('button', { name: 'Send again' }).click();
  await eventually(() => expect(onTelegram()).toContain('You wrote: number two'));
  await page.getByText('Nothing is waiting for you.').waitFor();
});

it('several are sent again at once from the page of channels', async () => {
  telegram.block(ADA.id);
  await open('channels');
  const letters = page.getByRole('region', { name: 'Messages that could not be sent' });
  await letters.getByText('Everything was sent.').waitFor();
  for (const [index, text] of ['number three', 'number four'].entries()) {
    telegram.userSays({ chatId: ADA.id, from: ADA, text });
    await letters.locator('.card').nth(index).waitFor();
  }
  telegram.block(ADA.id, false);
  await letters.getByRole('button', { name: 'Send all again' }).click();
  await page.getByText('Sent again: 2').waitFor();
  await letters.getByText('Everything was sent.').waitFor();
  for (const text of ['number three', 'number four'])
    await eventually(() => expect(onTelegram()).toContain(`You wrote: ${text}`));
  expect(telegram.violations).toEqual([]);
});

it('a bot of a private deployment of Feishu is connected by its address', async () => {
  const dialog = await connecting('Talk to it on Feishu or Lark');
  await dialog.getByText('im:message.p2p_msg:readonly').waitFor();
  expect(await dialog.getByLabel('Its address').count()).toBe(0);
  await dialog.getByLabel('Which platform?').selectOption('A private deployment');
  await dialog.getByLabel('App ID').fill(feishu.appId);
  await dialog.getByLabel('App Secret').fill(feishu.appSecret);
  expect(await dialog.getByLabel('App Secret').getAttribute('type')).toBe('password');
  // Somebody could read the secret on its way.
  await dialog.getByLabel('Its address').fill('http://feishu.example.com');
  await dialog.getByRole('button', { name: 'Try and store' }).click();
  await dialog.getByText(/or an https address.*Nothing was stored/).waitFor();
  await dialog.getByLabel('Its address').fill(feishu.url);
  await dialog.getByLabel('App Secret').fill('wrong');
  await dialog.getByRole('button', { name: 'Try and store' }).click();
  await dialog.getByText(/does not accept the app's credentials.*Nothing was stored/).waitFor();
  await dialog.getByLabel('App Secret').fill(feishu.appSecret);
  await expectLooks(page);
  await dialog.getByRole('button', { name: 'Try and store' }).click();
  await dialog.getByText(`${feishu.appId} is connected.`).waitFor();
  for (const step of FEISHU.en.stepsOnceRunning ?? []) await dialog.getByText(step).waitFor();
  await restart(dialog);
  await connection('feishu').getByText('connected', { exact: true }).waitFor();
  await connection('telegram').getByText('connected', { exact: true }).waitFor();

  feishu.say({ chatId: ANNA.chatId, senderId: ANNA.id, text: 'hello' });
  const requests = page.getByRole('region', { name: 'Waiting to be admitted' });
  await requests.locator('.card', { hasText: 'feishu' }).getByRole('button', { name: 'Admit' }).click();
  await eventually(() => expect(onFeishu()).toContain('The owner has admitted you'));
  feishu.say({ chatId: ANNA.chatId, senderId: ANNA.id, text: 'number five' });
  await eventually(() => expect(onFeishu()).toContain('You wrote: number five'));
  expect(feishu.violations).toEqual([]);
});

describe.each([
  ['en-US', 'en', en],
  ['zh-CN', 'zh', zh],
  ['ru-RU', 'ru', ru],
] as const)('in %s', (locale, language, texts) => {
  it('each form says what to do, and a message that could not be sent has its texts, without a finding of axe', async () => {
    telegram.block(ADA.id);
    telegram.userSays({ chatId: ADA.id, from: ADA, text: `number ${language}` });
    const own = await (await opened.signIn({ locale })).newPage();
    await own.goto(`${opened.address}#/channels`);
    const letters = own.getByRole('region', { name: texts['channels.deadLetters'] });
    await letters.getByRole('button', { name: texts['home.sendAgain'] }).waitFor();
    await expectLooks(own);
    await own.goto(`${opened.address}#/home`);
    await own.getByText(texts['home.deadLetter'].replace('{chat}', `telegram:${ADA.id}`)).waitFor();
    await expectLooks(own);
    telegram.block(ADA.id, false);
    await own.getByRole('button', { name: texts['home.sendAgain'] }).click();
    await own.getByText(texts['home.retried']).waitFor();
    await own.getByText(texts['home.nothing']).waitFor();
    for (const words of [TELEGRAM[language], FEISHU[language]]) {
      await own.goto(`${opened.address}#/channels`);
      await own.getByRole('button', { name: texts['channels.connect'] }).first().click();
      await own.getByRole('dialog').getByRole('button', { name: words.offer }).click();
      const dialog = own.getByRole('dialog', { name: words.title });
      for (const step of words.steps) await dialog.locator('li', { hasText: step }).waitFor();
      for (const question of Object.values(words.questions)) await dialog.getByLabel(question).waitFor();
      await expectLooks(own);
      await own.keyboard.press('Escape');
    }
    await own.context().close();
  });
});
