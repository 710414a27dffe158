// 09:00 to 09:15 of the day: a bot connected from the console, the phone live in the browser, a question in all places, answered in each of them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { startTelegramServer, type TelegramServer } from '../fakes/telegram-server/telegram-server.ts';
import { startChat } from '../support/chat-terminal.ts';
import { type ConsoleBrowser, openConsole } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';
import { afterFile } from '../support/test-home.ts';

const ADA = { id: 4_242, first_name: 'Ada' };

describe('a day, in the browser', () => {
  let telegram: TelegramServer;
  let opened: ConsoleBrowser;
  let page: Page;
  const written = (): string[] => telegram.messages(ADA.id).map(({ text }) => text ?? '');
  const allButtons = () =>
    telegram
      .messages(ADA.id)
      .flatMap(({ messageId, keyboard }) =>
        (keyboard?.inline_keyboard.flat() ?? []).flatMap((key) =>
          'callback_data' in key ? [{ messageId, value: key.callback_data }] : [],
        ),
      );
  function allowButton() {
    const button = allButtons().find(({ value }) => /^approve:.*:once$/.test(value));
    if (!button) throw new Error('the phone has no button that allows it once');
    return button;
  }
  const phone = (text: string) => telegram.userSays({ chatId: ADA.id, from: ADA, text });

  beforeAll(async () => {
    telegram = await startTelegramServer();
    afterFile(() => telegram.close());
    opened = await openConsole({
      script: ({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === 'tool') return { text: 'The dry-run is done.' };
        return JSON.stringify(last).includes('dry-run')
          ? { toolCalls: [{ name: 'bash', args: { command: 'touch migrated' } }] }
          : { text: 'Good morning.' };
      },
    });
    // Where the fake platform is.
    const settings = { version: 1, default: { debounceMs: 0 }, channels: { telegram: { apiRoot: telegram.url } } };
    writeFileSync(join(opened.home.path, 'gateway.json'), JSON.stringify(settings));
    page = await (await opened.signIn()).newPage();
  });

  it('09:00 a Telegram bot is connected, the phone gets a pairing code, and is admitted in the console', async () => {
    await page.goto(`${opened.address}#/channels`);
    await page.getByRole('button', { name: 'Connect a bot' }).click();
    await page.getByRole('button', { name: 'Telegram' }).click();
    await page.getByLabel('The token of the bot').fill(telegram.token);
    await page.getByRole('button', { name: 'Try and store' }).click();
    await page.getByText('is connected.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Restart the gateway now' }).click();
    await page.getByText('The gateway runs again.').waitFor();
    await page.keyboard.press('Escape');
    await page.goto(opened.address);
    await page.getByText('Nothing is waiting for you.').waitFor();
    phone('hello');
    await eventually(() => expect(written().join('\n')).toMatch(/[A-Z0-9]{6,}/));
    await page.getByText('Ada wants to write to your bot on telegram.').waitFor();
    await page.goto(`${opened.address}#/channels`);
    await page.getByRole('button', { name: 'Admit' }).click();
    await page.getByText('Ada was admitted.').waitFor();
    phone('good morning');
    await eventually(() => expect(written()).toContain('Good morning.'));
  });

  it('09:10 the page has the conversations with their titles, and the one from the phone is live', async () => {
    await page.goto(opened.address);
    await page.locator('.entry a', { hasText: /good morning|A short title/i }).click();
    await page.getByText('Good morning.').first().waitFor();
    const answers = page.getByRole('article', { name: 'Answer' });
    const before = await answers.count();
    phone('and what else?');
    await eventually(async () => expect(await answers.count()).toBe(before + 1));
    await page.getByText('and what else?', { exact: true }).waitFor();
  });

  it('09:15 a question of the phone is on the phone, in the terminal and in the browser; answered in one, it is gone in all', async () => {
    const chat = startChat([], { home: opened.home, columns: 100, rows: 40 });
    await chat.shows('Ctrl+D leaves');
    phone('run the migration dry-run');
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    await chat.shows(/Asked in telegram:4242:[\s\S]*touch migrated[\s\S]*\/answer q/);
    await eventually(() => expect(written().join('\n')).toContain('touch migrated'));
    await page.getByRole('button', { name: 'Allow once' }).click();
    await eventually(() => expect(written()).toContain('The dry-run is done.'));
    await page.getByText('The dry-run is done.').waitFor();
    expect(await page.getByRole('button', { name: 'Allow once' }).count()).toBe(0);
    await eventually(() => expect(written().join('\n')).toMatch(/allowed/i));
    await chat.shows('→ allowed by owner, in the console');
    await chat.type('/exit\r');
    await chat.ended;
  });

  it('the terminal answers it, too', async () => {
    const chat = startChat([], { home: opened.home, columns: 100, rows: 40 });
    await chat.shows('Ctrl+D leaves');
    const before = written().filter((text) => text === 'The dry-run is done.').length;
    // What is written while a turn runs joins it, and asks nothing of its own.
    await eventually(async () => expect(await page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0));
    phone('run the migration dry-run again');
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    await chat.shows('touch migrated');
    await chat.type('/answer\r');
    await chat.shows('[y] once');
    await chat.type('y');
    await chat.shows('→ allowed by owner, in the terminal');
    await eventually(() =>
      expect(written().filter((text) => text === 'The dry-run is done.')).toHaveLength(before + 1),
    );
    await eventually(async () => expect(await page.getByRole('button', { name: 'Allow once' }).count()).toBe(0));
    await chat.type('/exit\r');
    await chat.ended;
  });

  it('a button on the phone answers it, too', async () => {
    const chat = startChat([], { home: opened.home, columns: 100, rows: 40 });
    await chat.shows('Ctrl+D leaves');
    const done = (): number => written().filter((text) => text === 'The dry-run is done.').length;
    const before = done();
    // What is written while a turn runs joins it, and asks nothing of its own.
    await eventually(async () => expect(await page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0));
    phone('run the migration dry-run once more');
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    await chat.shows(/Asked in telegram:4242:[\s\S]*touch migrated[\s\S]*\/answer q/);
    const { messageId, value } = await eventually(() => allowButton());
    telegram.press(ADA.id, messageId, value, ADA);
    await chat.shows('→ allowed by Ada');
    await eventually(() => expect(done()).toBe(before + 1));
    await eventually(async () => expect(await page.getByRole('button', { name: 'Allow once' }).count()).toBe(0));
    const question = telegram.messages(ADA.id).find((each) => each.messageId === messageId);
    expect(question?.text).toMatch(/Allowed once \(Ada\)/);
    expect(question?.keyboard?.inline_keyboard.flat() ?? []).toEqual([]);
    expect(allButtons()).toEqual([]);
    await chat.type('/answer\r');
    await chat.shows('Nothing is asked for.');
    await chat.type('/exit\r');
    await chat.ended;
  });
});
