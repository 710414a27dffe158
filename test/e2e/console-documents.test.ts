// Documents in a message of the console: attached or dropped, they reach the model as text, and the message shows them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { axeFindings, type ConsoleBrowser, errorsOf, openConsole } from '../support/console-browser.ts';
import { dropFiles } from '../support/console-files.ts';
import { eventually } from '../support/eventually.ts';
import { makeDocx, makeXlsx, paragraph } from '../support/make-office.ts';
import { makePdf } from '../support/make-pdf.ts';

const PDF = makePdf([{ lines: ['The harbour opens at seven.'] }], { title: 'Harbour' });
const DOCX = makeDocx(paragraph('The lighthouse keeper is Ingrid.'));
const XLSX = makeXlsx({
  Fees: '<row r="1"><c r="A1" t="inlineStr"><is><t>mooring</t></is></c><c r="B1"><v>42</v></c></row>',
});

let opened: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  opened = await openConsole({ script: () => ({ text: 'I have read it.' }) });
  page = await (await opened.signIn()).newPage();
});

const isAbout = (body: unknown, words: string): boolean => JSON.stringify(body).includes(words);
const lastAbout = (words: string): string =>
  JSON.stringify(opened.model.requests.findLast(({ body }) => isAbout(body, words))?.body);
const lastRequest = (): string => JSON.stringify(opened.model.requests.at(-1)?.body);
const chips = () => page.getByRole('article', { name: 'You', exact: true }).last().locator('.chip');
const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer });

async function send(text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

it('documents that are attached and dropped reach the model as text, and stay chips of the message', async () => {
  const errors = errorsOf(page);
  await page.goto(`${opened.address}#/chat`);
  await page.locator('input[type=file]').setInputFiles([file('harbour.pdf', PDF), file('crew.docx', DOCX)]);
  await dropFiles(page, [{ name: 'fees.xlsx', buffer: XLSX }]);
  await page.getByRole('button', { name: 'Remove fees.xlsx' }).waitFor();
  await send('what do they say?');
  await page.getByText('I have read it.').waitFor();
  await page.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  for (const words of ['The harbour opens at seven.', 'The lighthouse keeper is Ingrid.', 'mooring', '42'])
    expect(lastRequest()).toContain(words);
  const names = ['harbour.pdf', 'crew.docx', 'fees.xlsx'];
  expect((await chips().allTextContents()).map((text) => text.trim())).toEqual(names);
  const [day = ''] = readdirSync(join(opened.workspace, 'inbox'));
  expect(readdirSync(join(opened.workspace, 'inbox', day))).toHaveLength(3);
  await page.reload();
  await chips().first().waitFor();
  expect((await chips().allTextContents()).map((text) => text.trim())).toEqual(names);
  expect(await page.getByText('saved as').count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  expect(errors).toEqual([]);
});

it.each([
  ['in the page that asked it', false],
  ['after a reload', true],
])('a question that is asked again, or edited, has its documents again: %s', async (_when, isReloaded) => {
  await page.goto(`${opened.address}#/`);
  await page.goto(`${opened.address}#/chat`);
  await send('hello');
  await page.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  await page.locator('input[type=file]').setInputFiles([file('harbour.pdf', PDF), file('crew.docx', DOCX)]);
  await send('what do they say?');
  await chips().first().waitFor();
  await page.getByRole('button', { name: 'Ask again', exact: true }).nth(1).waitFor();
  if (isReloaded) {
    await page.reload();
    await chips().first().waitFor();
  }
  const asked = (): number => opened.model.requests.filter(({ body }) => isAbout(body, 'what do they say')).length;
  const before = asked();
  await page.getByRole('button', { name: 'Ask again', exact: true }).nth(1).click();
  await eventually(() => expect(asked()).toBeGreaterThan(before));
  const again = opened.model.requests.findLast(({ body }) => isAbout(body, 'what do they say'));
  for (const words of ['The harbour opens at seven.', 'The lighthouse keeper is Ingrid.'])
    expect(JSON.stringify(again?.body).split(words)).toHaveLength(2);
  await page.getByRole('button', { name: 'Ask again', exact: true }).nth(1).waitFor();
  await page.getByRole('button', { name: 'Edit and ask again' }).nth(1).click();
  await page.getByRole('button', { name: 'Remove crew.docx' }).click();
  await send('what does it say now?');
  await eventually(() => expect(lastAbout('what does it say now')).toContain('The harbour opens at seven.'));
  expect(lastAbout('what does it say now')).not.toContain('Ingrid');
  await page.getByRole('button', { name: 'Ask again', exact: true }).nth(1).waitFor();
});

it('too many files, and one that is too large, are refused before anything is sent', async () => {
  await page.goto(`${opened.address}#/`);
  await page.goto(`${opened.address}#/chat`);
  const many = Array.from({ length: 21 }, (_, index) => file(`${index}.txt`, Buffer.from('x')));
  await page.locator('input[type=file]').setInputFiles(many);
  await send('read');
  await page.getByText('A message takes 20 files').waitFor();
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('read');
  await page.reload();
  const large = join(opened.home.path, 'large.bin');
  writeFileSync(large, Buffer.alloc(26 * 1024 * 1024));
  await page.locator('input[type=file]').setInputFiles(large);
  await send('read');
  await page.getByText('large.bin has more than 25 MB').waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('');
  await page.reload();
});

it('a message may be a document alone', async () => {
  await page.goto(`${opened.address}#/chat`);
  await page.locator('input[type=file]').setInputFiles(file('harbour.pdf', PDF));
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await chips().first().waitFor();
  await page.getByText('I have read it.').waitFor();
  expect(lastRequest()).toContain('The harbour opens at seven.');
  expect((await chips().allTextContents()).map((text) => text.trim())).toEqual(['harbour.pdf']);
});

it('nobody knows who wrote a document: it taints the turn', () => {
  const folder = join(opened.home.path, 'sessions');
  const transcripts = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  const text = transcripts.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  expect(text).toMatch(/"taintedBy":\["file:inbox\/[^"]*harbour-[0-9a-f]{8}\.pdf"/);
});

it.each([
  [
    'a damaged document',
    'broken.pdf',
    Buffer.from('%PDF-1.7 and nothing more'),
    'broken.pdf cannot be read: it is damaged',
  ],
  ['a locked document', 'secret.pdf', makePdf([{ lines: ['x'] }], { isLocked: true }), 'protected by a password'],
])('%s is refused with its reason, and the message stays to be sent without it', async (_, name, buffer, reason) => {
  const asked = opened.model.requests.length;
  await page.goto(`${opened.address}#/chat`);
  await page.locator('input[type=file]').setInputFiles(file(name, buffer));
  await send('and this one?');
  await page.getByText(reason).waitFor();
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('and this one?');
  expect(opened.model.requests).toHaveLength(asked);
  await page.getByRole('button', { name: `Remove ${name}` }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('I have read it.').waitFor();
  expect(readdirSync(join(opened.workspace, 'inbox')).length).toBe(1);
});
