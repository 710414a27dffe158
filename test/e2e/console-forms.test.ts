// What a server asks for while its tool runs, as a form in the browser: a real public server, whose form has every kind of field.
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type ConsoleBrowser, errorsOf, openConsole } from '../support/console-browser.ts';
import { expectLooks } from '../support/console-looks.ts';
import { eventually } from '../support/eventually.ts';

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const TOOL = 'mcp__everything__trigger-elicitation-request';

let opened: ConsoleBrowser;
let page: Page;
let errors: string[];

beforeAll(async () => {
  opened = await openConsole({
    script: ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? { text: 'I see.' } : { toolCalls: [{ name: TOOL, args: {} }] },
    prepare: (home) => home.config({ provider: 'openai' }),
  });
  await opened.run(['mcp', 'add', 'everything', '--', process.execPath, EVERYTHING, 'stdio']);
  page = await (await opened.signIn()).newPage();
  errors = errorsOf(page);
});

/** The form, once the call was allowed. */
async function asked(): Promise<Locator> {
  await page.goto(`${opened.address}#/chat`);
  await page.getByRole('textbox', { name: 'Message' }).fill('ask me');
  await page.keyboard.press('Enter');
  const question = page.getByRole('group', { name: 'Question' });
  await question.getByRole('button', { name: 'Allow once' }).click();
  await question.getByRole('heading', { name: 'everything asks' }).waitFor();
  return question;
}

/** What the server got, as the model received it. */
const answered = (): string => JSON.stringify(opened.model.requests.at(-1)?.body);

it('one that is longer than the page is shown from its beginning', async () => {
  const form = await asked();
  const messages = page.getByRole('log');
  const heading = form.getByRole('heading', { name: 'everything asks' });
  const topOf = async (place: Locator) => (await place.boundingBox())?.y ?? Number.NaN;
  await eventually(async () => expect(await topOf(heading)).toBeGreaterThanOrEqual(await topOf(messages)));
  // There is more below.
  await page.getByRole('button', { name: 'To the newest message' }).waitFor();
  await form.getByRole('button', { name: 'Decline' }).click();
  await page.getByText('I see.').waitFor();
});

it('its fields are filled in, ticked and chosen; the rest is as the form showed it', async () => {
  const form = await asked();
  await form.getByRole('textbox', { name: 'String', exact: true }).fill('Ann');
  const date = form.getByLabel(/String with date format/);
  expect(await date.getAttribute('type')).toBe('date');
  await date.fill('1990-05-17');
  await form.getByLabel(/^Integer/).fill('7');
  await form.getByLabel('Boolean').check();
  const instruments = form.getByRole('group', { name: 'Untitled Multiple Select Enum' });
  expect(await instruments.getByRole('checkbox', { name: 'Guitar' }).isChecked()).toBe(true);
  await instruments.getByRole('checkbox', { name: 'Drums' }).check();
  await instruments.getByRole('checkbox', { name: 'Guitar' }).uncheck();
  await expectLooks(page);
  await form.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('I see.').waitFor();
  for (const text of [
    'Name: Ann',
    'Agreed to terms: true',
    '1990-05-17',
    'Favorite Integer: 7',
    'Favorite Number: 3.14',
    'Drums',
  ])
    expect(answered()).toContain(text);
  expect(answered()).not.toContain('Guitar');
});

it('one that is declined sends nothing', async () => {
  const form = await asked();
  await form.getByRole('button', { name: 'Decline' }).click();
  await page.getByText('I see.').waitFor();
  expect(answered()).toContain('User declined');
  expect(errors).toEqual([]);
});
