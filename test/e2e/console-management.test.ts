// The pages that manage things, used as a person does: skills, conversations, jobs, browsers.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type ConsoleBrowser, errorsOf, openBrowser, openConsole } from '../support/console-browser.ts';

let opened: ConsoleBrowser;
let context: BrowserContext;
let page: Page;
let errors: string[];

beforeAll(async () => {
  opened = await openConsole({
    script: ({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('write it down')
        ? { toolCalls: [{ name: 'file_write', args: { path: 'note.md', content: '# Note\n' } }] }
        : { text: 'Retries wait two minutes.' },
    prepare: (home) => home.config({ provider: 'openai', toolMaxSteps: 25, memory: true }),
  });
  context = await opened.signIn();
  page = await context.newPage();
  errors = errorsOf(page);
});

const open = (path: string) => page.goto(`${opened.address}#/${path}`);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

it('a skill is installed from a folder, read and removed', async () => {
  const folder = join(opened.home.base, 'brew');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'SKILL.md'),
    '---\nname: brew\ndescription: Makes tea.\n---\n# Brewing\n\nBoil the water.\n',
  );
  await open('skills');
  await page.getByRole('textbox', { name: /A folder/ }).fill(folder);
  await press('Install');
  await page.getByText('Installed: brew').waitFor();
  await page.getByRole('link', { name: 'brew' }).click();
  await page.getByText('Boil the water.').waitFor();
  await press('Delete brew');
  await confirm('Delete');
  await page.getByText('No skills yet').waitFor();
});

it('a conversation is renamed, exported, played as a timeline and deleted', async () => {
  await opened.run(['ask', '--provider', 'openai', '--session', 'queue', 'how long do retries wait?']);
  await open('conversations');
  await page.reload();
  await page
    .getByRole('table')
    .getByRole('button', { name: /^Rename/ })
    .click();
  await page.getByRole('textbox', { name: 'New title' }).fill('The queue');
  await confirm('Save');
  const line = page.getByRole('row', { name: /The queue/ });
  await line.waitFor();
  const download = page.waitForEvent('download');
  await line.getByRole('combobox').selectOption('markdown');
  const path = await (await download).path();
  expect(readFileSync(path, 'utf8')).toMatch(/how long do retries wait\?[\s\S]*Retries wait two minutes\./);
  await line.getByRole('link', { name: 'Timeline of The queue' }).click();
  await page.getByRole('heading', { level: 1, name: 'Timeline' }).waitFor();
  await page.locator('.waterfall li', { hasText: 'model' }).waitFor();
  await open('conversations');
  await line.getByRole('button', { name: 'Delete The queue' }).click();
  await confirm('Delete');
  await line.waitFor({ state: 'detached' });
});

it('what was recalled for a question is shown with its text and its source', async () => {
  await opened.run(['memory', 'save', 'The queue page says that retries wait two minutes.']);
  await open('chat');
  await page.getByRole('textbox', { name: 'Message' }).fill('what does the queue page say about retries?');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  await page.locator('.recalled summary').click();
  await page.locator('.recalled').getByText('The queue page says that retries wait two minutes.').waitFor();
  await page.locator('.recalled').getByText('owner').first().waitFor();
});

it('the owner sees which person a question comes from', async () => {
  const { url } = (await opened.run(['console', 'invite', 'Anna', '--json'])).json<{ url: string }>();
  const anna = await (await (await openBrowser()).newContext({ locale: 'en-US' })).newPage();
  await anna.goto(url);
  await anna.getByRole('button', { name: 'Sign in' }).click();
  await anna.getByRole('link', { name: 'New conversation' }).first().click();
  await anna.getByRole('textbox', { name: 'Message' }).fill('write it down');
  await anna.keyboard.press('Enter');
  await anna.getByText('The owner was asked and will decide.').waitFor();
  await open('home');
  const card = page.locator('.card', { has: page.getByRole('button', { name: 'Deny' }) });
  await card.getByText('Anna').waitFor();
  await card.getByRole('button', { name: 'Deny' }).click();
  await anna.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  await anna.context().close();
});

it('a job is run now, and what it answered is in its history', async () => {
  await opened.run(['schedule', 'add', 'brief', '--cron', '0 8 * * 1-5', '--message', 'what failed?']);
  await open('schedules');
  const job = page.locator('li.card', { hasText: 'brief' });
  await job.getByRole('button', { name: 'Run now' }).click();
  await job.getByText('History').click();
  await job.getByText('Retries wait two minutes.').waitFor();
  expect(await job.locator('.lines .state').first().textContent()).toBe('ok');
});

it('a signed-in browser is signed out from another one, at once', async () => {
  const other = await (await opened.signIn()).newPage();
  await other.goto(opened.address);
  await other.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await open('settings');
  await page.reload();
  await page
    .locator('li', { hasText: /owner.*last seen/ })
    .getByRole('button', { name: 'Sign out', exact: true })
    .click();
  await other.getByText('lainclaw up').waitFor();
  await page.locator('li', { hasText: 'this one' }).waitFor();
});

it('the log is searched, and shows what is new as it is written', async () => {
  await open('logs');
  const lines = page.locator('.lines li');
  await lines.filter({ hasText: 'ready' }).first().waitFor();
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('debounceMs');
  await page.getByText('The gateway has written nothing that matches.').waitFor();
  await opened.run(['gateway', 'config', 'set', 'debounceMs=7']);
  await lines.filter({ hasText: 'settings-changed' }).first().waitFor();
});

it('nothing of it was an error of the page', () => {
  expect(errors).toEqual([]);
});
