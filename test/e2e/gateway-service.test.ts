// The gateway as a service, in processes of its own: with the local channel, or in memory where it must fail.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { lastingCommand } from '../../src/config/lasting-process.ts';
import { identify } from '../../src/gateway/service/process-identity.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayHome, runningGateway, runningMemoryGateway } from '../support/gateway-service.ts';
import { BINARY, lainclaw, startLainclaw } from '../support/lainclaw.ts';

const TOKEN = '123456:SECRET-of-a-bot';
describe('start and stop', () => {
  it('a daemon is ready when the command returns, tells the truth about itself, and leaves nothing when it is stopped', async () => {
    const { gateway, status, home, state } = await runningGateway('--model=small');
    const told = await status();
    expect(told).toMatchObject({
      status: 'running',
      phase: 'running',
      channel: 'local',
      channels: ['local'],
      connections: [{ channel: 'local', account: 'default', state: 'connected', reconnects: 0 }],
      mailbox: { inbox: 0, outbox: 0, dead: 0 },
      runningTurns: 0,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      settings: { restartNeeded: [] },
    });
    expect(told.memory.rssBytes).toBeGreaterThan(1_000_000);
    expect(await identify(told.pid)).toEqual({ pid: told.pid, pidStart: told.pidStart });
    expect(state()).toMatchObject({
      command: 'lainclaw gateway start --channel=local --model=small',
      statePath: join(home.path, 'service', 'gateway-service.json'),
      logPath: join(home.path, 'service', 'gateway.log'),
    });
    for (const name of readdirSync(join(home.path, 'service')))
      expect((statSync(join(home.path, 'service', name)).mode & 0o777).toString(8), name).toBe('600');

    expect((await gateway(['stop'])).json()).toEqual({ stopped: true, pid: told.pid, how: 'drained' });
    expect(await identify(told.pid)).toBeUndefined();
    expect(await status()).toMatchObject({ status: 'stopped' });
    expect(readdirSync(join(home.path, 'service')).toSorted()).toEqual(['gateway.log', 'gateway.stderr']);
    expect((await gateway(['stop'])).json()).toMatchObject({ stopped: false });
  });

  it('Prometheus reads how it is doing with the token of its file', async () => {
    const { home, state } = await runningGateway();
    const credentials = readFileSync(join(home.path, 'service', 'gateway-token'), 'utf8').trim();
    const address = `http://127.0.0.1:${state().port}/metrics`;
    expect((await fetch(address)).status).toBe(401);
    const read = await fetch(address, { headers: { authorization: `Bearer ${credentials}` } });
    expect(read.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await read.text();
    expect(text).toMatch(/^lainclaw_ready 1$/m);
    expect(text).toMatch(/^lainclaw_channel_connected\{channel="local",account="default"\} 1$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  });

  it('there is one gateway to a home: a second start says who runs', async () => {
    const { gateway, state } = await runningGateway();
    for (const flags of [[], ['--daemon']]) {
      const second = await gateway(['start', '--channel=local', ...flags]);
      expect(second.code).toBe(1);
      expect(second.json()).toMatchObject({
        error: { code: 'GATEWAY_RUNNING', message: expect.stringContaining(`pid ${state().pid}`) },
      });
    }
  });

  it('of many starts at once one wins, and the others leave it alone', async () => {
    const { gateway, status, state } = gatewayHome();
    const starts = await Promise.all(
      Array.from({ length: 4 }, () => gateway(['start', '--daemon', '--channel=local'])),
    );
    expect(starts.map(({ code }) => code).toSorted()).toEqual([0, 1, 1, 1]);
    expect(await status()).toMatchObject({ status: 'running', pid: state().pid });
  });

  it.each([
    [['--channel=feishu'], 'CONFIG_INVALID', 'lainclaw gateway config set --channel feishu appSecret=-'],
    [['--channel=local'], 'GATEWAY_START_FAILED', 'the platform refuses the credentials'],
    [['--channel=local', '--port=1'], undefined, undefined],
  ])('a daemon that cannot start with %j says why, exits with 1 and leaves no state', async (flags, code, message) => {
    const isRefused = message?.startsWith('the platform');
    const { gateway, status, home } = gatewayHome({ inMemory: isRefused });
    if (isRefused) await gateway(['config', 'set', '--channel=local', `folder=${home.base}/fails`]);
    // A port that another gateway has.
    const taken = code === undefined ? await runningGateway() : undefined;
    const given = taken ? ['--channel=local', `--port=${taken.state().port}`] : flags;
    const started = await gateway(['start', '--daemon', ...given]);
    expect(started.code).toBe(1);
    const { error } = started.json<{ error: { code: string; message: string } }>();
    expect(error.message).toContain(message ?? `port ${taken?.state().port} is taken`);
    expect(error.code).toBe(code ?? 'GATEWAY_START_FAILED');
    expect((await gateway(['start', ...given])).json()).toMatchObject({ error });
    expect(await status()).toMatchObject({ status: 'stopped' });
    expect(existsSync(join(home.path, 'service', 'gateway-service.json'))).toBe(false);
  });

  it('in the foreground it logs JSON lines to stderr, drains at SIGTERM and exits with 0', async () => {
    const { home, status } = gatewayHome();
    const running = startLainclaw(['gateway', 'start', '--channel', 'local'], { home });
    await running.saw('"event":"ready"');
    expect(await status()).toMatchObject({ status: 'running' });
    running.kill('SIGTERM');
    const { code, stderr, stdout } = await running.ended;
    expect([code, stdout]).toEqual([0, '']);
    const events = stderr
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event: string }).event);
    expect(events).toEqual(['starting', 'ready', 'stopping', 'stopped']);
    expect(await status()).toMatchObject({ status: 'stopped' });
  });

  it('a gateway that was killed is not running, and the next one starts at once', async () => {
    const { gateway, status, state } = await runningGateway();
    const { pid } = state();
    process.kill(pid, 'SIGKILL');
    await eventually(async () => expect(await identify(pid)).toBeUndefined());
    expect(await status()).toMatchObject({ status: 'stopped' });
    expect((await gateway(['start', '--daemon', '--channel=local'])).code).toBe(0);
    expect(state().pid).not.toBe(pid);
  });

  it('a state file whose process number was used again is not ours: stopped, and nobody is signalled', async () => {
    const { gateway, status, home } = gatewayHome();
    mkdirSync(join(home.path, 'service'), { recursive: true });
    const left = {
      channel: 'local',
      channels: ['local'],
      pid: process.pid,
      pidStart: 'of another',
      flags: {},
      port: 1,
    };
    writeFileSync(join(home.path, 'service', 'gateway-service.json'), JSON.stringify(left));
    expect(await status()).toMatchObject({ status: 'stopped' });
    expect((await gateway(['stop'])).json()).toMatchObject({ stopped: false });
  });

  it('restart keeps the channels, flags and port that it was started with', async () => {
    const { gateway, state } = await runningGateway(
      '--pairing-policy=allowlist',
      '--tool-allow=time.now,shell.pwd',
      '--no-memory',
    );
    const before = state();
    expect((await gateway(['restart'])).code).toBe(0);
    expect(state()).toMatchObject({ flags: before.flags, channels: before.channels });
    expect(state().port).toBe(before.port);
    expect(state().flags).toEqual({
      port: before.port,
      pairingPolicy: 'allowlist',
      toolAllow: ['time.now', 'shell.pwd'],
      memory: false,
    });
    expect(state().pid).not.toBe(before.pid);
  });

  it('a restart with settings that cannot be used is refused, and it keeps running', async () => {
    const { gateway, home, state, status } = await runningGateway();
    const { pid } = state();
    writeFileSync(join(home.path, 'gateway.json'), '{"version":1,"default":{"pairingPolicy":"anyone"}}');
    const refused = await gateway(['restart']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr + refused.stdout).toContain('pairingPolicy');
    expect(await status()).toMatchObject({ status: 'running', pid });
  });

  it('a restart with a bot that its platform refuses runs again with those that ran before', async () => {
    const { gateway, home, state, status } = gatewayHome({ inMemory: true });
    await gateway(['config', 'set', '--channel=telegram', 'botToken=-'], { stdin: `${TOKEN}\n` });
    await gateway(['start', '--daemon', '--channel=telegram']);
    const { pid } = state();
    await gateway(['config', 'set', '--channel=local', `folder=${home.base}/fails`]);
    const refused = await gateway(['restart', '--set-up']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr + refused.stdout).toContain('the platform refuses the credentials');
    expect(await status()).toMatchObject({ status: 'running', channels: ['telegram'] });
    expect(state().pid).not.toBe(pid);
  });

  it('a defect that ends it is in the log', async () => {
    const { gateway, home, log } = gatewayHome({ inMemory: true });
    await gateway(['config', 'set', '--channel=local', `folder=${home.base}/crashes`]);
    await gateway(['start', '--daemon', '--channel=local']);
    await eventually(() => expect(log()).toContain('"event":"crashed","message":"Error: nobody catches this'));
  });
});

describe('while it runs', () => {
  it('takes up changed settings, names what needs a restart, and keeps the old ones when the file cannot be used', async () => {
    const { gateway, status, log, home } = await runningGateway();
    await gateway(['config', 'set', 'pairingPolicy=open', 'port=4242']);
    await eventually(() => expect(log()).toContain('now in use: local/default.pairingPolicy; after a restart: port'));
    expect((await status()).settings).toEqual({ restartNeeded: ['port'] });
    const path = join(home.path, 'gateway.json');
    const good = readFileSync(path, 'utf8');
    writeFileSync(path, good.replace('"open"', '"anyone"'));
    await eventually(() => expect(log()).toContain('settings-refused'));
    expect((await status()).settings.problem).toContain('default.pairingPolicy is "anyone"; accepted: open, allowlist');
    writeFileSync(path, good);
    await eventually(async () => expect((await status()).settings).toEqual({ restartNeeded: ['port'] }));
  });

  it('send_message goes through it from another process, to listed chats only', async () => {
    const { gateway, home, log } = await runningGateway('--send-allow=local:friends');
    const send = (chatId: string) =>
      lainclaw(
        ['tools', 'invoke', 'send_message', '--args', JSON.stringify({ channel: 'local', chatId, text: 'hello' })],
        { home },
      );
    expect((await send('friends')).json()).toMatchObject({
      result: { ok: true, data: { queued: true, account: 'default' } },
    });
    expect(log()).toContain('"event":"send-queued"');
    const refused = await send('strangers');
    expect(refused.code).toBe(1);
    expect(refused.json()).toMatchObject({
      result: {
        ok: false,
        error: { code: 'execution_error', reason: 'denied', message: expect.stringContaining('sendAllow') },
      },
    });
    await gateway(['config', 'set', 'sendAllow=local:strangers']);
    await gateway(['stop']);
    const stopped = await send('friends');
    expect(stopped.json()).toMatchObject({
      result: { error: { message: 'the gateway is not running: start it with "lainclaw gateway start --daemon"' } },
    });
  });

  it('dead letters are in the status and can be sent again', async () => {
    const { gateway, home, status } = await runningMemoryGateway('--send-allow=local:gone-away');
    const args = JSON.stringify({ channel: 'local', chatId: 'gone-away', text: 'hello' });
    await lainclaw(['tools', 'invoke', 'send_message', '--args', args], { home });
    const told = await status();
    expect(told).toMatchObject({
      mailbox: { dead: 1 },
      deadLetters: [
        { key: 'key-1', channel: 'local', chatId: 'gone-away', lastError: 'the chat is gone', attempts: 3 },
      ],
    });
    expect(JSON.stringify(told)).not.toContain('hello');
    const unknown = await gateway(['retry', 'nothing']);
    expect([unknown.code, unknown.json()]).toMatchObject([1, { error: { code: 'DEAD_LETTER_NOT_FOUND' } }]);
    expect((await gateway(['retry'])).json()).toEqual({ retried: 1 });
    expect((await status()).mailbox.dead).toBe(0);
  });

  it('its log is shown from the end and followed, and holds no secret; neither does anything else it leaves', async () => {
    const { gateway, home, log } = gatewayHome({ inMemory: true });
    await gateway(['config', 'set', '--channel=telegram', 'botToken=-'], { stdin: `${TOKEN}\n` });
    await gateway(['start', '--daemon', '--channel=telegram']);
    const control = readFileSync(join(home.path, 'service', 'gateway-token'), 'utf8');
    const told = [log(), (await gateway(['status'])).stdout, (await gateway(['config', 'show'])).stdout];
    told.push(readFileSync(join(home.path, 'service', 'gateway-service.json'), 'utf8'));
    expect(log()).toContain('[secret]');
    for (const text of told) for (const secret of [TOKEN, 'SECRET', control]) expect(text).not.toContain(secret);

    const two = (await gateway(['logs', '-n', '2'])).stdout.trim().split('\n');
    expect(two.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(['starting', 'ready']);
    expect((await gateway(['logs', '-n', '1', '--text'])).stdout).toMatch(
      /^\d{4}-\d\d-\d\d\n\d\d:\d\d:\d\d gateway +ready telegram; port \d+\n$/,
    );
    const following = startLainclaw(['gateway', 'logs', '-f'], { home });
    await following.saw('"event":"ready"');
    await gateway(['stop']);
    await following.saw('"event":"stopped"');
    following.kill('SIGINT');
    await following.ended;
  });

  it('every start has a new token, and the old one is refused', async () => {
    const { gateway, home, state } = await runningGateway();
    const read = (): string => readFileSync(join(home.path, 'service', 'gateway-token'), 'utf8');
    const old = read();
    await gateway(['restart']);
    expect(read()).not.toBe(old);
    const ask = (token: string) =>
      fetch(`http://127.0.0.1:${state().port}/health`, { headers: { authorization: `Bearer ${token}` } });
    expect([(await ask(old)).status, (await ask(read())).status]).toEqual([401, 200]);
  });
});

it('answers while another program holds the database locked, and handles what came meanwhile afterwards', async () => {
  const { home, state, status } = await runningGateway('--pairing-policy=open');
  const folder = join(home.path, 'channels', 'local');
  const write = (id: string): void =>
    appendFileSync(join(folder, 'inbox.jsonl'), `${JSON.stringify({ id, chatId: 'a', senderId: 'a', text: id })}\n`);
  const outbox = (): string => readFileSync(join(folder, 'outbox.jsonl'), 'utf8');
  write('first');
  await eventually(() => expect(outbox()).toContain('first'));
  const token = readFileSync(join(home.path, 'service', 'gateway-token'), 'utf8');
  const other = new DatabaseSync(join(home.path, 'lainclaw.db'));
  other.exec('BEGIN IMMEDIATE');
  write('second');
  // For as long as SQLite itself would have waited on the main thread.
  for (const until = Date.now() + 6_000; Date.now() < until; ) {
    // Sooner than a main thread that waits for the lock would answer.
    const signal = AbortSignal.timeout(4_500);
    const health = fetch(`http://127.0.0.1:${state().port}/health`, {
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
    expect((await health).status).toBe(200);
    expect((await status()).mailbox).toMatchObject({ inbox: 0 });
  }
  expect(outbox()).not.toContain('second');
  other.exec('COMMIT');
  other.close();
  await eventually(() => expect(outbox()).toContain('second'));
});

it('install writes the file that starts it, uninstall removes it', async () => {
  const { gateway, home } = gatewayHome();
  const written = await gateway(['install', '--channel=telegram', '--model=small']);
  expect(written.stderr).toContain('it will not start before this is done:\ntelegram (default) needs botToken');
  const { path, next } = written.json<{ path: string; next: string[] }>();
  expect(path).toBe(join(home.base, '.config', 'systemd', 'user', 'lainclaw-gateway.service'));
  expect(next).toEqual(['systemctl --user daemon-reload', 'systemctl --user enable --now lainclaw-gateway.service']);
  expect(readFileSync(path, 'utf8')).toContain(
    `ExecStart=${lastingCommand([process.execPath, BINARY])
      .map((word) => `"${word}"`)
      .join(' ')} "gateway" "start" "--channel=telegram" "--model=small"\nEnvironment="LAINCLAW_HOME=${home.path}"`,
  );
  expect((await gateway(['uninstall'])).json()).toMatchObject({ removed: path });
  expect(existsSync(path)).toBe(false);
  expect((await gateway(['uninstall'])).code).toBe(1);
});
