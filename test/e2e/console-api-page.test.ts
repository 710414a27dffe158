// What a browser gets besides the console itself: the readable page of the API, and what it needs to install the console.
import { expect, it } from 'vitest';
import { errorsOf, openConsole } from '../support/console-browser.ts';
import { expectLooks } from '../support/console-looks.ts';

it('the page of the API lists every operation, leads to each, and has no finding in any look', async () => {
  const opened = await openConsole({ script: () => ({ text: 'Done.' }) });
  const page = await (await opened.signIn()).newPage();
  const errors = errorsOf(page);
  await page.goto(`${opened.address}api/docs`);
  await page.getByRole('heading', { level: 1, name: 'Lainclaw API' }).waitFor();
  await expectLooks(page);
  await page.getByRole('link', { name: 'schedule', exact: true }).click();
  expect(page.url()).toBe(`${opened.address}api/docs#schedule`);
  const operation = page.locator('article', { has: page.locator('[id="schedule.add"]') });
  await operation.getByText('Output', { exact: true }).click();
  await operation.locator('pre').waitFor();
  await expectLooks(page);
  const description = page.waitForResponse(`${opened.address}api/openapi.json`);
  await page.getByRole('link', { name: 'OpenAPI 3.1' }).click();
  const { paths } = (await (await description).json()) as { paths: Record<string, unknown> };
  await page.goBack();
  const listed = await page.locator('article h3').allTextContents();
  const operations = Object.keys(paths).filter((path) => path.startsWith('/api/operations/'));
  expect(listed).toHaveLength(operations.length);
  expect(errors).toEqual([]);
});

it('the browser finds nothing that keeps the console from being installed', async () => {
  const opened = await openConsole({ script: () => ({ text: 'Done.' }) });
  const page = await (await opened.signIn()).newPage();
  await page.goto(opened.address);
  const session = await page.context().newCDPSession(page);
  const { data = '', errors } = await session.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  const {
    name,
    display,
    icons,
    start_url: start,
  } = JSON.parse(data) as Record<string, unknown> & {
    icons: { src: string; sizes: string }[];
  };
  expect([name, display, start]).toEqual(['Lainclaw', 'standalone', './']);
  const read = (src: string): Promise<unknown> =>
    page.evaluate(
      `(async () => { const image = new Image(); image.src = ${JSON.stringify(src)}; await image.decode(); return image.naturalWidth; })()`,
    );
  for (const { src, sizes } of icons.filter(({ sizes }) => /^\d/.test(sizes)))
    expect([src, `${await read(src)}x${await read(src)}`]).toEqual([src, sizes]);
});
