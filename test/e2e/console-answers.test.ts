// What a person does while a turn runs: fill in a form, and be called back by the browser.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { axeFindings, errorsOf, openConsole } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

it('a question of the model is a form with its choices, answered by a choice or in words', async () => {
  const opened = await openConsole({
    script: [
      { toolCalls: [{ name: 'ask_user', args: { question: 'Which branch?', choices: ['main', 'next'] } }] },
      { toolCalls: [{ name: 'ask_user', args: { question: 'And why?' } }] },
      { text: 'Understood.' },
    ],
  });
  const page = await (await opened.signIn()).newPage();
  const errors = errorsOf(page);
  await page.goto(`${opened.address}#/chat`);
  await ask(page, 'merge it');
  const form = page.getByRole('group', { name: 'Question' });
  await form.getByText('Which branch?').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await form.getByRole('button', { name: 'next', exact: true }).click();
  await form.getByRole('button', { name: 'Send', exact: true }).click();
  await form.getByText('And why?').waitFor();
  await form.getByRole('textbox').fill('because it is tested');
  await form.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Understood.').waitFor();
  const asked = JSON.stringify(opened.model.requests.at(-1)?.body);
  expect([asked.includes('next'), asked.includes('because it is tested')]).toEqual([true, true]);
  expect(errors).toEqual([]);
});

it('a question raises a notification while the page is not looked at, and none while it is', async () => {
  const opened = await openConsole({
    script: (_request, index) =>
      index % 2 === 0
        ? { toolCalls: [{ name: 'ask_user', args: { question: `Question ${index}?` } }] }
        : { text: `Answer ${index}.` },
  });
  const page = await (await opened.signIn()).newPage();
  // A browser without a window shows none: what it is asked to show is noted. The test decides whether the page is looked at.
  await page.addInitScript(`
    window.raised = [];
    window.isHidden = false;
    window.Notification = class {
      static permission = 'granted';
      constructor(title, { body }) { window.raised.push([title, body]); }
      close() {}
    };
    Object.defineProperty(document, 'visibilityState', { get: () => window.isHidden ? 'hidden' : 'visible' });
  `);
  const raised = () => page.evaluate('window.raised') as Promise<string[][]>;
  await page.goto(`${opened.address}#/chat`);
  await ask(page, 'first');
  const form = page.getByRole('group', { name: 'Question' });
  await form.getByText('Question 0?').waitFor();
  expect(await raised()).toEqual([]);
  await form.getByRole('textbox').fill('x');
  await form.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Answer 1.').waitFor();
  await page.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  await page.evaluate('window.isHidden = true');
  await ask(page, 'second');
  await eventually(async () => expect(await raised()).toEqual([[expect.any(String), 'Question 2?']]));
});
