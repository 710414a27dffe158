import { expect, it } from 'vitest';
import { axeFindings, errorsOf, openConsole } from '../support/console-browser.ts';

it('answers in the browser, live, and shows the same after a reload', async () => {
  const consoleBrowser = await openConsole({
    script: [{ text: ['Hello ', '**there**', '.\n\n```js\nconst a = 1;\n```\n'] }],
  });
  const page = await (await consoleBrowser.signIn()).newPage();
  const errors = errorsOf(page);
  await page.goto(consoleBrowser.address);
  await page.getByRole('link', { name: 'New conversation' }).first().click();
  await page.getByRole('textbox', { name: 'Message' }).fill('hi');
  await page.keyboard.press('Enter');
  const answer = page.getByRole('article', { name: 'Answer' });
  await answer.getByText('there').waitFor();
  expect(await answer.locator('strong').textContent()).toBe('there');
  await page.getByRole('button', { name: 'Ask again', exact: true }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.reload();
  await answer.getByText('there').waitFor();
  expect(await page.getByRole('article', { name: 'You' }).textContent()).toContain('hi');
  expect(await answer.count()).toBe(1);
  // What was sent is not offered again as a draft.
  await page.getByRole('link', { name: 'New conversation' }).first().click();
  await page.getByText('What shall we do?').waitFor();
  expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('');
  expect(errors).toEqual([]);
});
