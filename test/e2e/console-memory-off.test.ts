// Why no facts are extracted from conversations, as the memory page says it in each language.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { en } from '../../web/src/language/en.ts';
import { ru } from '../../web/src/language/ru.ts';
import { zh } from '../../web/src/language/zh.ts';
import { axeFindings, type ConsoleBrowser, openConsole } from '../support/console-browser.ts';
import type { Home } from '../support/home.ts';

const LANGUAGES = [
  ['en-US', en],
  ['zh-CN', zh],
  ['ru-RU', ru],
] as const;

async function memoryPage(opened: ConsoleBrowser, locale: string): Promise<Page> {
  const page = await (await opened.signIn({ locale })).newPage();
  await page.goto(`${opened.address}#/memory`);
  return page;
}

describe('the memory page says why no facts are extracted, and leads to where that is changed', () => {
  it.each([
    ['without a model', { hasModel: false }, 'facts.noModel', 'home.setUp', '#/setup'],
    ['switched off', { prepare: switchOff }, 'facts.off', 'page.settings', '#/settings'],
  ] as const)('%s', async (_what, options, text, link, target) => {
    const opened = await openConsole({ script: () => ({ text: 'Done.' }), ...options });
    for (const [locale, texts] of LANGUAGES) {
      const page = await memoryPage(opened, locale);
      const reason = page.getByText(texts[text]);
      await reason.waitFor();
      expect(await reason.getByRole('link', { name: texts[link] }).getAttribute('href')).toBe(target);
      expect(await axeFindings(page)).toEqual([]);
      await page.context().close();
    }
  });
});

function switchOff(home: Home): void {
  home.config({ provider: 'openai', memoryFacts: false });
}
