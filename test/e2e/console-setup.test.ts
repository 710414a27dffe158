// The first run in the browser: a model is connected with a key, or with a ChatGPT account.
import { expect, it } from 'vitest';
import { startSearchServer } from '../fakes/search-server.ts';
import { startFakeIssuer } from '../fakes/sign-in-issuer.ts';
import { axeFindings, errorsOf, openConsole } from '../support/console-browser.ts';
import { KEY } from '../support/model-providers.ts';
import { afterFile } from '../support/test-home.ts';

it('a home without a model opens with set-up; a key that is refused stores nothing, a right one connects', async () => {
  const opened = await openConsole({ script: () => ({ text: 'Hello.' }), hasModel: false });
  const page = await (await opened.signIn()).newPage();
  const errors = errorsOf(page);
  await page.goto(opened.address);
  await page.getByRole('heading', { level: 1, name: 'Connect a model' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  // A conversation without a model leads here.
  await page.getByRole('link', { name: 'New conversation' }).first().click();
  await page.getByText('No model is connected yet').waitFor();
  expect(await page.getByRole('combobox', { name: 'Model' }).count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('main').getByRole('link', { name: 'Connect a model' }).first().click();
  const provider = page.getByRole('combobox', { name: 'Provider' });
  expect(await provider.locator('option:checked').textContent()).toBe('OpenAI');
  expect(await provider.locator('option', { hasText: 'ChatGPT' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Get a key' }).waitFor();

  await page.getByLabel('API key').fill('not a key');
  await page.getByRole('textbox', { name: 'Address' }).fill(`${opened.model.url}/v1`);
  await page.getByRole('button', { name: 'Try and connect' }).click();
  await page.getByText('Nothing was stored').waitFor();
  await page.getByLabel('API key').fill(KEY);
  await page.getByRole('button', { name: 'Try and connect' }).click();
  await page.getByText('answers and is now the usual model').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('main').getByRole('link', { name: 'New conversation' }).click();
  await page.getByRole('textbox', { name: 'Message' }).fill('hi');
  await page.keyboard.press('Enter');
  await page.getByText('Hello.').waitFor();
  // The refused key is the one error that the browser logs.
  expect(errors.filter((text) => !text.includes('422'))).toEqual([]);
});

it('after the model, set-up offers a search of the web; a refused key stores nothing, and the next turn has the tool', async () => {
  const search = await startSearchServer({ key: 'BSA-key-of-a-test' });
  afterFile(() => search.close());
  const opened = await openConsole({
    script: ({ tools }) => ({ text: tools.some(({ name }) => name === 'web_search') ? 'I can search.' : 'I cannot.' }),
  });
  const page = await (await opened.signIn()).newPage();
  const errors = errorsOf(page);
  const ask = async (): Promise<void> => {
    await page.goto(`${opened.address}#/chat`);
    await page.getByRole('textbox', { name: 'Message' }).fill('can you search?');
    await page.keyboard.press('Enter');
  };
  await page.goto(opened.address);
  await ask();
  await page.getByText('I cannot.').waitFor();
  await page.goto(`${opened.address}#/setup`);
  const service = page.getByRole('combobox', { name: 'What searches' });
  await service.selectOption('Brave Search');
  await page.getByLabel('Key of the service').waitFor();
  await service.selectOption('SearXNG');
  await page.getByLabel('Address of your server').fill(opened.model.url);
  await page.getByRole('button', { name: 'Try and switch on' }).click();
  await page.getByText(/searxng answered \d+. Nothing was stored/).waitFor();
  await page.getByLabel('Address of your server').fill(search.url);
  await page.getByRole('button', { name: 'Try and switch on' }).click();
  await page.getByText('Set up: SearXNG').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(search.queries).toEqual(['lainclaw']);
  await ask();
  await page.getByText('I can search.').waitFor();
  expect(errors.filter((text) => !text.includes('422'))).toEqual([]);
});

it('a key of the environment is offered and preselected; with a ChatGPT account the page shows the code and waits for it', async () => {
  const issuer = await startFakeIssuer();
  afterFile(() => issuer.close());
  const opened = await openConsole({
    script: () => ({ text: 'Hello.' }),
    hasModel: false,
    variables: ({ url }) => ({
      MISTRAL_API_KEY: 'key-of-a-test',
      LAINCLAW_OPENAI_CODEX_ISSUER: issuer.url,
      LAINCLAW_OPENAI_CODEX_BASE_URL: `${url}/backend-api`,
    }),
  });
  const page = await (await opened.signIn()).newPage();
  await page.goto(`${opened.address}#/setup`);
  await page.getByRole('button', { name: /Mistral MISTRAL_API_KEY/ }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Provider' }).inputValue()).toBe('mistral');
  await page.getByRole('button', { name: 'Sign in with ChatGPT' }).click();
  await page.getByText('ABCD-EFGH').waitFor();
  expect(await page.getByRole('link', { name: `${issuer.url}/codex/device` }).count()).toBe(1);
  expect(await axeFindings(page)).toEqual([]);

  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Sign in with ChatGPT' }).click();
  await page.getByText('ABCD-EFGH').waitFor();
  issuer.approveDevice();
  await page.getByText('openai-codex/gpt-6-sol answers').waitFor();
  await page.goto(`${opened.address}#/settings`);
  await page.getByText('me@example.com').waitFor();
  const shown = await page.content();
  for (const secret of issuer.secrets) expect(shown).not.toContain(secret);
});
