// What a turn shows in the chat, and what can be done with it: its checklist, calls, code and cost, asking again, the model of the next one.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { type ConsoleBrowser, errorsOf, openConsole } from '../support/console-browser.ts';
import { expectLooks } from '../support/console-looks.ts';
import { eventually } from '../support/eventually.ts';

const CODE = 'const rounded = Math.round(7.5);';
const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 800 };

let opened: ConsoleBrowser;
let context: BrowserContext;
let page: Page;
let errors: string[];
let answers = 0;

const todo = (...status: string[]) => ({
  name: 'todo',
  args: { items: status.map((each, index) => ({ text: `Step ${index + 1}`, status: each })) },
});

function answer({ messages }: NeutralRequest): Reply {
  const last = messages.at(-1);
  const asked = JSON.stringify(messages.findLast(({ role }) => role === 'user'));
  const usage = { input: 20_000, output: 1_000 };
  if (asked.includes('in steps')) {
    const results = messages
      .slice(messages.findLastIndex(({ role }) => role === 'user'))
      .filter(({ role }) => role === 'tool');
    if (results.length === 0) return { toolCalls: [todo('in_progress', 'pending')] };
    if (results.length === 1) return { toolCalls: [{ name: 'file_read', args: { path: 'round.ts' } }] };
    if (results.length === 2) return { toolCalls: [todo('completed', 'in_progress')] };
    return { text: 'Both are done.', usage };
  }
  if (asked.includes('change it') && last?.role !== 'tool')
    return { toolCalls: [{ name: 'file_edit', args: { path: 'round.ts', oldText: 'floor', newText: 'round' } }] };
  if (asked.includes('never end')) return { text: 'I think about it.', fault: { kind: 'hang', afterBytes: 10_000 } };
  answers += 1;
  return { text: `Answer ${answers}.\n\n\`\`\`ts\n${CODE}\n\`\`\`\n`, usage };
}

beforeAll(async () => {
  opened = await openConsole({ script: answer });
  writeFileSync(join(opened.workspace, 'round.ts'), 'export const half = Math.floor(7.5);\n');
  context = await opened.signIn();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  page = await context.newPage();
  errors = errorsOf(page);
});

async function ask(text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
}

const ended = (count: number) =>
  eventually(async () =>
    expect(await page.getByRole('button', { name: 'Ask again', exact: true }).count()).toBe(count),
  );
const answersShown = () => page.getByRole('article', { name: 'Answer' }).locator('p').allTextContents();
const questionsShown = () => page.locator('.asked .bubble').allTextContents();
const clipboard = () => page.evaluate('navigator.clipboard.readText()');

it('the steps of longer work are a checklist, and a call opens to what it was called with and what came back', async () => {
  await page.goto(`${opened.address}#/chat`);
  await ask('look at it in steps');
  await page.getByText('Both are done.').waitFor();
  const [first, second] = await page.getByRole('list', { name: 'Checklist' }).all();
  expect(await first?.getByRole('listitem').allTextContents()).toEqual(['▸in progress: Step 1', '○to do: Step 2']);
  expect(await second?.getByRole('listitem').allTextContents()).toEqual(['✓done: Step 1', '▸in progress: Step 2']);
  const call = page.getByRole('group', { name: 'file_read' });
  await call.getByRole('button').click();
  expect(await call.locator('.arguments').textContent()).toBe('pathround.ts');
  await call.locator('.output', { hasText: 'Math.floor(7.5)' }).waitFor();
  await expectLooks(page);
});

it('code is coloured and copied with its button, the whole answer with another one', async () => {
  await page.goto(`${opened.address}#/chat`);
  await ask('show me the code');
  await ended(1);
  const code = page.locator('.answer code.language-ts');
  await code.locator('.hljs-keyword', { hasText: 'const' }).waitFor();
  expect((await code.textContent())?.trim()).toBe(CODE);
  await page.locator('.code-head').getByRole('button', { name: 'Copy' }).click();
  await page.locator('.code-head').getByRole('button', { name: 'Copied' }).waitFor();
  expect(String(await clipboard()).trim()).toBe(CODE);
  await page.getByRole('button', { name: 'Copy the answer' }).click();
  await eventually(async () => expect(await clipboard()).toContain('Answer 1.'));
});

it('a question is asked again in the place of its answer, with the model that was chosen, and the cost is shown', async () => {
  const cost = page.locator('.meter span[title="What this conversation has cost"]');
  const before = await cost.textContent();
  expect(before).toMatch(/^\$0\.\d*[1-9]/);
  const models = page.getByRole('combobox', { name: 'Model' });
  const other = await models.locator('option').nth(1).getAttribute('value');
  expect(other).toMatch(/^openai\/./);
  await ask('a second question');
  await ended(2);
  await eventually(async () => expect(await cost.textContent()).not.toBe(before));
  await models.selectOption(String(other));
  await page.getByRole('button', { name: 'Ask again', exact: true }).last().click();
  await page.getByText('Answer 3.').waitFor();
  await ended(2);
  expect(await page.getByText('Answer 2.').count()).toBe(0);
  const asked = opened.model.requests.at(-1)?.body as { model: string };
  expect(`openai/${asked.model}`).toBe(other);
  await page.reload();
  await page.getByText('Answer 3.').waitFor();
  expect(await page.getByRole('article', { name: 'You', exact: true }).count()).toBe(2);
});

it('the first question is replaced too: asked again, and edited', async () => {
  await page.goto(`${opened.address}#/chat`);
  await ask('the frist question');
  await ended(1);
  const [before] = await answersShown();
  await page.getByRole('button', { name: 'Ask again', exact: true }).click();
  await eventually(async () => expect(await answersShown()).not.toContain(before));
  await ended(1);
  await page.getByRole('button', { name: 'Edit and ask again' }).click();
  await page.getByText('Replaces “the frist question” and what follows it').waitFor();
  const [again] = await answersShown();
  await ask('the first question');
  await eventually(async () => expect(await answersShown()).not.toContain(again));
  await ended(1);
  expect(await questionsShown()).toEqual(['the first question']);
  await page.reload();
  await ended(1);
  expect(await questionsShown()).toEqual(['the first question']);
  const asked = JSON.stringify(opened.model.requests.at(-1)?.body);
  expect([asked.includes('the first question'), asked.includes('the frist question')]).toEqual([true, false]);
});

it('a change is shown in two columns where there is room, and in one on a phone', async () => {
  await page.goto(`${opened.address}#/chat`);
  await page.getByRole('combobox', { name: 'Model' }).selectOption('');
  await ask('change it');
  const diff = page.getByRole('group', { name: 'Question' }).getByRole('group', { name: 'Changes' });
  await diff.waitFor();
  const columns = diff.locator('.diff-columns');
  expect(await columns.locator('td.removed').textContent()).toContain('Math.floor');
  expect(await columns.locator('td.added').textContent()).toContain('Math.round');
  const [removed, added] = [
    await columns.locator('td.removed').boundingBox(),
    await columns.locator('td.added').boundingBox(),
  ];
  expect(removed?.y).toBe(added?.y);
  await page.setViewportSize(PHONE);
  await columns.waitFor({ state: 'hidden' });
  const [line, next] = [
    await diff.locator('.diff-single tr.removed').boundingBox(),
    await diff.locator('.diff-single tr.added').boundingBox(),
  ];
  expect(next?.y).toBeGreaterThan(line?.y ?? Number.POSITIVE_INFINITY);
  await page.setViewportSize(WIDE);
  await page.getByRole('button', { name: 'Allow in this conversation' }).click();
  await ended(1);
});

it('Escape stops a turn, as the button does', async () => {
  await page.goto(`${opened.address}#/chat`);
  await ask('never end');
  await page.getByText('I think about it.').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.turn-end').getByText('Cancelled', { exact: true }).waitFor();
});

it('nothing of it was an error of the page', () => {
  expect(errors).toEqual([]);
});
