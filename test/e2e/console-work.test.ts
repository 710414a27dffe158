import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { axeFindings, type ConsoleBrowser, errorsOf, newContext, openConsole } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';

let opened: ConsoleBrowser;
let page: Page;
let errors: string[];

beforeAll(async () => {
  opened = await openConsole({
    script: () => ({ text: 'Done.', usage: { input: 900, output: 100 } }),
  });
  page = await (await opened.signIn()).newPage();
  errors = errorsOf(page);
});

async function open(name: string): Promise<void> {
  await page.goto(`${opened.address}#/${name}`);
}

it('a fact is added, changed and deleted in place', async () => {
  await open('memory');
  const card = page.locator('.card', { hasText: 'About you' });
  await card.getByRole('textbox', { name: 'Name' }).fill('team');
  await card.getByRole('textbox', { name: 'Fact' }).fill('payments');
  await card.getByRole('button', { name: 'Add the fact' }).click();
  const fact = card.getByRole('textbox', { name: 'team' });
  await fact.fill('search');
  await fact.press('Enter');
  await eventually(async () => {
    const facts = (await opened.run(['memory', 'core', 'get', '--json']).catch(() => undefined))?.stdout ?? '';
    expect(facts).toContain('search');
  });
  await card.getByRole('button', { name: 'Delete team' }).click();
  await fact.waitFor({ state: 'detached' });
});

it('a dropped file is saved, and found with its score and its words', async () => {
  await open('memory');
  await page.locator('.drop input').setInputFiles({
    name: 'queue.md',
    mimeType: 'text/markdown',
    buffer: Buffer.from('# Queue\n\nRetries wait two minutes.\n'),
  });
  await page.getByText('queue.md was saved.').waitFor();
  await page.getByRole('searchbox', { name: 'Search the archive' }).fill('retries');
  await page.keyboard.press('Enter');
  const found = page.locator('.card', { hasText: 'Retries wait two minutes.' });
  await found.getByText('Why:').waitFor();
  expect(await found.getByRole('meter', { name: 'Score' }).count()).toBe(1);
});

it('a job is added with its sentence and next runs, paused, resumed and removed', async () => {
  await open('schedules');
  await page.getByRole('button', { name: 'New job' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('brief');
  await page.getByRole('textbox', { name: 'Prompt' }).fill('what failed?');
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'The job was added' });
  await dialog
    .getByText(/08:00|8:00/)
    .first()
    .waitFor();
  await dialog.locator('li').nth(2).waitFor();
  expect(await dialog.locator('li').count()).toBe(3);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Change brief' }).click();
  const edit = page.getByRole('dialog', { name: 'Change the job' });
  await edit.getByRole('textbox', { name: 'When' }).fill('every day');
  await edit
    .getByText(/is not a time|every/)
    .last()
    .waitFor();
  await edit.getByRole('textbox', { name: 'When' }).fill('30 18 * * 5');
  await edit
    .getByText(/6:30 PM|18:30/)
    .first()
    .waitFor();
  await edit.getByRole('textbox', { name: 'Prompt' }).fill('what was done?');
  await edit.getByRole('button', { name: 'Save' }).click();
  const changed = page.getByRole('dialog', { name: 'The job was changed' });
  await changed.waitFor();
  await page.keyboard.press('Escape');
  await changed.waitFor({ state: 'hidden' });
  await page
    .locator('li.card', { hasText: 'what was done?' })
    .getByText(/Friday/)
    .first()
    .waitFor();
  const job = page.locator('li.card', { hasText: 'brief' });
  await job.getByRole('button', { name: 'Pause' }).click();
  await job.getByRole('button', { name: 'Resume' }).click();
  await job.getByRole('button', { name: 'Pause' }).waitFor();
  await job.getByRole('button', { name: 'Delete brief' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('No jobs yet').waitFor();
});

it('a tool is tried with a form made of its schema', async () => {
  writeFileSync(join(opened.workspace, 'plum.txt'), 'x');
  await open('tools/fs.list_dir');
  const form = page.locator('.card form');
  await form.getByRole('textbox', { name: 'path' }).fill('.');
  await form.getByRole('button', { name: 'Run it' }).click();
  await form.locator('.output', { hasText: 'plum.txt' }).waitFor();
});

it('a setting is stored, shown with its source, and put back to its default', async () => {
  await open('settings');
  const line = page.locator('.setting', { hasText: 'dailyMaxTokens' });
  await line.getByRole('textbox').fill('5000');
  await line.getByRole('textbox').press('Enter');
  await line.getByText('from config.json').waitFor();
  await line.getByRole('button', { name: 'Use the default of dailyMaxTokens' }).click();
  await line.getByText('from config.json').waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Language', exact: true }).selectOption('ru');
  await page.getByRole('heading', { level: 1, name: 'Настройки' }).waitFor();
  expect(await page.evaluate('document.documentElement.lang')).toBe('ru');
  await page.getByRole('combobox', { name: 'Язык', exact: true }).selectOption('en');
  await page.getByRole('combobox', { name: 'Theme', exact: true }).selectOption('dark');
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
});

it('a person who is invited sees their own conversations and none of the settings', async () => {
  await open('settings');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Anna');
  await page.getByRole('button', { name: 'Invite' }).click();
  const link = await page.getByRole('textbox', { name: 'Link to sign in' }).inputValue();
  await page.keyboard.press('Escape');
  const context = await newContext();
  const anna = await context.newPage();
  if (!anna) throw new Error('no page');
  const herErrors = errorsOf(anna);
  await anna.goto(link);
  await anna.getByText('signs this browser in as Anna').waitFor();
  await anna.getByRole('button', { name: 'Sign in' }).click();
  await anna.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  expect(await anna.getByRole('link', { name: 'Channels' }).count()).toBe(0);
  await anna.goto(`${opened.address}#/chat`);
  await anna.getByRole('textbox', { name: 'Message' }).fill('hello');
  await anna.keyboard.press('Enter');
  await anna.getByText('Done.').waitFor();
  await anna.goto(`${opened.address}#/settings`);
  await anna.getByRole('combobox', { name: 'Theme' }).waitFor();
  expect(await anna.getByText('config.json').count()).toBe(0);
  await anna.goto(`${opened.address}#/channels`);
  await anna.getByText('This page is the owner’s').waitFor();
  expect(await axeFindings(anna)).toEqual([]);
  await anna.goto(`${opened.address}#/memory`);
  await anna.getByText('Say “remember that …” in a conversation.').waitFor();
  expect(herErrors).toEqual([]);
});

it('what was used is drawn by tokens, cost and time, with the cap of a day', async () => {
  await open('chat');
  await page.getByRole('textbox', { name: 'Message' }).fill('hello');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  await opened.run(['config', 'set', 'dailyMaxTokens=6000']);
  await open('usage');
  const plot = page.locator('.bars');
  await page.getByRole('figure', { name: /^Tokens by day/ }).waitFor();
  const heights = () =>
    plot.locator('.bar-column > div').evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().height));
  await eventually(async () => expect((await heights()).at(-1)).toBeGreaterThan(0));
  expect((await heights()).filter((height) => height > 0)).toHaveLength(1);
  await plot.getByText('cap: 6,000').waitFor();
  expect(await plot.locator('.bar-cap').count()).toBe(1);
  await page.getByRole('button', { name: 'Time each' }).click();
  await page.getByRole('figure', { name: /^Time each by day, at most [\d.]+m?s/ }).waitFor();
  expect(await plot.locator('.bar-cap').count()).toBe(0);
  expect(
    await page
      .locator('table .share')
      .first()
      .evaluate((bar) => bar.getBoundingClientRect().width),
  ).toBeGreaterThan(0);
});

it('a cap that is set holds for the next question, and what else was changed after a restart', async () => {
  await open('settings');
  const line = page.locator('.setting', { hasText: 'dailyMaxTokens' });
  await line.getByRole('textbox').fill('10');
  await line.getByRole('textbox').press('Enter');
  await line.getByText('from config.json').waitFor();
  const pending = page.getByText('Changed, and fully in use after a restart: dailyMaxTokens.');
  await pending.waitFor();
  // It is the gateway that knows it: nothing is lost with the page.
  await page.reload();
  await pending.waitFor();
  await open('chat');
  await page.getByRole('textbox', { name: 'Message' }).fill('once more');
  await page.keyboard.press('Enter');
  await page.getByText("today's cap of 10 tokens is used up").waitFor();
  await open('settings');
  await line.getByRole('textbox').fill('5000');
  await line.getByRole('textbox').press('Enter');
  await page.getByRole('button', { name: 'Restart the gateway now' }).click();
  await page.getByText('The gateway runs again.').waitFor();
  await pending.waitFor({ state: 'detached' });
  // What is put back to what the gateway began with needs no restart.
  await line.getByRole('button', { name: 'Use the default of dailyMaxTokens' }).click();
  await pending.waitFor();
  await line.getByRole('textbox').fill('5000');
  await line.getByRole('textbox').press('Enter');
  await pending.waitFor({ state: 'detached' });
  await line.getByRole('button', { name: 'Use the default of dailyMaxTokens' }).click();
  await pending.waitFor();
  // The page was without a gateway for a moment.
  errors.length = 0;
});

it('the chat-only view stays over a reload', async () => {
  await open('chat');
  const alone = page.getByRole('button', { name: 'Hide or show the sidebar' });
  await alone.click();
  await page.getByRole('navigation').waitFor({ state: 'hidden' });
  await page.reload();
  await alone.waitFor();
  expect(await page.getByRole('navigation').isVisible()).toBe(false);
  await alone.click();
  await page.getByRole('navigation').waitFor();
});

it('whose memory is shown is chosen among those that something is remembered of', async () => {
  await open('memory');
  await page.getByRole('heading', { level: 2, name: 'Archive' }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Whose memory' }).count()).toBe(0);
  await opened.run(['memory', 'save', '--scope', 'project:ledger', 'The ledger is closed on Fridays.']);
  await page.reload();
  await page.getByRole('combobox', { name: 'Whose memory' }).selectOption('project:ledger');
  await page.getByText('The ledger is closed on Fridays.').waitFor();
  await page.getByText('Retries wait two minutes.').waitFor({ state: 'detached' });
});

it('the audit log is shown, filtered and proved', async () => {
  await open('audit');
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('operation');
  await page.locator('.lines li', { hasText: 'config.set' }).first().waitFor();
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('Nothing was changed, removed or moved.').waitFor();
});

it('nothing of it was an error of the page', () => {
  expect(errors).toEqual([]);
});
