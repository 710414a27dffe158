// The console without a mouse: the palette, the first stop of a page, and where the focus is after what was open is closed.
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { axeFindings, type ConsoleBrowser, errorsOf, openConsole } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';

let opened: ConsoleBrowser;
let page: Page;
let errors: string[];

beforeAll(async () => {
  opened = await openConsole({ script: ({ messages }) => ({ text: `Answer ${messages.length}.` }) });
  await opened.run(['ask', '--provider', 'openai', '--session', 'queue', 'how long is the queue?']);
  page = await (await opened.signIn()).newPage();
  errors = errorsOf(page);
});

const open = (path: string) => page.goto(`${opened.address}#/${path}`);
const field = (): Locator => page.getByRole('textbox', { name: 'Message' });
const commands = (): Locator => page.getByRole('combobox', { name: 'Commands', exact: true });

const isFocused = (target: Locator) =>
  eventually(async () =>
    expect(await target.evaluate((element) => element.matches(':focus')), String(target)).toBe(true),
  );

/** Until it takes what is typed. */
async function openPalette(): Promise<void> {
  await page.keyboard.press('Control+k');
  await isFocused(commands());
}

/** Types into the palette and runs what comes first. */
async function command(words: string): Promise<void> {
  await openPalette();
  await page.keyboard.type(words);
  await page.keyboard.press('Enter');
  await commands().waitFor({ state: 'detached' });
}

it('the palette leads to a page, a conversation and a new one, and takes the focus along', async () => {
  await open('home');
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await command('schedules');
  await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
  await isFocused(page.getByRole('main'));
  await command('how long is the queue');
  await page.getByRole('article', { name: 'Answer' }).waitFor();
  await isFocused(field());
  await command('new conversation');
  await page.getByText('What shall we do?').waitFor();
  await isFocused(field());
  await page.keyboard.type('and tomorrow?');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
});

it('the arrow keys choose, and what matches nothing says so', async () => {
  await openPalette();
  const chosen = page.getByRole('listbox', { name: 'Commands' }).getByRole('option', { selected: true });
  const first = await chosen.textContent();
  await page.keyboard.press('ArrowDown');
  await eventually(async () => expect(await chosen.textContent()).not.toBe(first));
  expect(await commands().getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'));
  await page.keyboard.press('ArrowUp');
  await eventually(async () => expect(await chosen.textContent()).toBe(first));
  await page.keyboard.type('qqqq');
  await page.getByText('No page, conversation or command matches.').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  // Nothing is chosen, so nothing is run.
  await page.keyboard.press('Enter');
  await commands().waitFor();
  await page.keyboard.press('Escape');
  await commands().waitFor({ state: 'detached' });
});

it('the palette switches the theme and the language, and gives the focus back', async () => {
  await open('settings');
  const search = page.getByRole('button', { name: 'Search and commands' });
  await search.focus();
  await command('theme: dark');
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  await isFocused(search);
  await openPalette();
  await page.keyboard.press('Escape');
  await isFocused(search);
  await command('language: рус');
  await page.getByRole('heading', { level: 1, name: 'Настройки' }).waitFor();
  // Its own name is in the language of the page now.
  await page.keyboard.press('Control+k');
  await isFocused(page.getByRole('combobox', { name: 'Команды', exact: true }));
  await page.keyboard.type('english');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
});

it('a dialog gives the focus back, however it is closed', async () => {
  await open('conversations');
  for (const [name, close] of [
    ['Rename', 'Save'],
    ['Delete', 'Cancel'],
    ['Delete', 'Close'],
  ] as const) {
    const opener = page.getByRole('table').getByRole('button', { name: `${name} how long is the queue?` });
    await opener.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: close }).press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await isFocused(opener);
  }
});

it('who begins a conversation can write at once; the first stop of a page skips to its content', async () => {
  await open('memory');
  await page.getByRole('heading', { level: 1, name: 'Memory' }).waitFor();
  await page.getByRole('link', { name: 'New conversation' }).first().click();
  await isFocused(field());
  await open('memory');
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Memory' }).waitFor();
  await page.keyboard.press('Tab');
  await isFocused(page.getByRole('link', { name: 'Skip to the content' }));
  await page.keyboard.press('Enter');
  await isFocused(page.getByRole('main'));
  expect(errors).toEqual([]);
});
