import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openConsole } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';

const TABS = 8;

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

it('more tabs than a browser has connections to one host are all live: they share one stream', async () => {
  const opened = await openConsole({ script: [{ text: 'First.' }, { text: 'Seen everywhere.' }] });
  const context = await opened.signIn();
  const first = await context.newPage();
  await first.goto(`${opened.address}#/chat`);
  await ask(first, 'hello');
  await first.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  const tabs = await Promise.all(Array.from({ length: TABS }, () => context.newPage()));
  for (const tab of tabs) {
    await tab.goto(first.url());
    await tab.getByText('First.').waitFor();
  }
  await ask(first, 'and now?');
  for (const tab of tabs) {
    await tab.getByText('Seen everywhere.').waitFor();
    await eventually(async () => expect(await tab.getByText('and now?', { exact: true }).count()).toBe(1));
  }
});

it('a gateway that is started again in the middle of a conversation loses and doubles nothing', async () => {
  const opened = await openConsole({ script: [{ text: 'Before.' }, { text: 'After.' }] });
  const page = await (await opened.signIn()).newPage();
  await page.goto(`${opened.address}#/chat`);
  await ask(page, 'one');
  await page.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  await opened.run(['gateway', 'stop']);
  await page.getByText('The connection is lost.').waitFor();
  await opened.run(['up', '--port', new URL(opened.address).port, '--no-open', '--json']);
  await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
  await ask(page, 'two');
  await page.getByText('After.').waitFor();
  const answers = await page.getByRole('article', { name: 'Answer' }).allTextContents();
  expect(answers.map((text) => text.trim())).toEqual(['Before.', 'After.']);
  expect(await page.getByRole('article', { name: 'You', exact: true }).count()).toBe(2);
});

it('a conversation of the terminal is there, and one that is begun there appears in the list', async () => {
  const opened = await openConsole({ script: [{ text: 'From the terminal.' }] });
  const page = await (await opened.signIn()).newPage();
  await page.goto(opened.address);
  await page.getByText('No conversations yet').waitFor();
  await opened.run(['ask', '--provider', 'openai', '--session', 'work', 'what is this?']);
  await page.reload();
  await page.locator('.entry a').click();
  await page.getByText('From the terminal.').waitFor();
  await page.goto(`${opened.address}#/conversations`);
  await page.getByRole('searchbox', { name: 'Search in all messages' }).fill('terminal');
  await page.keyboard.press('Enter');
  await page.locator('.card', { hasText: 'From the terminal.' }).waitFor();
  await eventually(async () => expect(await page.locator('.card').count()).toBe(1));
});
