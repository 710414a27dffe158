// A gateway that connects no channel: scheduled jobs, background runs and the control API, with settings of the jobs' own.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunSummary } from '../../src/schedule/summary.ts';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayHome } from '../support/gateway-service.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const asked = ({ requests }: ModelServer): { model: string; hasTools: boolean }[] =>
  requests.map(({ body }) => {
    const { model, tools = [] } = body as { model: string; tools?: unknown[] };
    return { model, hasTools: tools.length > 0 };
  });

it('runs jobs and background runs with settings of the jobs’ own, and answers its control API', async () => {
  const server = await startModelServer({ script: () => ({ text: 'Done.' }) });
  afterFile(() => server.close());
  const { home, gateway, status, state } = gatewayHome();
  home.config({ baseUrl: `${server.url}/v1` });
  await gateway(['config', 'set', 'provider=openai-compatible', 'model=for-all']);
  expect((await gateway(['config', 'set', '--jobs', 'model=for-jobs', 'withTools=false'])).code).toBe(0);
  const started = await gateway(['start', '--daemon'], { env: { LAINCLAW_API_KEY: 'none' } });
  expect(started.code).toBe(0);
  expect(started.stderr).toContain('lainclaw gateway config set --channel');
  expect(state()).toMatchObject({ channels: [], command: 'lainclaw gateway start --channel=none' });
  expect(await status()).toMatchObject({ status: 'running', phase: 'running', channels: [], connections: [] });
  const token = readFileSync(join(home.path, 'service', 'gateway-token'), 'utf8').trim();
  const ready = await fetch(`http://127.0.0.1:${state().port}/ready`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(ready.status).toBe(200);

  const soon = new Date(Math.ceil(Date.now() / 1_000 + 2) * 1_000).toISOString().replace('.000', '');
  await lainclaw(['schedule', 'add', 'tea', '--at', soon, '--message', 'Tea time'], { home });
  await eventually(async () =>
    expect((await lainclaw(['schedule', 'history', 'tea'], { home })).json<RunSummary[]>()).toMatchObject([
      { status: 'ok', answer: 'Done.' },
    ]),
  );
  expect(asked(server)).toEqual([{ model: 'for-jobs', hasTools: false }]);

  const spawn = 'tool:subagent_spawn {"name":"helper","message":"tell"}';
  const ask = ['ask', '--provider', 'openai-compatible', '--model', 'mine', '--approve=auto', spawn];
  expect((await lainclaw(ask, { home, env: { LAINCLAW_API_KEY: 'none' } })).code).toBe(0);
  await eventually(async () =>
    expect((await lainclaw(['agents', 'status'], { home })).json()).toMatchObject({
      runs: [{ name: 'helper', state: 'done', result: 'Done.' }],
    }),
  );

  // Settings of jobs hold from the next run.
  await gateway(['config', 'set', '--jobs', 'model=other']);
  await eventually(async () => expect(await status()).toMatchObject({ settings: { restartNeeded: [] } }));
  await eventually(() =>
    expect(readFileSync(join(home.path, 'service', 'gateway.log'), 'utf8')).toContain('now in use: jobs.model'),
  );
  const restarted = await gateway(['restart'], { env: { LAINCLAW_API_KEY: 'none' } });
  expect(restarted.json()).toMatchObject({ status: 'running', channels: [] });
  expect((await gateway(['stop'])).json()).toMatchObject({ stopped: true, how: 'drained' });
});

it('a job that a command runs is asked with the same settings', async () => {
  const server = await startModelServer({ script: () => ({ text: 'Done.' }) });
  afterFile(() => server.close());
  const home = testHome();
  home.config({ baseUrl: `${server.url}/v1` });
  const run = (...args: string[]) => lainclaw(args, { home, env: { LAINCLAW_API_KEY: 'none' } });
  await run('gateway', 'config', 'set', '--jobs', 'provider=openai-compatible', 'model=for-jobs');
  await run('schedule', 'add', 'tea', '--every', '1d', '--message', 'Tea time');
  expect((await run('schedule', 'run', 'tea', '--json')).json()).toMatchObject({ status: 'ok', answer: 'Done.' });
  expect(asked(server)).toEqual([{ model: 'for-jobs', hasTools: true }]);
});

describe('which channels are started', () => {
  it('"none" is given alone', async () => {
    const home = testHome();
    for (const flags of [['--channel=none,local'], ['--channel=none', '--channel=local'], ['--channel=local,none']]) {
      const refused = await lainclaw(['gateway', 'start', ...flags], { home });
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('give it alone')]);
    }
  });

  it.for([
    [{ LAINCLAW_FEISHU_APP_ID: 'cli_1' }, ['feishu (default) needs appSecret']],
    [{ LAINCLAW_TELEGRAM_WEBHOOK_URL: 'https://bot.example/hook' }, ['telegram (default) needs botToken']],
    [
      { LAINCLAW_FEISHU_APP_ID: 'cli_1', LAINCLAW_TELEGRAM_WEBHOOK_URL: 'https://bot.example/hook' },
      ['feishu (default) needs appSecret', 'telegram (default) needs botToken'],
    ],
  ] as const)(
    'without --channel those that are set up, here with %j, and it is said what is missing',
    async ([env, missing]) => {
      const refused = await lainclaw(['gateway', 'start'], { home: testHome(), env });
      expect(refused.code).toBe(1);
      for (const each of ['feishu (default) needs appSecret', 'telegram (default) needs botToken'])
        expect(refused.stderr.includes(each), each).toBe(missing.some((one) => one === each));
      // The log takes words behind a colon for a secret.
      expect(refused.stderr).not.toContain('[secret]');
    },
  );
});

it('the layer of jobs is shown, cleared and checked like every other', async () => {
  const { gateway } = gatewayHome();
  await gateway(['config', 'set', '--jobs', 'toolAllow=time.now', '--tool-max-steps=5']);
  expect((await gateway(['config', 'show', '--jobs'])).json()).toEqual({ toolAllow: ['time.now'], toolMaxSteps: 5 });
  expect((await gateway(['config', 'show', '--text'])).stdout).toContain('jobs.toolAllow = ["time.now"]');
  for (const [args, message] of [
    [['--jobs', 'groups=true'], 'groups is not a setting of jobs'],
    [['--jobs', '--pairing-policy=open'], 'pairingPolicy is not a setting of jobs'],
    [['--jobs', '--channel=local', 'model=x'], 'exclude each other'],
  ] as const) {
    const refused = await gateway(['config', 'set', ...args]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(message)]);
  }
  await gateway(['config', 'clear', '--jobs']);
  expect((await gateway(['config', 'show'])).json()).toEqual({ version: 1, default: {}, channels: {} });
});
