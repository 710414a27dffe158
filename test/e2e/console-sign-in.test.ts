// The sign-in page in the language of the browser: by a link, and with the password.
import { expect, it } from 'vitest';
import { axeFindings, type ConsoleBrowser, errorsOf, newContext, openConsole } from '../support/console-browser.ts';
import { runBinary } from '../support/lainclaw.ts';

const opening: Promise<ConsoleBrowser> = openConsole({ script: () => ({ text: 'Done.' }) });

async function pageIn(locale: string) {
  const page = await (await newContext({ locale })).newPage();
  return { page, errors: errorsOf(page) };
}

async function newLink(): Promise<string> {
  const { run } = await opening;
  return (await run(['up', '--no-open', '--json'])).json<{ url: string }>().url;
}

it.each([
  ['en-GB', 'en', 'Sign in', 'signs this browser in as the owner'],
  ['zh-CN', 'zh-Hans', '登录', '以所有者身份登录'],
  ['ru-RU', 'ru', 'Войти', 'браузер войдёт как владелец'],
  ['fr-FR', 'en', 'Sign in', 'signs this browser in as the owner'],
])('a link in %s', async (locale, lang, button, whom) => {
  const { page, errors } = await pageIn(locale);
  await page.goto(await newLink());
  await page.getByText(whom).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe(lang);
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: button }).click();
  await page.waitForURL((await opening).address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(errors).toEqual([]);
});

it('without a link the page says how to get one, and a used link why it does not work', async () => {
  const { page } = await pageIn('ru-RU');
  const link = await newLink();
  await page.goto((await opening).address);
  await page.getByText('Выполните lainclaw up в терминале').waitFor();
  const other = await pageIn('zh-CN');
  await other.page.goto(link);
  await other.page.getByRole('button', { name: '登录' }).click();
  await other.page.waitForURL((await opening).address);
  await page.goto(link);
  await page.getByText('Ссылка уже использована или устарела').waitFor();
});

it('the password is asked for, and a wrong one refused, in the language of the browser', async () => {
  const { page } = await pageIn('zh-CN');
  const { home, address } = await opening;
  const set = await runBinary(['console', 'password'], { home, stdin: 'a right password\n' });
  expect(set.code).toBe(0);
  await page.goto(address);
  await page.getByLabel('密码').fill('a wrong password');
  await page.getByRole('button', { name: '登录' }).click();
  await page.getByText('密码不正确').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByLabel('密码').fill('a right password');
  await page.getByRole('button', { name: '登录' }).click();
  await page.getByRole('navigation').first().waitFor();
});
