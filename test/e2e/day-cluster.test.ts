// 18:00 of the day: the store becomes PostgreSQL, a second gateway starts, the first is killed; the phone and the page notice nothing but a pause.
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import { startTelegramServer, type TelegramServer } from '../fakes/telegram-server/telegram-server.ts';
import { type ConsolePage, openPage } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import type { Home } from '../support/home.ts';
import { lainclaw, type Running, startLainclaw } from '../support/lainclaw.ts';
import { type TestDatabase, testDatabase } from '../support/postgres.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const ADA = { id: 4_242, first_name: 'Ada' };

describe('a day, 18:00', () => {
  let telegram: TelegramServer;
  let model: ModelServer;
  let database: TestDatabase;
  let homes: [Home, Home];
  let first: Running;
  let page: ConsolePage;
  /** The home of the gateway that the page reaches, as behind a balancer. */
  let reached: Home;
  const written = (): string[] => telegram.messages(ADA.id).map(({ text }) => text ?? '');
  const phone = (text: string) => telegram.userSays({ chatId: ADA.id, from: ADA, text });

  beforeAll(async () => {
    telegram = await startTelegramServer();
    afterFile(() => telegram.close());
    // Answers with how many questions of the person it was shown.
    model = await startModelServer({
      script: ({ messages }) => ({ text: `question ${messages.filter(({ role }) => role === 'user').length}` }),
    });
    afterFile(() => model.close());
    database = await testDatabase({ isEmpty: true });
    afterFile(() => database.drop());
    homes = [testHome(), testHome()];
    for (const home of homes) home.config({ provider: 'openai-compatible', model: 'fake', baseUrl: `${model.url}/v1` });
  });

  const env = () => ({
    LAINCLAW_API_KEY: 'none',
    LAINCLAW_TELEGRAM_BOT_TOKEN: telegram.token,
    LAINCLAW_TELEGRAM_API_ROOT: telegram.url,
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

  /** What the answers on the page are. */
  const shown = (): string[] => page.turnIds().map((id) => page.textOf(id));

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
    reached = homes[0];
    page = openPage(() => address(reached));
    afterFile(() => page.close());
    phone('still there?');
    await eventually(() => expect(written()).toContain('question 2'));
    await eventually(() => expect(shown()).toContain('question 2'));
  });

  it('starts a second gateway and kills the first: the phone and the page are answered, and both know the conversation', async () => {
    await run(homes[1], ['config', 'set', 'store', database.url]);
    copyFileSync(join(homes[0].path, 'store.key'), join(homes[1].path, 'store.key'));
    await start(homes[1]);
    // The bot runs in the first one: the second is on standby, and ready for it.
    await eventually(async () => expect(await ready(homes[1])).toBe(200));
    phone('and now?');
    first.kill('SIGKILL');
    await first.ended.catch(() => {});
    [, reached] = homes;
    await eventually(() => expect(written().filter((text) => text === 'question 3')).toHaveLength(1));
    phone('goodbye');
    await eventually(() => expect(written()).toContain('question 4'));
    expect(written()).toEqual(['question 1', 'question 2', 'question 3', 'question 4']);
    await eventually(() => expect(shown()).toEqual(expect.arrayContaining(['question 2', 'question 3', 'question 4'])));
    expect(page.problems).toEqual([]);
    expect(await ready(homes[1])).toBe(200);
    for (const home of homes) expect(await run(home, ['sessions', 'list'])).toContain('telegram');
  });
});
