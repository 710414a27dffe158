// A question of permission in the browser: in the language of the page, kept as the rule that it shows, and a plan with answers of its own.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { en } from '../../web/src/language/en.ts';
import { ru } from '../../web/src/language/ru.ts';
import { zh } from '../../web/src/language/zh.ts';
import { type ConsoleBrowser, openConsole } from '../support/console-browser.ts';
import { expectLooks } from '../support/console-looks.ts';
import { eventually } from '../support/eventually.ts';

const COMMAND = 'curl -s https://registry.example.org/list';
const PLAN = '1. Look at the queue.\n2. Write a note.';

const write = (path: string) => ({ toolCalls: [{ name: 'file_write', args: { path, content: `# ${path}\n` } }] });
const run = (command: string) => ({ toolCalls: [{ name: 'bash', args: { command } }] });

async function ask(page: Page, text: string, words = en): Promise<void> {
  await page.getByRole('textbox', { name: words['chat.message'] }).fill(text);
  await page.keyboard.press('Enter');
}

async function newChat(opened: ConsoleBrowser, locale = 'en-US'): Promise<Page> {
  const page = await (await opened.signIn({ locale })).newPage();
  await page.goto(`${opened.address}#/chat`);
  return page;
}

const ended = (page: Page, count: number) =>
  eventually(async () =>
    expect(await page.getByRole('button', { name: 'Ask again', exact: true }).count()).toBe(count),
  );

describe.each([
  {
    locale: 'zh-CN',
    texts: zh,
    title: (folder: string) => `在 ${folder} 中运行，并访问 registry.example.org？`,
    reasons: ['会访问 registry.example.org', 'curl：不确定是否只读取'],
    place: '控制台',
  },
  {
    locale: 'ru-RU',
    texts: ru,
    title: (folder: string) => `Выполнить в ${folder} с доступом к registry.example.org?`,
    reasons: ['обращается к registry.example.org', 'curl: неизвестно, только ли читает'],
    place: 'консоль',
  },
])('in $locale', ({ locale, texts, title, reasons, place }) => {
  it('a question says in the language of the page what would happen and why it is asked', async () => {
    const opened = await openConsole({ script: [run(COMMAND), { text: 'Done.' }] });
    const page = await newChat(opened, locale);
    await ask(page, 'list it', texts as typeof en);
    const question = page.getByRole('group', { name: texts['question.title'] });
    await question.getByRole('heading', { name: title(opened.workspace) }).waitFor();
    expect(await question.locator('.reasons li').allTextContents()).toEqual(reasons);
    expect(await question.locator('pre').textContent()).toBe(COMMAND);
    await expectLooks(page);
    await question.getByRole('button', { name: texts.deny, exact: true }).click();
    const answered = page.locator('.answered');
    await answered.getByText(place).waitFor();
    await answered.getByText(title(opened.workspace)).waitFor();
  });
});

it('a plan is answered with how the work continues, and the mode is the one that was chosen', async () => {
  const opened = await openConsole({
    script: [
      { toolCalls: [{ name: 'plan_ready', args: { plan: PLAN } }] },
      write('note.md'),
      { text: 'The note is written.' },
    ],
  });
  const page = await newChat(opened);
  await page.getByRole('combobox', { name: 'What asks for permission' }).selectOption('Plan first');
  await ask(page, 'plan a note about the queue');
  const question = page.getByRole('group', { name: 'Question' });
  await question.getByRole('heading', { name: 'Continue with this plan?' }).waitFor();
  expect(await question.locator('pre').textContent()).toBe(PLAN);
  expect(await question.getByRole('button').allTextContents()).toEqual([
    'Continue, ask before changes',
    'Continue, accept edits',
    'Continue, allow all',
    'Deny',
  ]);
  await expectLooks(page);
  await question.getByRole('button', { name: 'Continue, accept edits' }).click();
  // The edit is not asked about.
  await page.getByText('The note is written.').waitFor();
  expect(readFileSync(join(opened.workspace, 'note.md'), 'utf8')).toBe('# note.md\n');
  await page.locator('.answered', { hasText: 'Continue, accept edits' }).waitFor();
});

it('"always" keeps the rule that the question shows; what was denied stays as it was', async () => {
  const opened = await openConsole({
    script: [
      run('touch built'),
      { text: 'First.' },
      run('touch built'),
      { text: 'Second.' },
      run('rm built'),
      { text: 'Third.' },
    ],
  });
  const page = await newChat(opened);
  await ask(page, 'build it');
  const question = page.getByRole('group', { name: 'Question' });
  const rule = await question.locator('.rules code').first().textContent();
  expect(rule).toContain('touch built');
  await question.getByRole('button', { name: 'Always allow here' }).click();
  await ended(page, 1);
  await ask(page, 'build it again');
  await ended(page, 2);
  expect(await page.locator('.answered').count()).toBe(1);
  writeFileSync(join(opened.workspace, 'built'), 'kept');
  await ask(page, 'remove it');
  await question.getByRole('button', { name: 'Deny', exact: true }).click();
  await ended(page, 3);
  expect(readFileSync(join(opened.workspace, 'built'), 'utf8')).toBe('kept');
  await page.locator('.tool.failed', { hasText: 'rm built' }).waitFor();
});
