// What a person settles once: notifications, sign-ins to providers, people, who may write to a bot, damaged files, the audit log as a file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { startTelegramServer, type TelegramServer } from '../fakes/telegram-server/telegram-server.ts';
import { type ConsoleBrowser, errorsOf, newContext, openConsole } from '../support/console-browser.ts';
import { expectLooks } from '../support/console-looks.ts';
import { eventually } from '../support/eventually.ts';
import { runBinary } from '../support/lainclaw.ts';
import { KEY } from '../support/model-providers.ts';
import { afterFile } from '../support/test-home.ts';

const ADA = { id: 4_242, first_name: 'Ada' };
const BOB = { id: 4_343, first_name: 'Bob' };

let opened: ConsoleBrowser;
let telegram: TelegramServer;
let context: BrowserContext;
let page: Page;
let errors: string[];

beforeAll(async () => {
  telegram = await startTelegramServer();
  afterFile(() => telegram.close());
  opened = await openConsole({
    script: () => ({ text: 'Done.' }),
    prepare: (home) => {
      const account = { botToken: telegram.token, apiRoot: telegram.url };
      const settings = { version: 1, default: { debounceMs: 0 }, channels: { telegram: account } };
      writeFileSync(join(home.path, 'gateway.json'), JSON.stringify(settings), { mode: 0o600 });
      home.config({ provider: 'openai' });
    },
  });
  context = await opened.signIn();
  page = await context.newPage();
  errors = errorsOf(page);
});

const open = (path: string) => page.goto(`${opened.address}#/${path}`);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

it('notifications are allowed with a button', async () => {
  const asking = await context.newPage();
  // The browser of the tests asks nobody.
  await asking.addInitScript(`
    window.Notification = class {
      static permission = 'default';
      static async requestPermission() { return (this.permission = 'granted'); }
    };
  `);
  await asking.goto(`${opened.address}#/settings`);
  await asking.getByRole('button', { name: 'Allow notifications' }).click();
  await asking.getByText('Notifications are on.').waitFor();
  await asking.close();
});

it('of two sign-ins the other one is taken into use, and one is signed out of', async () => {
  for (const profile of ['home', 'work']) {
    const args = ['auth', 'login', 'openai', '--api-key-stdin', '--profile', profile, '--no-check'];
    expect(await runBinary(args, { home: opened.home, stdin: `${KEY}\n` })).toMatchObject({ code: 0 });
  }
  await open('settings');
  await page.reload();
  const line = (profile: string) => page.locator('#sign-ins ~ ul li', { hasText: profile });
  await line('work').getByText('in use').waitFor();
  await line('home').getByRole('button', { name: 'Use', exact: true }).click();
  await line('home').getByText('in use').waitFor();
  await expectLooks(page);
  await line('work')
    .getByRole('button', { name: /^Sign out of / })
    .click();
  await line('work').waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(KEY);
});

it('a person gets another link, and is signed out at once when they are removed', async () => {
  await open('settings');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Anna');
  await press('Invite');
  await page.getByRole('textbox', { name: 'Link to sign in' }).waitFor();
  await page.keyboard.press('Escape');
  const anna = page.locator('#people ~ ul li', { hasText: 'Anna' });
  await anna.getByRole('button', { name: 'New link' }).click();
  const link = await page.getByRole('textbox', { name: 'Link to sign in' }).inputValue();
  await page.keyboard.press('Escape');
  const theirs = await (await newContext()).newPage();
  await theirs.goto(link);
  await theirs.getByRole('button', { name: 'Sign in' }).click();
  await theirs.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await anna.getByRole('button', { name: 'Delete Anna' }).click();
  await page.getByText('They are signed out. Their conversations stay.').waitFor();
  await expectLooks(page);
  await confirm('Delete');
  await anna.waitFor({ state: 'detached' });
  await theirs.getByText('You are not signed in.').waitFor();
  await theirs.context().close();
});

it('who wants to write to a bot is refused, and who was admitted is removed', async () => {
  await open('channels');
  const requests = page.getByRole('region', { name: 'Waiting to be admitted' });
  telegram.userSays({ chatId: BOB.id, from: BOB, text: 'hello' });
  await requests.locator('.card', { hasText: 'Bob' }).getByRole('button', { name: 'Refuse' }).click();
  await requests.getByText('Nobody waits.').waitFor();
  telegram.userSays({ chatId: ADA.id, from: ADA, text: 'hello' });
  await requests.locator('.card', { hasText: 'Ada' }).getByRole('button', { name: 'Admit' }).click();
  const admitted = page.getByRole('region', { name: 'Admitted', exact: true });
  await admitted.getByText(String(ADA.id)).waitFor();
  await admitted.getByRole('button', { name: 'Revoke' }).click();
  await admitted.waitFor({ state: 'detached' });
  const { allowed } = (await opened.run(['pairing', 'list', '--json'])).json<{ allowed: unknown[] }>();
  expect(allowed).toEqual([]);
});

it('a damaged file is found, and repaired with the commands that the page says', async () => {
  const path = join(opened.home.path, 'console-folders.json');
  writeFileSync(path, '{"version":1', { mode: 0o600 });
  await open('doctor');
  await page.getByText('There are problems.').waitFor();
  await page.locator('.check.problem', { hasText: 'console-folders.json' }).waitFor();
  await expectLooks(page);
  const commands = await page.getByText('lainclaw doctor --fix', { exact: false }).first().textContent();
  expect(commands?.split('\n')).toEqual(['lainclaw gateway stop', 'lainclaw doctor --fix', 'lainclaw up']);
  await opened.run(['gateway', 'stop']);
  await opened.run(['doctor', '--fix', '--json']);
  await opened.run(['up', '--port', new URL(opened.address).port, '--no-open', '--json']);
  await press('Check again');
  await page.getByText('Everything works.').waitFor();
  // The page was without a gateway for a moment.
  errors.length = 0;
});

it('the audit log is exported as it is filtered', async () => {
  await open('audit');
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('operation');
  const download = page.waitForEvent('download');
  await press('Export');
  const lines = readFileSync(await (await download).path(), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; what: string });
  expect(lines.map(({ what }) => what)).toContain('console.removePerson');
  expect(new Set(lines.map(({ kind }) => kind))).toEqual(new Set(['operation']));
});

it('conversations are found by their title, and ordered by place', async () => {
  for (const [session, question] of [
    ['tea', 'which tea is green?'],
    ['queue', 'how long is the queue?'],
  ] as const)
    await opened.run(['ask', '--provider', 'openai', '--session', session, question]);
  await open('home');
  await page.reload();
  const entries = page.locator('.entry');
  await eventually(async () => expect(await entries.count()).toBe(2));
  await page.getByRole('searchbox', { name: 'Search titles' }).fill('queue');
  await eventually(async () => expect(await entries.allTextContents()).toEqual([expect.stringContaining('queue')]));
  await page.getByRole('searchbox', { name: 'Search titles' }).fill('coffee');
  await page.getByText('No title matches. Press Enter to search in all messages.').waitFor();
  await page.getByRole('searchbox', { name: 'Search titles' }).fill('tea');
  await page.keyboard.press('Enter');
  await page.locator('.cards .card', { hasText: 'which tea is green?' }).waitFor();
  await page.getByRole('searchbox', { name: 'Search titles' }).fill('');
  await page.getByRole('combobox', { name: 'Order' }).selectOption('place');
  await eventually(async () => expect(await entries.count()).toBe(2));
  expect(errors).toEqual([]);
});
