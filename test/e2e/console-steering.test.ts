// What a person writes while a turn runs: it is seen at once in every tab, joins the turn, can be taken back, and is never lost or asked twice.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import {
  axeFindings,
  type ConsoleBrowser,
  errorsOf,
  LONGEST_COMMAND_MS,
  openConsole,
} from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';
import { holdAnswers } from '../support/hold-answers.ts';

const WAITING = { command: 'echo begun; until [ -e go ]; do sleep 0.05; done', timeoutMs: LONGEST_COMMAND_MS };

/** Runs a command that ends when the file `go` is there, once for each question that says so; everything else is answered with what was asked. */
function script({ messages }: NeutralRequest): Reply {
  const asked = messages.filter(({ role }) => role === 'user').at(-1)?.text ?? '';
  if (messages.at(-1)?.role === 'user' && asked.startsWith('work'))
    return { toolCalls: [{ name: 'bash', args: WAITING }] };
  return { text: `Answer to: ${asked}` };
}

const field = (page: Page) => page.getByRole('textbox', { name: 'Message' });
const waiting = (page: Page) => page.getByRole('article', { name: 'You, waiting' });
const joined = (page: Page) => page.getByRole('article', { name: 'You, while it worked' });
const asked = (page: Page) => page.getByRole('article', { name: 'You', exact: true });

async function write(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await page.keyboard.press('Enter');
}

/** Until it was accepted: the field is empty then. */
async function send(page: Page, text: string): Promise<void> {
  await write(page, text);
  await eventually(async () => expect(await field(page).inputValue()).toBe(''));
}

/** A turn that runs until `go`. */
async function working(options: { prepare?: Parameters<typeof openConsole>[0]['prepare'] } = {}) {
  const opened = await openConsole({ ...options, script });
  const context = await opened.signIn();
  const page = await context.newPage();
  await page.goto(`${opened.address}#/chat`);
  await write(page, 'work');
  await page.locator('.output', { hasText: 'begun' }).waitFor();
  return { opened, context, page, go: () => writeFileSync(join(opened.workspace, 'go'), '') };
}

type Working = Awaited<ReturnType<typeof working>>;

/** The texts of what people said, as the model received them last. */
function told({ model }: ConsoleBrowser): string {
  return JSON.stringify((model.requests.at(-1)?.body as { messages?: unknown; input?: unknown }) ?? {});
}

const keptFile = ({ home }: ConsoleBrowser): boolean => existsSync(join(home.path, 'kept-messages.json'));

/** Without a page: with the token of the gateway. */
async function api<T>({ home, address }: ConsoleBrowser, name: string, input: object = {}): Promise<T> {
  const authorization = `Bearer ${readFileSync(join(home.path, 'service', 'gateway-token'), 'utf8').trim()}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const url = new URL(`api/operations/${name}`, address);
  return (await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) })).json()) as T;
}
const turnsOf = (opened: ConsoleBrowser) => api<{ id: string; stage?: string }[]>(opened, 'turns.list');

it('what is written while a turn runs waits in sight of every tab, joins the turn, and is shown where it joined', async () => {
  const { opened, context, page, go } = await working();
  const errors = errorsOf(page);
  const other = await context.newPage();
  await other.goto(page.url());
  await send(page, 'into German, please');
  await waiting(page).getByText('into German, please', { exact: true }).waitFor();
  await send(page, 'and short');
  await eventually(async () => expect(await waiting(page).count()).toBe(2));
  await eventually(async () => expect(await waiting(other).count()).toBe(2));
  expect(await axeFindings(page)).toEqual([]);
  await page.reload();
  await eventually(async () => expect(await waiting(page).count()).toBe(2));
  expect(await field(page).inputValue()).toBe('');
  go();
  await page.getByText('Answer to: and short').waitFor();
  expect(await joined(page).allTextContents()).toEqual(['into German, please', 'and short']);
  expect(await waiting(page).count()).toBe(0);
  await eventually(async () => expect(await waiting(other).count()).toBe(0));
  expect(told(opened)).toContain('into German, please');
  await page.reload();
  await page.getByText('Answer to: and short').waitFor();
  expect(await joined(page).allTextContents()).toEqual(['into German, please', 'and short']);
  expect(errors).toEqual([]);
});

it('a message that waits is taken back into the field, and stopping gives all of them back', async () => {
  const { opened, page } = await working();
  for (const text of ['one', 'two', 'three']) await send(page, text);
  await eventually(async () => expect(await waiting(page).count()).toBe(3));
  await field(page).fill('a thought');
  await waiting(page).first().getByRole('button', { name: 'Take back' }).click();
  await eventually(async () => expect(await field(page).inputValue()).toBe('one\n\na thought'));
  await eventually(async () => expect(await waiting(page).count()).toBe(2));
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Cancelled', { exact: true }).waitFor();
  await eventually(async () => expect(await field(page).inputValue()).toBe('two\n\nthree\n\none\n\na thought'));
  expect([await waiting(page).count(), await asked(page).count()]).toEqual([0, 1]);
  await eventually(() => expect(keptFile(opened)).toBe(false));
});

it('a message that is taken back twice comes back once, also to a page that was left meanwhile', async () => {
  const { page } = await working();
  const url = page.url();
  await send(page, 'one');
  await waiting(page).waitFor();
  const answers = await holdAnswers(page, 'turns.withdraw');
  await waiting(page)
    .getByRole('button', { name: 'Take back' })
    .evaluate((button: { click(): void }) => {
      button.click();
      button.click();
    });
  await answers.given(2);
  await page.getByRole('link', { name: 'Memory' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Memory' }).waitFor();
  await answers.letThrough();
  await page.goto(url);
  await eventually(async () => expect(await field(page).inputValue()).toBe('one'));
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Cancelled', { exact: true }).waitFor();
  expect(await field(page).inputValue()).toBe('one');
});

it('a message whose answer was lost is not a draft after a reload', async () => {
  const { page } = await working();
  // The gateway has it, and the page does not learn that from the answer.
  await page.route('**/turns.steer', async (route) => void (await route.fetch()));
  await write(page, 'into German, please');
  await waiting(page).waitFor();
  await page.reload();
  await waiting(page).waitFor();
  await eventually(async () => expect(await field(page).inputValue()).toBe(''));
  expect(await waiting(page).count()).toBe(1);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

it.each([
  ['joined its turn', async ({ go }: Working) => go()],
  [
    'was asked as the next question',
    async ({ opened }: Working) => {
      for (const { id } of await turnsOf(opened)) await api(opened, 'turns.stop', { id });
    },
  ],
] as const)('a message that %s after its answer was lost is not a draft after a reload', async (_what, end) => {
  const begun = await working();
  const { page } = begun;
  await page.route('**/turns.steer', async (route) => void (await route.fetch()));
  await write(page, 'into German, please');
  await waiting(page).waitFor();
  await end(begun);
  await page.getByText('Answer to: into German, please').waitFor();
  await page.reload();
  await page.getByText('Answer to: into German, please').waitFor();
  await eventually(async () => expect(await field(page).inputValue()).toBe(''));
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

it('what the turn did not take up is asked as the next question, once, in one, also when no page is open', async () => {
  const { opened, context, page } = await working();
  const url = page.url();
  await send(page, 'first this');
  await send(page, 'then that');
  await eventually(async () => expect(await waiting(page).count()).toBe(2));
  const turnId = (await turnsOf(opened))[0]?.id ?? '';
  await page.close();
  await api(opened, 'turns.stop', { id: turnId });
  await eventually(async () =>
    expect((await turnsOf(opened)).map(({ stage }) => stage)).toEqual(['cancelled', 'answered']),
  );
  const again = await context.newPage();
  await again.goto(url);
  await again.getByText('Answer to: first this').waitFor();
  expect(await asked(again).allTextContents()).toEqual([
    expect.stringContaining('work'),
    expect.stringContaining('first this\n\nthen that'),
  ]);
  expect(await waiting(again).count()).toBe(0);
  await eventually(() => expect(keptFile(opened)).toBe(false));
});

it('a gateway that is killed loses no message that was accepted, and asks it once', async () => {
  const { opened, page } = await working();
  await send(page, 'into German, please');
  await waiting(page).waitFor();
  const state = JSON.parse(readFileSync(join(opened.home.path, 'service', 'gateway-service.json'), 'utf8'));
  process.kill(state.pid, 'SIGKILL');
  await page.getByText('The connection is lost.').waitFor();
  await opened.run(['up', '--port', new URL(opened.address).port, '--no-open', '--json']);
  await page.getByText('Answer to: into German, please').waitFor();
  await eventually(async () => expect(await asked(page).count()).toBe(2));
  await eventually(() => expect(keptFile(opened)).toBe(false));
  await opened.run(['gateway', 'stop']);
  await opened.run(['up', '--port', new URL(opened.address).port, '--no-open', '--json']);
  await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText('Answer to: into German, please').waitFor();
  expect([await asked(page).count(), await waiting(page).count()]).toEqual([2, 0]);
});

it('a question that is edited says what it replaces, can be left as it is, and never goes into a running turn', async () => {
  const { opened, page, go } = await working();
  go();
  await page.getByText('Answer to: work').waitFor();
  await send(page, 'second');
  await page.getByText('Answer to: second').waitFor();
  await field(page).fill('a thought');
  const edit = page.getByRole('button', { name: 'Edit and ask again' }).nth(1);
  const replaces = page.getByText('Replaces “second” and what follows it');
  await edit.click();
  await replaces.waitFor();
  await eventually(async () => expect(await field(page).inputValue()).toBe('second'));
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Keep the question' }).click();
  await eventually(async () => expect(await field(page).inputValue()).toBe('a thought'));
  expect(await replaces.count()).toBe(0);

  rmSync(join(opened.workspace, 'go'));
  await write(page, 'work more');
  await page.locator('.output', { hasText: 'begun' }).last().waitFor();
  await edit.click();
  await eventually(async () => expect(await field(page).inputValue()).toBe('second'));
  await write(page, 'another second');
  await page.getByText('A turn is running: stop it').waitFor();
  expect([await field(page).inputValue(), await waiting(page).count()]).toEqual(['another second', 0]);
  go();
  await page.getByText('Answer to: work more').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Answer to: another second').waitFor();
  expect(await page.getByText('Answer to: work more').count()).toBe(0);
  await eventually(async () => expect([await replaces.count(), await asked(page).count()]).toEqual([0, 2]));
});
