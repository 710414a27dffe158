import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { axeFindings, errorsOf, LONGEST_COMMAND_MS, openConsole } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

it('an edit asks with its diff and its rule; it is answered on the home page, gone in the chat, and taken back', async () => {
  const opened = await openConsole({
    script: [
      { reasoning: 'First the file.', text: 'I look.', toolCalls: [{ name: 'file_read', args: { path: 'round.ts' } }] },
      { toolCalls: [{ name: 'file_edit', args: { path: 'round.ts', oldText: 'floor', newText: 'round' } }] },
      { text: 'Repaired.' },
    ],
  });
  const path = join(opened.workspace, 'round.ts');
  writeFileSync(path, 'Math.floor(x)\n');
  const context = await opened.signIn();
  const chat = await context.newPage();
  const errors = errorsOf(chat);
  await chat.goto(`${opened.address}#/chat`);
  await ask(chat, 'repair the rounding');
  const question = chat.getByRole('group', { name: 'Question' });
  await question.getByRole('button', { name: 'Allow once' }).waitFor();
  expect(await question.textContent()).toContain('Math.round(x)');
  expect(await question.locator('code').first().textContent()).toContain('file_edit');
  expect(await axeFindings(chat)).toEqual([]);
  await chat.getByRole('button', { name: 'Thoughts' }).click();
  await chat.getByText('First the file.').waitFor();

  const home = await context.newPage();
  await home.goto(opened.address);
  await home.getByRole('button', { name: 'Allow once' }).click();
  await chat.getByText('Repaired.').waitFor();
  await chat.getByText('allowed by').waitFor();
  await home.getByText('Nothing is waiting for you.').waitFor();
  expect(readFileSync(path, 'utf8')).toBe('Math.round(x)\n');

  await chat.getByRole('button', { name: 'Undo the file changes of this turn' }).click();
  await chat.getByText('Files restored: 1').waitFor();
  expect(readFileSync(path, 'utf8')).toBe('Math.floor(x)\n');
  expect(errors).toEqual([]);
});

it('a running turn is stopped, and a reload in its middle shows everything once', async () => {
  const opened = await openConsole({
    script: [
      {
        text: 'I wait.',
        toolCalls: [{ name: 'bash', args: { command: 'echo begun; sleep 600', timeoutMs: LONGEST_COMMAND_MS } }],
      },
      { text: 'As you say.', fault: { kind: 'hang', afterBytes: 10_000 } },
    ],
  });
  const context = await opened.signIn();
  const page = await context.newPage();
  await page.goto(`${opened.address}#/chat`);
  await ask(page, 'wait a moment');
  await page.locator('.output', { hasText: 'begun' }).waitFor();
  await page.reload();
  await page.locator('.output', { hasText: 'begun' }).waitFor();
  expect(await page.getByText('I wait.', { exact: true }).count()).toBe(1);
  expect(await page.getByText('wait a moment', { exact: true }).count()).toBeGreaterThan(0);
  expect(await page.getByRole('article', { name: 'You', exact: true }).count()).toBe(1);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  await eventually(async () => expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0));
  await page.locator('.turn-end').getByText('Cancelled', { exact: true }).waitFor();
  expect(await page.locator('.turn-end .problem').count()).toBe(0);
});

it('a question is edited and asked again, forked, renamed and deleted; the palette opens a page', async () => {
  const opened = await openConsole({ script: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] });
  const page = await (await opened.signIn()).newPage();
  await page.goto(`${opened.address}#/chat`);
  await ask(page, 'first');
  await page.getByText('One.').waitFor();
  await page.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  await ask(page, 'secnd');
  await page.getByText('Two.').waitFor();
  const edits = page.getByRole('button', { name: 'Edit and ask again' });
  // The second one is there once its turn has ended.
  await eventually(async () => expect(await edits.count()).toBe(2));
  await edits.last().click();
  await eventually(async () => expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('secnd'));
  await ask(page, 'second');
  await page.getByText('Three.').waitFor();
  expect(await page.getByText('Two.').count()).toBe(0);
  expect(await page.getByRole('article', { name: 'You', exact: true }).allTextContents()).toHaveLength(2);

  await page.getByRole('button', { name: 'Continue from here in a new conversation' }).first().click();
  const entries = page.locator('.entry');
  await eventually(async () => expect(await entries.count()).toBeGreaterThanOrEqual(2));
  await page.locator('.entry.current').hover();
  await page
    .locator('.entry.current')
    .getByRole('button', { name: /^Rename/ })
    .click();
  await page.getByRole('textbox', { name: 'New title' }).fill('A new name');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.entry', { hasText: 'A new name' }).waitFor();
  await page.locator('.entry', { hasText: 'A new name' }).hover();
  await page.getByRole('button', { name: 'Delete A new name' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.locator('.entry', { hasText: 'A new name' }).waitFor({ state: 'detached' });

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Commands' }).fill('sched');
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
});

it('a file that is attached reaches the model, and a draft survives a reload', async () => {
  const opened = await openConsole({ script: [{ text: 'I read it.' }] });
  const page = await (await opened.signIn()).newPage();
  await page.goto(`${opened.address}#/chat`);
  await page.getByRole('textbox', { name: 'Message' }).fill('what is in it?');
  await page.reload();
  await eventually(async () =>
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('what is in it?'),
  );
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('the secret word is plum') });
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('I read it.').waitFor();
  expect(JSON.stringify(opened.model.requests.at(-1)?.body)).toContain('the secret word is plum');
});
