// The page of MCP servers, used as a person does: what a server's instructions say is pasted, it is tested, signed in to and trusted.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../web/src/language/en.ts';
import { ru } from '../../web/src/language/ru.ts';
import { zh } from '../../web/src/language/zh.ts';
import { startSignInServer } from '../fakes/mcp/sign-in-server.ts';
import { type ConsoleBrowser, errorsOf, openConsole } from '../support/console-browser.ts';
import { expectLooks } from '../support/console-looks.ts';
import { eventually } from '../support/eventually.ts';
import { holdAnswers } from '../support/hold-answers.ts';
import { filesHolding } from '../support/model-providers.ts';
import { afterFile } from '../support/test-home.ts';

const SERVER = join(import.meta.dirname, '../fakes/mcp/raw-server.ts');
const SECRET = 'pa55-of-a-test';

let opened: ConsoleBrowser;
let context: BrowserContext;
let page: Page;
let errors: string[];

beforeAll(async () => {
  opened = await openConsole({ script: () => ({ text: 'Done.' }) });
  context = await opened.signIn();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  page = await context.newPage();
  errors = errorsOf(page);
});

const open = (path: string) => page.goto(`${opened.address}#/${path}`);
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const card = (name: string): Locator => page.locator('li.card', { has: page.getByText(name, { exact: true }) });

/** Opens the form. */
async function adding(): Promise<Locator> {
  await open('mcp');
  await press('Add a server');
  return page.getByRole('dialog', { name: 'Add a server' });
}

const line = (dialog: Locator): Locator => dialog.getByRole('textbox', { name: 'Command or address' });
const add = (dialog: Locator) => dialog.getByRole('button', { name: 'Add and test' }).click();

async function remove(name: string): Promise<void> {
  await press(`Delete ${name}`);
  await confirm('Delete');
  await page.getByText('No MCP server yet').waitFor();
}

/** From the clipboard. */
async function paste(field: Locator, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await field.press('Control+v');
}

async function run(tool: string): Promise<string> {
  await open(`tools/${tool}`);
  await press('Run it');
  const output = page.locator('.card form .output');
  await output.waitFor();
  return (await output.textContent()) ?? '';
}

it('a command line with quotes, variables and a folder is added; the program gets them as they were meant', async () => {
  const folder = join(opened.home.base, 'my servers');
  mkdirSync(folder);
  const dialog = await adding();
  await line(dialog).fill(`'${process.execPath}' ${SERVER} "the pids"`);
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('raw');
  await dialog.getByRole('button', { name: 'Add a variable' }).click();
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).last().fill('SECRET');
  const value = dialog.getByLabel('Value of SECRET');
  await value.fill(SECRET);
  expect(await value.getAttribute('type')).toBe('password');
  await dialog.getByRole('textbox', { name: 'Folder' }).fill(folder);
  await expectLooks(page);
  await add(dialog);
  await page.getByText(/raw was added; tools: [1-9]/).waitFor();
  await dialog.waitFor({ state: 'detached' });

  await card('raw').getByText('Environment variables: SECRET').waitFor();
  await card('raw').getByText(folder).waitFor();
  expect(await card('raw').locator('code').first().textContent()).toContain("'the pids'");
  expect(await page.content()).not.toContain(SECRET);
  await expectLooks(page);
  await press('Test');
  await page.getByText(/raw answers; tools: [1-9]/).waitFor();
  expect(await run('mcp__raw__secret')).toContain(`SECRET is ${SECRET}`);
  expect(existsSync(join(folder, 'the pids'))).toBe(true);
  expect(
    filesHolding(opened.home.path, SECRET).filter((name) => !/^mcp\.json$|^(transcripts|sessions)/.test(name)),
  ).toEqual([]);
});

it('one of its tools is trusted, then all, then none', async () => {
  await open('mcp');
  await press('Trust pid');
  await page.getByText('This tool runs without a question').waitFor();
  await confirm('Trust');
  await card('raw').getByText('Tools: 4, trusted: 1').waitFor();
  await press('Stop trusting pid');
  await card('raw').getByText('Tools: 4, trusted: 0').waitFor();
  await press('Trust');
  await confirm('Trust');
  await card('raw').getByText('trusted', { exact: true }).waitFor();
  const pids = join(opened.home.base, 'my servers', 'the pids');
  const told = await run('mcp__raw__pid');
  expect(readFileSync(pids, 'utf8').split('\n')).toContain(told.match(/\d+/)?.[0]);
  await open('mcp');
  await press('Stop trusting');
  await card('raw').getByText('trusted', { exact: true }).waitFor({ state: 'detached' });
});

it('a name that is taken is replaced only when the person says so', async () => {
  const dialog = await adding();
  await line(dialog).fill(`${process.execPath} ${SERVER} ${join(opened.home.base, 'other')}`);
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('raw');
  await add(dialog);
  await dialog.getByText('There is a server “raw” already.').waitFor();
  await dialog.getByRole('button', { name: 'Replace it' }).click();
  await page.getByText(/raw was added; tools: [1-9]/).waitFor();
  await card('raw').getByText(join(opened.home.base, 'other')).waitFor();
  await remove('raw');
  // The refusal is the one error that the browser logs.
  expect(errors.splice(0).filter((text) => !text.includes('422'))).toEqual([]);
});

it('the JSON of another program is pasted: its servers, their variables and headers come into the form', async () => {
  const dialog = await adding();
  const servers = {
    files: {
      command: process.execPath,
      args: [SERVER, join(opened.home.base, 'a pid')],
      env: { SECRET: '<your-key>' },
    },
    'web search': { type: 'http', url: 'http://127.0.0.1:9/mcp', headers: { Authorization: `Bearer ${SECRET}` } },
  };
  await paste(line(dialog), JSON.stringify({ mcpServers: servers }, undefined, 2));
  const [files, search] = [
    dialog.getByRole('group', { name: 'files' }),
    dialog.getByRole('group', { name: 'web-search' }),
  ];
  await files.getByText('Some values are only placeholders').waitFor();
  const placeholder = files.getByLabel('Value of SECRET');
  expect([await placeholder.getAttribute('type'), await placeholder.inputValue()]).toEqual(['text', '<your-key>']);
  await placeholder.fill(SECRET);
  expect(await placeholder.getAttribute('type')).toBe('password');
  expect(await search.getByLabel('Value of Authorization').getAttribute('type')).toBe('password');
  await expectLooks(page);
  await add(dialog);
  // The program answers; the address stays in the form with the reason.
  await page.getByText(/files was added; tools: [1-9]/).waitFor();
  await dialog.getByText('web-search is kept, but does not answer yet.').waitFor();
  expect(await files.count()).toBe(0);
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByText('web-search is kept, but does not answer yet.').waitFor();
  await page.keyboard.press('Escape');
  await card('web-search').getByText('Headers: Authorization').waitFor();
  await card('web-search').locator('.problem-text').waitFor();
  expect(await run('mcp__files__secret')).toContain(`SECRET is ${SECRET}`);
  await open('mcp');
  await press('Delete web-search');
  await confirm('Delete');
  await card('web-search').waitFor({ state: 'detached' });
  await remove('files');
});

it('of two pasted servers whose names become the same none replaces the other', async () => {
  const dialog = await adding();
  const server = (pids: string) => ({ command: process.execPath, args: [SERVER, join(opened.home.base, pids)] });
  await paste(
    line(dialog),
    JSON.stringify({ mcpServers: { 'my files': server('first'), 'my-files': server('second') } }),
  );
  await add(dialog);
  await dialog.getByText('There is a server “my-files” already.').waitFor();
  await dialog.getByRole('button', { name: 'Leave out' }).waitFor({ state: 'detached' });
  expect(await line(dialog).inputValue()).toContain('second');
  await page.keyboard.press('Escape');
  await card('my-files').getByText(join(opened.home.base, 'first')).waitFor();
  await remove('my-files');
  // The refusal is the one error that the browser logs.
  expect(errors.splice(0).filter((text) => !text.includes('422'))).toEqual([]);
});

it('the command of another program and a line for a shell are distinguished', async () => {
  const dialog = await adding();
  await line(dialog).fill(`cd /tmp && node server.js`);
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('shell');
  await add(dialog);
  await dialog.getByText('Only one program is started, without a shell').waitFor();
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('');
  await line(dialog).fill('');
  await paste(
    line(dialog),
    `claude mcp add -e SECRET=x tickets -- ${process.execPath} ${SERVER} '${opened.home.base}/p'`,
  );
  await eventually(async () =>
    expect(await dialog.getByRole('textbox', { name: 'Name', exact: true }).first().inputValue()).toBe('tickets'),
  );
  expect(await dialog.getByLabel('Value of SECRET').inputValue()).toBe('x');
  await line(dialog).press('Enter');
  await page.getByText(/tickets was added; tools: [1-9]/).waitFor();
  await remove('tickets');
});

it('a server that wants a sign-in is added, signed in to in another tab, and signed out of', async () => {
  const server = await startSignInServer();
  afterFile(() => server.close());
  const dialog = await adding();
  await line(dialog).fill(server.url);
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('private');
  await add(dialog);
  await dialog.getByText('private is kept. It wants a sign-in.').waitFor();
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  const link = dialog.getByRole('link', { name: `Sign in at ${new URL(server.url).host}` });
  await link.waitFor();
  await expectLooks(page);
  const visited = context.waitForEvent('page');
  await link.click();
  await (await visited).getByText('Done: you can close this page').waitFor();
  await page.getByText('You are signed in to private.').waitFor();
  await card('private').getByText('signed in', { exact: true }).waitFor();
  await card('private').getByRole('link', { name: 'whisper' }).waitFor();
  await card('private').getByRole('button', { name: 'Sign out' }).click();
  await card('private').getByText('signed in', { exact: true }).waitFor({ state: 'detached' });
  await press('Test');
  await card('private').getByText('The server wants a sign-in.').waitFor();
  await remove('private');
  expect(errors.splice(0).filter((text) => !text.includes('422'))).toEqual([]);
});

it('of two sign-ins that wait, each has its own address', async () => {
  const servers = { one: await startSignInServer(), two: await startSignInServer() };
  afterFile(() => {
    for (const { close } of Object.values(servers)) close();
  });
  const dialog = await adding();
  const mcpServers = Object.fromEntries(Object.entries(servers).map(([name, { url }]) => [name, { url }]));
  await paste(line(dialog), JSON.stringify({ mcpServers }));
  await add(dialog);
  const signIn = dialog.getByRole('button', { name: 'Sign in', exact: true });
  await eventually(async () => expect(await signIn.count()).toBe(2));
  const link = (name: keyof typeof servers): Locator =>
    dialog
      .getByRole('group', { name, exact: true })
      .getByRole('link', { name: `Sign in at ${new URL(servers[name].url).host}` });
  await signIn.first().click();
  await link('one').waitFor();
  await signIn.click();
  await link('two').waitFor();
  expect(await link('one').count()).toBe(1);
  await page.keyboard.press('Escape');
  for (const name of ['one', 'two']) {
    await press(`Delete ${name}`);
    await confirm('Delete');
    await card(name).waitFor({ state: 'detached' });
  }
});

it('a form that was closed while its server was tried does not close the next one', async () => {
  const dialog = await adding();
  const answers = await holdAnswers(page, 'mcp.add');
  await line(dialog).fill(`${process.execPath} ${SERVER} ${opened.home.base}/late`);
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('late');
  await add(dialog);
  await answers.given(1);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  await press('Add a server');
  await line(dialog).fill('npx another');
  await answers.letThrough();
  await page.getByText(/late was added; tools: [1-9]/).waitFor();
  await card('late').waitFor();
  expect(await line(dialog).inputValue()).toBe('npx another');
  await page.keyboard.press('Escape');
  await remove('late');
});

describe.each([
  ['zh-CN', zh],
  ['ru-RU', ru],
  ['en-US', en],
] as const)('in %s', (locale, texts) => {
  it('the form says what it takes and why a line cannot be used, without a finding of axe', async () => {
    const own = await (await opened.signIn({ locale })).newPage();
    await own.goto(`${opened.address}#/mcp`);
    await own.getByRole('button', { name: texts['mcp.add'] }).first().click();
    const dialog = own.getByRole('dialog', { name: texts['mcp.add'] });
    await dialog.getByText(texts['mcp.addressHint']).waitFor();
    await dialog.getByRole('textbox', { name: texts['mcp.address'] }).fill('node "server.js');
    await dialog.getByRole('textbox', { name: texts['mcp.name'], exact: true }).fill('one');
    await dialog.getByRole('button', { name: texts['mcp.addEnv'] }).click();
    await dialog.getByRole('button', { name: texts['delete.of'].replace('{title}', '1') }).click();
    await dialog.getByRole('button', { name: texts['mcp.addAndTest'] }).click();
    await dialog.getByText(texts['mcp.openQuote']).waitFor();
    await expectLooks(own);
    await own.context().close();
  });
});

it('nothing of it was an error of the page', () => {
  expect(errors).toEqual([]);
});
