// What runs in the background: its log while it runs, and cancelling it.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { en } from '../../web/src/language/en.ts';
import { ru } from '../../web/src/language/ru.ts';
import { zh } from '../../web/src/language/zh.ts';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { type ConsoleBrowser, errorsOf, openConsole } from '../support/console-browser.ts';
import { expectLooks } from '../support/console-looks.ts';

let opened: ConsoleBrowser;

function answer({ messages }: NeutralRequest): Reply {
  const last = messages.at(-1);
  const text = JSON.stringify(last);
  if (last?.role === 'tool') return { text: 'It is begun.' };
  const [, name] = /begin (\w+) in the background/.exec(text) ?? [];
  if (name) return { toolCalls: [{ name: 'subagent_spawn', args: { name, message: `look at the queue as ${name}` } }] };
  if (text.includes('as quick')) return { text: 'The queue is **empty**.' };
  return { text: 'I never end.', fault: { kind: 'hang', afterBytes: 0 } };
}

beforeAll(async () => {
  opened = await openConsole({ script: answer });
});

async function begin(page: Page, name: string): Promise<void> {
  await page.goto(`${opened.address}#/chat`);
  await page.getByRole('textbox').first().waitFor();
  await page.locator('.composer textarea').fill(`begin ${name} in the background`);
  await page.keyboard.press('Enter');
  await page.getByText('It is begun.').waitFor();
}

describe.each([
  ['en-US', en],
  ['zh-CN', zh],
  ['ru-RU', ru],
] as const)('in %s', (locale, texts) => {
  it('a run is looked at while it runs, cancelled, and says so; one that is done shows what it answered', async () => {
    const slow = `slow${locale.slice(0, 2)}`;
    const page = await (await opened.signIn({ locale })).newPage();
    const errors = errorsOf(page);
    await begin(page, slow);
    await page.goto(`${opened.address}#/agents`);
    const run = page.locator('li.card', { hasText: `look at the queue as ${slow}` });
    await run.getByText(texts['word.running'], { exact: true }).waitFor();
    await run.getByRole('button', { name: texts['agents.look'] }).click();
    await run.getByRole('list', { name: texts['agents.logOf'].replace('{name}', slow) }).waitFor();
    await expectLooks(page);
    await run.getByRole('button', { name: texts['agents.cancel'], exact: true }).click();
    await run.getByText(texts['word.cancelled'], { exact: true }).waitFor();
    expect(await run.getByRole('button', { name: texts['agents.cancel'], exact: true }).count()).toBe(0);
    await expectLooks(page);

    const quick = `quick${locale.slice(0, 2)}`;
    await begin(page, quick);
    await page.goto(`${opened.address}#/agents`);
    const done = page.locator('li.card', { hasText: `look at the queue as ${quick}` });
    await done.getByText(texts['word.done'], { exact: true }).waitFor();
    await done.getByRole('button', { name: texts['agents.look'] }).click();
    await done.locator('strong', { hasText: 'empty' }).waitFor();
    await done.getByRole('listitem').filter({ hasText: texts['word.user'] }).first().waitFor();
    await expectLooks(page);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

it('a list that comes slower than it is asked for is shown', async () => {
  const page = await (await opened.signIn()).newPage();
  await begin(page, 'slowest');
  await page.clock.install();
  await page.goto(`${opened.address}#/agents`);
  await page.getByText('look at the queue as slowest').waitFor();
  await page.route('**/agents.runs', async (route) => {
    const response = await route.fetch();
    const answer = (await response.text()).replaceAll('as slowest', 'as slowest, later');
    await page.clock.runFor(10_000);
    // One that is no longer waited for has nobody to answer.
    await route.fulfill({ response, body: answer }).catch(() => {});
  });
  await page.getByText('look at the queue as slowest, later').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const run = page.locator('li.card', { hasText: 'look at the queue as slowest' });
  await run.getByRole('button', { name: en['agents.cancel'], exact: true }).click();
  await run.getByText(en['word.cancelled'], { exact: true }).waitFor();
  await page.context().close();
});
