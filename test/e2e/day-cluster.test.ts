// 18:00 of the day: the store becomes PostgreSQL, a second gateway starts, the first is killed; the phone and the page notice nothing but a pause.
// The page is in a browser, behind a balancer that has both gateways.
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import { startTelegramServer, type TelegramServer } from '../fakes/telegram-server/telegram-server.ts';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { newContext } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';
import type { Home } from '../support/home.ts';
import { lainclaw, type Running, startLainclaw } from '../support/lainclaw.ts';
import { type TestDatabase, testDatabase } from '../support/postgres.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const ADA = { id: 4_242, first_name: 'Ada' };
const WRITTEN = ['good morning', 'still there?', 'and now?', 'goodbye'] as const;

describe('a day, 18:00', () => {
  let telegram: TelegramServer;
  let model: ModelServer;
  let database: TestDatabase;
  let homes: [Home, Home];
  let first: Running;
  let balancer: Balancer;
  let page: Page;
  /** While the model is asked this, it says nothing until its asker is gone. */
  let unanswered: string | undefined;
  const written = (): string[] => telegram.messages(ADA.id).map(({ text }) => text ?? '');
  const phone = (text: (typeof WRITTEN)[number]) => telegram.userSays({ chatId: ADA.id, from: ADA, text });

  beforeAll(async () => {
    telegram = await startTelegramServer();
    afterFile(() => telegram.close());
    // Answers with how many of the person's messages it was shown.
    model = await startModelServer({
      script: ({ messages }) =>
        unanswered !== undefined && JSON.stringify(messages.at(-1)).includes(unanswered)
          ? { fault: { kind: 'hang' } }
          : { text: `question ${WRITTEN.filter((text) => JSON.stringify(messages).includes(text)).length}` },
    });
    afterFile(() => model.close());
    database = await testDatabase({ isEmpty: true });
    afterFile(() => database.drop());
    balancer = await startBalancer();
    afterFile(() => balancer.close());
    homes = [testHome(), testHome()];
    for (const home of homes) home.config({ provider: 'openai-compatible', model: 'fake', baseUrl: `${model.url}/v1` });
  });

  const env = () => ({
    LAINCLAW_API_KEY: 'none',
    LAINCLAW_TELEGRAM_BOT_TOKEN: telegram.token,
    LAINCLAW_TELEGRAM_API_ROOT: telegram.url,
    LAINCLAW_GATEWAY_CONSOLE_ORIGINS: balancer.origin,
  });

  async function start(home: Home): Promise<Running> {
    const flags = ['--channel=telegram', '--pairing-policy=open', '--debounce-ms=0'];
    const gateway = startLainclaw(['gateway', 'start', ...flags], { home, env: env() });
    afterFile(async () => {
      gateway.kill('SIGKILL');
      await gateway.ended.catch(() => {});
    });
    await gateway.saw('"event":"ready"');
    return gateway;
  }

  async function run(home: Home, args: string[], more: Record<string, string> = {}): Promise<string> {
    const { code, stdout, stderr } = await lainclaw(args, { home, env: { ...env(), ...more } });
    expect(code, stdout + stderr).toBe(0);
    return stdout;
  }

  function address(home: Home): { port: number; headers: Record<string, string> } {
    const read = (name: string): string => readFileSync(join(home.path, 'service', name), 'utf8').trim();
    const { port } = JSON.parse(read('gateway-service.json')) as { port: number };
    return { port, headers: { authorization: `Bearer ${read('gateway-token')}` } };
  }

  async function ready(home: Home): Promise<number> {
    const { port, headers } = address(home);
    return (await fetch(`http://127.0.0.1:${port}/ready`, { headers })).status;
  }

  /** Signs the browser in with a link of that gateway, at the address of the balancer. */
  async function openPage(home: Home): Promise<Page> {
    const { url } = JSON.parse(await run(home, ['up', '--no-open', '--json'])) as { url: string };
    const opened = await (await newContext()).newPage();
    const { pathname, hash } = new URL(url);
    await opened.goto(`${balancer.origin}${pathname}${hash}`);
    await opened.locator('#enter').click();
    await opened.waitForURL(`${balancer.origin}/`);
    return opened;
  }

  /** The answers of the open conversation, as the page shows them. */
  async function shown(): Promise<string[]> {
    const texts = await page.getByRole('article', { name: 'Answer' }).allInnerTexts();
    return texts.flatMap((text) => /question \d+/.exec(text) ?? []);
  }

  it('points the store at PostgreSQL: the conversation of the phone continues there', async () => {
    const gateway = await start(homes[0]);
    phone('good morning');
    await eventually(() => expect(written()).toContain('question 1'));
    gateway.kill('SIGTERM');
    await gateway.ended;
    const named = { LAINCLAW_STORE: database.url };
    await run(homes[0], ['store', 'init'], { ...named, LAINCLAW_STORE_OWNER: database.ownerUrl });
    await run(homes[0], ['store', 'copy', '--from', 'local', '--to', 'postgres'], named);
    await run(homes[0], ['config', 'set', 'store', database.url]);
    first = await start(homes[0]);
    balancer.ports.push(...homes.map((home) => () => address(home).port));
    page = await openPage(homes[0]);
    await page.locator('.entry a').first().click();
    await eventually(async () => expect(await shown()).toEqual(['question 1']));
    phone('still there?');
    await eventually(() => expect(written()).toContain('question 2'));
    await eventually(async () => expect(await shown()).toEqual(['question 1', 'question 2']));
  });

  it('starts a second gateway and kills the first: the phone and the page are answered, and both know the conversation', async () => {
    await run(homes[1], ['config', 'set', 'store', database.url]);
    copyFileSync(join(homes[0].path, 'store.key'), join(homes[1].path, 'store.key'));
    await start(homes[1]);
    // The bot runs in the first one: the second is on standby, and ready for it.
    await eventually(async () => expect(await ready(homes[1])).toBe(200));
    // Gone when the page is loaded again.
    await page.evaluate('window.isSamePage = true');
    unanswered = 'and now?';
    const asked = model.requests.length;
    phone('and now?');
    await eventually(() => expect(model.requests.length).toBeGreaterThan(asked));
    await page.getByText('and now?', { exact: true }).waitFor();
    unanswered = undefined;
    first.kill('SIGKILL');
    await first.ended.catch(() => {});
    await eventually(() => expect(written().filter((text) => text === 'question 3')).toHaveLength(1));
    phone('goodbye');
    await eventually(() => expect(written()).toContain('question 4'));
    expect(written()).toEqual(['question 1', 'question 2', 'question 3', 'question 4']);
    await eventually(async () =>
      expect(await shown()).toEqual(['question 1', 'question 2', 'question 3', 'question 4']),
    );
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    expect(await ready(homes[1])).toBe(200);
    for (const home of homes) expect(await run(home, ['sessions', 'list'])).toContain('telegram');
  });
});
