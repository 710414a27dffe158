// The looks of the console: every width and theme of a page, in a language.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { axeFindings } from './console-browser.ts';

const WIDTHS = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const THEMES = ['light', 'dark'] as const;

/** Expects no finding of axe, and nothing wider than the page, in each look of what is shown now. */
export async function expectLooks(
  page: Page,
  widths: readonly (keyof typeof WIDTHS)[] = ['wide', 'phone'],
): Promise<void> {
  for (const width of widths)
    for (const colorScheme of THEMES) {
      await page.setViewportSize(WIDTHS[width]);
      await page.emulateMedia({ colorScheme });
      const look = `${width}, ${colorScheme}`;
      expect([look, await axeFindings(page)]).toEqual([look, []]);
      const needed = (await page.evaluate('document.documentElement.scrollWidth')) as number;
      expect([look, needed > WIDTHS[width].width]).toEqual([look, false]);
    }
  await page.setViewportSize(WIDTHS.wide);
}
