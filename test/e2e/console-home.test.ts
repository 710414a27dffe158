// Home over what runs and what has ended, and the chat while its end is not in view.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  axeFindings,
  type ConsoleBrowser,
  errorsOf,
  LONGEST_COMMAND_MS,
  openConsole,
} from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';

const LONG_TEXT = Array.from({ length: 60 }, (_, index) => `${index + 1}. a line of a long answer`).join('\n');
/** Longer than a turn that nobody waits for in front of the page, and as long as the tests look at it. */
const LONG_COMMAND =
  'for i in $(seq 1 21); do echo "step $i of the build"; sleep 1; done; until [ -e go ]; do date; sleep 1; done';

let opened: ConsoleBrowser;
let page: Page;
let errors: string[];

beforeAll(async () => {
  opened = await openConsole({
    script: ({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'tool') return { text: 'It is built.' };
      return JSON.stringify(last).includes('build')
        ? { toolCalls: [{ name: 'bash', args: { command: LONG_COMMAND, timeoutMs: LONGEST_COMMAND_MS } }] }
        : { text: LONG_TEXT };
    },
  });
  page = await (await opened.signIn()).newPage();
  // A browser without a window shows none: what it is asked to show is noted. The test decides whether the page is looked at.
  await page.addInitScript(`
    window.raised = [];
    window.Notification = class {
      static permission = 'granted';
      constructor(title) { window.raised.push(title); }
      close() {}
    };
    Object.defineProperty(document, 'visibilityState', { get: () => window.isHidden ? 'hidden' : 'visible' });
  `);
  errors = errorsOf(page);
});

async function ask(text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

/** Resolves when the pane shows what the command has printed, and then more. */
async function isLive(pane: Locator): Promise<void> {
  const output = pane.locator('.output', { hasText: /step \d+ of the build|:\d\d/ });
  const seen = await output.textContent();
  await eventually(async () => expect(await output.textContent()).not.toBe(seen));
}

it('an answer is folded to its question, and shown again', async () => {
  await page.goto(`${opened.address}#/chat`);
  await ask('tell me much');
  await page.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  await page.getByRole('log').evaluate((element) => element.scrollTo(0, 0));
  await page.getByRole('button', { name: 'Show only the question' }).click();
  await page.getByRole('article', { name: 'Answer' }).waitFor({ state: 'detached' });
  await page.getByText('tell me much', { exact: true }).last().waitFor();
  const unfold = page.getByRole('button', { name: 'Show the answer' });
  expect(await unfold.getAttribute('aria-expanded')).toBe('false');
  await unfold.click();
  await page.getByRole('article', { name: 'Answer' }).waitFor();
});

it('the running command is over the end of a conversation that is scrolled up, and on the home page', async () => {
  await ask('build it');
  await page.locator('.tool .output', { hasText: 'step 1 of the build' }).waitFor();
  await page.getByRole('log').evaluate((element) => element.scrollTo(0, 0));
  const pane = page.getByRole('group', { name: 'Running: bash' });
  await isLive(pane);
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'To the newest message' }).click();
  await pane.waitFor({ state: 'detached' });
  await page.goto(opened.address);
  await isLive(pane);
  expect(await axeFindings(page)).toEqual([]);
});

it('a long turn that ended unseen waits on the home page, also after a restart, until it is looked at', async () => {
  const finished = page.getByText('Finished: A short title');
  await page.evaluate('window.isHidden = true');
  writeFileSync(join(opened.workspace, 'go'), '');
  await finished.waitFor();
  await eventually(async () => expect(await page.evaluate('window.raised')).toEqual(['Lainclaw has finished']));
  await page.evaluate('window.isHidden = false');
  await page.getByRole('group', { name: 'Running: bash' }).waitFor({ state: 'detached' });
  expect(await axeFindings(page)).toEqual([]);
  await opened.run(['gateway', 'stop']);
  await opened.run(['up', '--port', new URL(opened.address).port, '--no-open', '--json']);
  await page.reload();
  await finished.waitFor();
  const other = await page.context().newPage();
  await other.goto(opened.address);
  await other.getByText('Finished: A short title').waitFor();
  await page.getByRole('link', { name: 'Look' }).click();
  await page.getByText('It is built.').waitFor();
  await page.goto(opened.address);
  await page.getByText('Nothing is waiting for you.').waitFor();
  await eventually(async () => {
    await other.reload();
    await other.getByText('Nothing is waiting for you.').waitFor();
  });
  // While the gateway was away.
  expect(errors.filter((text) => !text.includes('net::ERR_'))).toEqual([]);
});
