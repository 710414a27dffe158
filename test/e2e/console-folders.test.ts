// Conversations in folders of one's own, pictures of questions, and the page while the gateway is away.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { axeFindings, type ConsoleBrowser, errorsOf, openConsole } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';

const PICTURE = readFileSync(join(import.meta.dirname, '../../web/public/icon-192.png'));

let opened: ConsoleBrowser;
let page: Page;

beforeAll(async () => {
  opened = await openConsole({ script: () => ({ text: 'Done.' }) });
  page = await (await opened.signIn()).newPage();
});

async function shownPicture(): Promise<number> {
  await page.getByRole('article', { name: 'You', exact: true }).getByRole('img').waitFor();
  const width =
    "(async (image) => { await image.decode(); return image.naturalWidth; })(document.querySelector('.asked img'))";
  return (await page.evaluate(width)) as number;
}

it('a picture of a question is shown as a picture, at once and after a reload', async () => {
  const errors = errorsOf(page);
  await page.goto(`${opened.address}#/chat`);
  await page.locator('input[type=file]').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: PICTURE });
  await page.getByRole('textbox', { name: 'Message' }).fill('what is this?');
  await page.keyboard.press('Enter');
  await page.getByText('Done.').waitFor();
  await page.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  expect(await shownPicture()).toBe(192);
  await page.reload();
  expect(await shownPicture()).toBe(192);
  expect(await axeFindings(page)).toEqual([]);
  expect(errors).toEqual([]);
});

it('a folder is made, a conversation put into it, and the folder renamed and removed', async () => {
  await page.getByRole('combobox', { name: 'Order' }).selectOption('folder');
  await page.getByRole('button', { name: 'New folder' }).click();
  await page.getByRole('textbox', { name: 'Name of the folder' }).fill('Work');
  await page.getByRole('button', { name: 'Save' }).click();
  const folder = page.locator('details.folder');
  await folder.getByText('Work').waitFor();
  await page.locator('.entry').hover();
  await page
    .locator('.entry')
    .getByRole('button', { name: /^Rename/ })
    .click();
  await page.getByRole('combobox', { name: 'Folder' }).selectOption({ label: 'Work' });
  await page.getByRole('button', { name: 'Save' }).click();
  await folder.locator('.entry').waitFor();
  expect(await page.locator('.entry').count()).toBe(1);
  expect(await axeFindings(page)).toEqual([]);
  await folder.getByRole('button', { name: 'Rename Work' }).click();
  await page.getByRole('textbox', { name: 'Name of the folder' }).fill('Office');
  await page.getByRole('button', { name: 'Save' }).click();
  await folder.getByText('Office').waitFor();
  await page.reload();
  await folder.locator('.entry').waitFor();
  await folder.getByRole('button', { name: 'Delete Office' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await folder.waitFor({ state: 'detached' });
  await page.locator('.entry').waitFor();
});

it('a conversation is dragged into a folder and out of it', async () => {
  await page.getByRole('combobox', { name: 'Order' }).selectOption('folder');
  await page.getByRole('button', { name: 'New folder' }).click();
  await page.getByRole('textbox', { name: 'Name of the folder' }).fill('Trips');
  await page.getByRole('button', { name: 'Save' }).click();
  const folder = page.locator('details.folder');
  await page.locator('.groups .entry a').dragTo(folder.locator('summary'));
  await folder.locator('.entry').waitFor();
  expect(await page.locator('.groups .entry').count()).toBe(0);
  await page.reload();
  await page.goto(`${opened.address}#/chat`);
  await page.getByRole('textbox', { name: 'Message' }).fill('another one');
  await page.keyboard.press('Enter');
  await page.locator('.groups .entry').waitFor();
  await folder.locator('.entry a').dragTo(page.locator('.groups .entry'));
  await folder.locator('.entry').waitFor({ state: 'detached' });
  await eventually(async () => expect(await page.locator('.groups .entry').count()).toBe(2));
});

it('while the gateway is away the page opens with a message, and no answer of the API is kept', async () => {
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await opened.run(['gateway', 'stop']);
  await page.reload();
  await page.getByRole('heading', { name: 'Lainclaw does not answer' }).waitFor();
  expect(await page.evaluate('caches.keys()')).toEqual([]);
  await opened.run(['up', '--port', new URL(opened.address).port, '--no-open', '--json']);
  await eventually(async () => {
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).waitFor({ timeout: 60_000 });
  });
});
