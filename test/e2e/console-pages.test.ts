import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../web/src/language/en.ts';
import { ru } from '../../web/src/language/ru.ts';
import { zh } from '../../web/src/language/zh.ts';
import { axeFindings, type ConsoleBrowser, errorsOf, openConsole } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';

const PAGES = {
  home: 'page.home',
  conversations: 'page.conversations',
  replay: 'replay.title',
  memory: 'page.memory',
  schedules: 'page.schedules',
  channels: 'page.channels',
  agents: 'page.agents',
  tools: 'page.tools',
  mcp: 'page.mcp',
  skills: 'page.skills',
  usage: 'page.usage',
  audit: 'page.audit',
  doctor: 'page.doctor',
  logs: 'page.logs',
  settings: 'page.settings',
  setup: 'setup.title',
} as const;

const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

describe.each([
  { locale: 'en-US', texts: en, colorScheme: 'light', viewport: WIDE },
  { locale: 'zh-CN', texts: zh, colorScheme: 'dark', viewport: PHONE },
  { locale: 'ru-RU', texts: ru, colorScheme: 'light', viewport: PHONE },
  { locale: 'ru-RU', texts: ru, colorScheme: 'dark', viewport: WIDE },
] as const)('in $locale, $colorScheme, $viewport.width wide', ({ locale, texts, colorScheme, viewport }) => {
  let opened: ConsoleBrowser;
  let context: BrowserContext;
  let page: Page;
  let errors: string[];

  beforeAll(async () => {
    opened = await shared();
    context = await opened.signIn({ locale, colorScheme, viewport });
    page = await context.newPage();
    errors = errorsOf(page);
    await page.goto(opened.address);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  it.each(Object.entries(PAGES))('%s has its heading, no finding of axe, and fits the width', async (name, heading) => {
    await page.goto(`${opened.address}#/${name}${name === 'replay' ? '/main' : ''}`);
    await page.getByRole('heading', { level: 1, name: texts[heading], exact: true }).waitFor();
    await eventually(async () => expect(await page.locator('.loading').count()).toBe(0));
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
    expect(errors).toEqual([]);
  });

  it('the chat has its heading, no finding of axe, and fits the width', async () => {
    await page.goto(`${opened.address}#/chat/main`);
    await page.getByRole('article', { name: texts['chat.answer'] }).first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
    expect(errors).toEqual([]);
    await context.close();
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
    script: [{ text: '# Result\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1;\n```\n' }],
  });
  await opened.run(['ask', '--provider', 'openai', 'make a table']);
  await opened.run(['memory', 'save', 'The payments service rounds half up.']);
  await opened.run(['schedule', 'add', 'morning', '--cron', '0 8 * * 1-5', '--message', 'what is due?']);
  return opened;
}
