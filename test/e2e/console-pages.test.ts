// Every page, and what opens on it, in three languages, two widths and two themes.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../web/src/language/en.ts';
import { ru } from '../../web/src/language/ru.ts';
import { zh } from '../../web/src/language/zh.ts';
import { type ConsoleBrowser, errorsOf, newContext, openConsole } from '../support/console-browser.ts';
import { expectLooks } from '../support/console-looks.ts';
import { eventually } from '../support/eventually.ts';

const PAGES = {
  home: 'page.home',
  conversations: 'page.conversations',
  'replay/main': 'replay.title',
  memory: 'page.memory',
  schedules: 'page.schedules',
  'schedules/morning': 'page.schedules',
  channels: 'page.channels',
  agents: 'page.agents',
  tools: 'page.tools',
  'tools/bash': 'page.tools',
  mcp: 'page.mcp',
  skills: 'page.skills',
  usage: 'page.usage',
  audit: 'page.audit',
  doctor: 'page.doctor',
  logs: 'page.logs',
  settings: 'page.settings',
  setup: 'setup.title',
} as const;

describe.each([
  { locale: 'en-US', texts: en, script: /[a-z]/ },
  { locale: 'zh-CN', texts: zh, script: /\p{Script=Han}/u },
  { locale: 'ru-RU', texts: ru, script: /\p{Script=Cyrillic}/u },
] as const)('in $locale', ({ locale, texts, script }) => {
  let opened: ConsoleBrowser;
  let page: Page;
  let errors: string[];

  beforeAll(async () => {
    opened = await shared();
    page = await (await opened.signIn({ locale })).newPage();
    errors = errorsOf(page);
  });

  /** A page with nothing open on it. */
  async function open(path: string): Promise<void> {
    await page.goto(`${opened.address}#/${path}`);
    await page.reload();
  }

  const isLoaded = () => eventually(async () => expect(await page.locator('.loading').count()).toBe(0));

  it.each(Object.entries(PAGES))('%s has its heading and no finding in any look', async (path, heading) => {
    await open(path);
    await page.getByRole('heading', { level: 1, name: texts[heading], exact: true }).waitFor();
    await isLoaded();
    await expectLooks(page);
    expect(errors).toEqual([]);
  });

  it('so do a conversation, a question that waits, and the beginning of a conversation', async () => {
    await open('chat/main');
    await page.getByRole('article', { name: texts['chat.answer'] }).first().waitFor();
    await expectLooks(page);
    await open('home');
    await page.getByRole('group', { name: texts['question.title'] }).waitFor();
    await expectLooks(page);
    await page.getByRole('link', { name: texts['home.openConversation'] }).first().click();
    await page.getByRole('group', { name: texts['question.title'] }).waitFor();
    await expectLooks(page);
    await open('chat');
    await page.getByRole('textbox', { name: texts['chat.message'] }).waitFor();
    await expectLooks(page);
    expect(errors).toEqual([]);
  });

  it.each([
    ['schedules', 'schedules.add'],
    ['channels', 'channels.connect'],
    ['mcp', 'mcp.add'],
  ] as const)('so does the dialog of %s', async (path, button) => {
    await open(path);
    await page.getByRole('button', { name: texts[button] }).first().click();
    await page.getByRole('dialog').waitFor();
    await expectLooks(page);
  });

  it('so do the palette, and the menu of a phone', async () => {
    await open('home');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await expectLooks(page);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: texts.menu }).click();
    await page.getByRole('link', { name: texts['page.memory'] }).waitFor();
    await expectLooks(page, ['phone']);
    expect(errors).toEqual([]);
  });

  it('so does the page for those who are not signed in', async () => {
    const stranger = await (await newContext({ locale })).newPage();
    await stranger.goto(opened.address);
    await stranger.locator('h1').waitFor();
    await expectLooks(stranger);
    await stranger.context().close();
  });

  it('what the gateway describes is in the language of the page', async () => {
    await open('settings');
    await isLoaded();
    const told = await page.locator('.setting label .quiet').allTextContents();
    expect(told.length).toBeGreaterThan(40);
    expect(told.filter((text) => !script.test(text))).toEqual([]);
    await open('tools');
    await isLoaded();
    const tools = await page.locator('.cards .card > p').allTextContents();
    expect(tools.length).toBeGreaterThan(20);
    expect(tools.filter((text) => !script.test(text))).toEqual([]);
    await open('agents');
    await page.locator('.card', { hasText: 'explore' }).getByText(texts['agents.explore']).waitFor();
    await open('replay/main');
    await page.getByText(texts['word.answered']).first().waitFor();
    await open('audit');
    await page.getByText(texts['word.operation'], { exact: true }).last().waitFor();
  });
});

let sharedConsole: Promise<ConsoleBrowser> | undefined;

/** One gateway for all, with something on each page. */
function shared(): Promise<ConsoleBrowser> {
  sharedConsole ??= prepared();
  return sharedConsole;
}

async function prepared(): Promise<ConsoleBrowser> {
  const opened = await openConsole({
    script: ({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('write a note')
        ? { toolCalls: [{ name: 'file_write', args: { path: 'note.md', content: '# Note\n' } }] }
        : { text: '# Result\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1;\n```\n' },
  });
  await opened.run(['ask', '--provider', 'openai', 'make a table']);
  await opened.run(['memory', 'save', 'The payments service rounds half up.']);
  await opened.run(['schedule', 'add', 'morning', '--cron', '0 8 * * 1-5', '--message', 'what is due?']);
  await opened.run(['schedule', 'run', 'morning']);
  const page = await (await opened.signIn()).newPage();
  await page.goto(`${opened.address}#/chat`);
  await page.getByRole('textbox', { name: 'Message' }).fill('write a note');
  await page.keyboard.press('Enter');
  await page.getByRole('group', { name: 'Question' }).waitFor();
  await page.context().close();
  return opened;
}
