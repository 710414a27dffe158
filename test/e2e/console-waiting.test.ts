// Home over what runs without a conversation in view: a job that fails, the question of a sub-agent; and the strip of the next runs.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { type ConsoleBrowser, errorsOf, openConsole } from '../support/console-browser.ts';
import { expectLooks } from '../support/console-looks.ts';
import { eventually } from '../support/eventually.ts';

let opened: ConsoleBrowser;
let page: Page;
let errors: string[];
let isDown = true;

beforeAll(async () => {
  opened = await openConsole({
    script: ({ messages }) => {
      const asked = JSON.stringify(messages.find(({ role }) => role === 'user'));
      const isAnswered = messages.at(-1)?.role === 'tool';
      if (asked.includes('what is due?') && isDown) return { fault: { kind: 'status', status: 400 } };
      if (asked.includes('as a helper')) {
        return isAnswered
          ? { text: 'The helper has written it.' }
          : { toolCalls: [{ name: 'file_write', args: { path: 'note.md', content: '# Note\n' } }] };
      }
      if (asked.includes('let somebody write') && !isAnswered)
        return { toolCalls: [{ name: 'task', args: { agent: 'general', prompt: 'write a note as a helper' } }] };
      return { text: 'It is done.' };
    },
  });
  page = await (await opened.signIn()).newPage();
  errors = errorsOf(page);
});

const open = (path: string) => page.goto(`${opened.address}#/${path}`);

it('the runs of the next three days are marks on a strip, which follows what is paused', async () => {
  await opened.run(['schedule', 'add', 'due', '--cron', '0 */6 * * *', '--message', 'what is due?']);
  await open('schedules');
  const strip = page.getByRole('figure', { name: 'The next three days' });
  await strip.waitFor();
  expect(await strip.locator('.strip-run').count()).toBe(12);
  expect(await strip.locator('.strip-day').count()).toBe(3);
  const places = await strip
    .locator('.strip-run')
    .evaluateAll((marks) => marks.map((mark) => mark.getBoundingClientRect().x));
  expect(places).toEqual([...new Set(places)].toSorted((one, other) => one - other));
  await page.getByRole('button', { name: 'Pause' }).click();
  await eventually(async () => expect(await strip.locator('.strip-run').count()).toBe(0));
  await page.getByRole('button', { name: 'Resume' }).click();
  await eventually(async () => expect(await strip.locator('.strip-run').count()).toBe(12));
});

it('a job that failed waits on the home page with its reason, until it has succeeded', async () => {
  await page.getByRole('button', { name: 'Run now' }).click();
  await open('home');
  const card = page.locator('.card', { hasText: 'The job “due” fails; failures in a row: 1.' });
  await card.waitFor();
  await expectLooks(page);
  await card.getByRole('link', { name: 'Look' }).click();
  const history = page.locator('li.card', { hasText: 'due' }).locator('details');
  await history.locator('.state', { hasText: 'failed' }).waitFor();
  isDown = false;
  await page.getByRole('button', { name: 'Run now' }).click();
  await history.getByText('It is done.').waitFor();
  await open('home');
  await page.getByText('Nothing is waiting for you.').waitFor();
});

it('the question of a sub-agent is answered on the home page, and its call is within the one that asked for it', async () => {
  const chat = await page.context().newPage();
  await chat.goto(`${opened.address}#/chat`);
  await chat.getByRole('textbox', { name: 'Message' }).fill('let somebody write');
  await chat.keyboard.press('Enter');
  const question = page.getByRole('group', { name: 'Question' });
  await question.getByRole('heading', { name: 'Write note.md?' }).waitFor();
  await expectLooks(page);
  await chat.getByRole('group', { name: 'Question' }).waitFor();
  await question.getByRole('button', { name: 'Allow once' }).click();
  await chat.getByText('It is done.').waitFor();
  const call = chat.getByRole('group', { name: 'task' });
  await call.getByRole('button').first().click();
  await call.getByText('The helper has written it.').first().waitFor();
  expect(errors).toEqual([]);
});
