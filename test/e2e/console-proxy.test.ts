// The console below a path, behind a proxy: signing in, a turn that streams, a picture, and what the page links to.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startBalancer } from '../support/balancer.ts';
import { errorsOf, openBrowser, openConsole } from '../support/console-browser.ts';
import { afterFile } from '../support/test-home.ts';

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

it('works below any path, and asks for nothing outside it', async () => {
  const proxy = await startBalancer();
  afterFile(() => proxy.close());
  const opened = await openConsole({
    script: [{ text: 'A red dot.' }],
    prepare: (home) =>
      writeFileSync(
        join(home.path, 'gateway.json'),
        JSON.stringify({ version: 1, default: { consoleOrigins: [proxy.origin], consoleBasePath: '/lain/claw' } }),
      ),
  });
  const port = Number(new URL(opened.address).port);
  proxy.ports.push(() => port);
  const page = await (await (await openBrowser()).newContext({ locale: 'en-US' })).newPage();
  const errors = errorsOf(page);
  const outside: string[] = [];
  page.on('request', (request) => {
    const { protocol, pathname } = new URL(request.url());
    if (protocol === 'http:' && !pathname.startsWith('/lain/claw/')) outside.push(request.url());
  });
  const { url } = (await opened.run(['console', 'link', '--json'])).json<{ url: string }>();
  await page.goto(`${proxy.origin}/lain/claw/login${new URL(url).hash}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  expect(page.url()).toMatch(`${proxy.origin}/lain/claw/`);
  await page.getByRole('link', { name: 'New conversation' }).first().click();
  await page.locator('input[type=file]').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: DOT });
  await page.getByRole('textbox', { name: 'Message' }).fill('what is it?');
  await page.keyboard.press('Enter');
  await page.getByText('A red dot.').waitFor();
  await page.reload();
  const picture = page.getByRole('img', { name: /Picture|dot/i }).first();
  await picture.waitFor();
  expect(await picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)).toBe(1);
  expect(outside).toEqual([]);
  expect(errors).toEqual([]);
});
