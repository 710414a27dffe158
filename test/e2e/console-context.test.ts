// The meter of the chat says how full the model's window is, whenever the page was loaded.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openConsole } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';

const LONG = 'word '.repeat(9_000);

async function ask(page: Page, text: string, answers: number): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
  await eventually(async () =>
    expect(await page.getByRole('button', { name: 'Ask again', exact: true }).count()).toBe(answers),
  );
}

it('the context meter is the same after a reload, in a conversation opened later, and after a restart', async () => {
  const opened = await openConsole({
    script: [
      { toolCalls: [{ name: 'file_list', args: {} }] },
      { text: 'First.' },
      { text: LONG },
      { text: 'Of another conversation.' },
    ],
  });
  const page = await (await opened.signIn()).newPage();
  const meter = () => page.locator('.meter', { hasText: '%' }).textContent();
  await page.goto(`${opened.address}#/chat`);
  await ask(page, 'one', 1);
  const first = await meter();
  await page.reload();
  expect(await meter()).toBe(first);
  await ask(page, 'two', 2);
  const url = page.url();
  const second = await meter();
  expect(second).not.toBe(first);

  await page.goto(`${opened.address}#/chat`);
  await ask(page, 'elsewhere', 1);
  expect(await meter()).not.toBe(second);
  await page.goto(url);
  await page.reload();
  expect(await meter()).toBe(second);

  await opened.run(['gateway', 'restart']);
  await page.goto(`${opened.address}#/conversations`);
  await page.goto(url);
  await page.reload();
  expect(await meter()).toBe(second);

  // As an earlier version wrote them.
  await opened.run(['gateway', 'stop']);
  const folder = join(opened.home.path, 'sessions');
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.jsonl'))) {
    const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
    const earlier = lines.map((line) => {
      const { context: _context, sum: _sum, ...rest } = JSON.parse(line);
      return JSON.stringify(rest);
    });
    writeFileSync(join(folder, name), `${earlier.join('\n')}\n`);
  }
  await opened.run(['up', '--port', new URL(opened.address).port, '--no-open', '--json']);
  await page.reload();
  await page.getByText('First.').waitFor();
  expect(await page.locator('.meter').textContent()).not.toContain('%');
});
