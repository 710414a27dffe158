// What Lainclaw remembers, in the browser: facts of conversations with their source and what they replaced, what a person decides, and notes.
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { type ConsoleBrowser, errorsOf, openConsole } from '../support/console-browser.ts';
import { dropFiles } from '../support/console-files.ts';
import { expectLooks } from '../support/console-looks.ts';
import { eventually } from '../support/eventually.ts';

let opened: ConsoleBrowser;
let page: Page;
let errors: string[];

const isExtraction = ({ system }: NeutralRequest): boolean => system.join().includes('worth knowing in later');

/** Writes down what is said after "remember: ", and how it relates to what is known. */
function remember(request: NeutralRequest): Reply {
  if (!isExtraction(request)) return { text: 'Noted.' };
  const asked = request.messages.map(({ text }) => text).join('\n');
  const [, relation = 'new', about = '', text = ''] = /remember (\w+) \((\w*)\): ([^\n"]+\.)/.exec(asked) ?? [];
  const [of] = new RegExp(`F\\d+(?= [^\\n]*${about || 'nothing'})`).exec(asked) ?? [];
  const fact = { kind: 'fact', turn: 1, text, relation, ...(relation !== 'new' && { of }) };
  return { text: JSON.stringify({ facts: text === '' ? [] : [fact] }) };
}

beforeAll(async () => {
  opened = await openConsole({
    script: remember,
    prepare: (home) => home.config({ provider: 'openai', memory: true, memoryFactsRestMinutes: 0 }),
  });
  page = await (await opened.signIn()).newPage();
  errors = errorsOf(page);
});

const open = (path: string) => page.goto(`${opened.address}#/${path}`);
const card = (text: string) => page.locator('.card', { hasText: text });

async function say(text: string): Promise<void> {
  await open('chat');
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.keyboard.press('Enter');
  await page.getByText('Noted.').waitFor();
}

it('a fact appears with the conversation that it comes from; a newer one says what it replaced', async () => {
  await say('remember new (): Ada works on payments.');
  await open('memory');
  const first = card('Ada works on payments.');
  await first.locator('.lines .state', { hasText: 'new' }).waitFor();
  await say('remember update (payments): Ada works on search.');
  await open('memory');
  const second = card('Ada works on search.');
  await second.getByText('before: Ada works on payments.').waitFor();
  await expectLooks(page);
  await second.locator('a[href*="chat/"]').click();
  await page.getByText('remember update (payments)').first().waitFor();
});

it('an extraction is undone', async () => {
  await open('memory');
  const newest = page.locator('li.card', { hasText: 'before: Ada works on payments.' });
  await newest.getByRole('button', { name: 'Undo' }).click();
  await newest.getByText('undone').waitFor();
  const found = (await opened.run(['memory', 'search', 'what does Ada work on?', '--json'])).json<{
    results: { text: string; kind?: string }[];
  }>();
  expect(found.results.filter(({ kind }) => kind).map(({ text }) => text)).toEqual(['Ada works on payments.']);
});

it('what contradicts a known fact waits on the home page until it is decided there, or where memory is', async () => {
  await say('remember contradicts (payments): Ada works on nothing.');
  await open('home');
  const proposal = card('Ada works on nothing.');
  await proposal.getByText('It contradicts a known fact. Shall Lainclaw remember it? Ada works on payments.').waitFor();
  await expectLooks(page);
  await proposal.getByRole('button', { name: 'Remember' }).click();
  await proposal.waitFor({ state: 'detached' });
  await page.getByText('Nothing is waiting for you.').waitFor();
  await say('remember contradicts (nothing): Ada works on everything.');
  await open('memory');
  const other = page.locator('.card', { has: page.getByRole('button', { name: 'Drop' }) });
  await other.getByText('Ada works on everything.').waitFor();
  await other.getByRole('button', { name: 'Drop' }).click();
  await other.waitFor({ state: 'detached' });
  const { proposals } = (await opened.run(['memory', 'log', '--json'])).json<{ proposals: unknown[] }>();
  expect(proposals).toEqual([]);
});

it('a note is dropped on the page, kept once, and forgotten', async () => {
  const text = Buffer.from('# Queue\n\nRetries wait two minutes.\n');
  const drop = () => dropFiles(page, [{ name: 'queue.md', buffer: text, type: 'text/markdown' }], '.drop');
  await open('memory');
  await page.locator('.drop').waitFor();
  await drop();
  await page.getByText('queue.md was saved.').waitFor();
  await drop();
  await page.getByText('queue.md was saved before.').waitFor();
  await page.getByRole('button', { name: 'Forget queue.md' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Forget', exact: true }).click();
  await page.getByRole('button', { name: 'Forget queue.md' }).waitFor({ state: 'detached' });
  await eventually(async () => {
    const { stdout } = await opened.run(['memory', 'search', 'retries wait', '--json']);
    expect(stdout).not.toContain('two minutes');
  });
  expect(errors).toEqual([]);
});
