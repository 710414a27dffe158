import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { loadChannelTable } from '../../channels/channel-table.ts';
import { createLocalStorage } from '../../storage/local/local-storage.ts';
import type { ResolvedBot } from '../settings/resolve.ts';
import { settingsOf } from '../settings/settings.ts';
import { identify, isRunning, signalProcess } from './process-identity.ts';
import { botFor } from './send-target.ts';
import { createServiceLog } from './service-log.ts';
import { createServiceStates, type ServiceState } from './service-state.ts';
import { unitFile } from './unit-file.ts';
import { watchFile } from './watch-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lainclaw-service-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a process is known by more than its number', () => {
  it('itself is running; one with another start is not, and is never signalled', async () => {
    const me = await identify(process.pid);
    if (!me) return expect.unreachable();
    expect(await isRunning(me)).toBe(true);
    const recycled = { ...me, pidStart: `${me.pidStart}0` };
    expect(await isRunning(recycled)).toBe(false);
    expect(await signalProcess(recycled, 'SIGKILL')).toBe(false);
  });

  it('one that has ended is not running', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    const identity = await identify(child.pid ?? 0);
    if (!identity) return expect.unreachable();
    expect(await signalProcess(identity, 'SIGTERM')).toBe(true);
    await once(child, 'exit');
    expect(await isRunning(identity)).toBe(false);
    expect(await identify(-1)).toBeUndefined();
  });
});

describe('the state file', () => {
  const state = (changed: Partial<ServiceState>): ServiceState => ({
    channel: 'local',
    channels: ['local'],
    pid: 1,
    pidStart: 'x',
    startedAt: '',
    command: '',
    statePath: '',
    logPath: '',
    version: '',
    port: 1,
    flags: {},
    ...changed,
  });

  it('names a gateway that runs, not one whose number was used again, and is cleared by its owner alone', async () => {
    const storage = createLocalStorage({ home: folder, now: Date.now });
    const states = createServiceStates(storage.machineFiles);
    expect(await states.running()).toBeUndefined();
    const me = await identify(process.pid);
    await states.write(state({ ...me }), 'token');
    expect(await states.running()).toMatchObject({ pid: process.pid });
    expect(await states.token()).toBe('token');
    await states.clear({ pid: process.pid, pidStart: 'of another' });
    expect(await states.read()).toBeDefined();
    await states.write(state({ ...me, pidStart: 'of another' }), 'token');
    expect(await states.running()).toBeUndefined();
    await states.clear({ pid: process.pid, pidStart: 'of another' });
    expect([await states.read(), await states.token()]).toEqual([undefined, undefined]);
    writeFileSync(states.statePath, '{"pid":');
    await expect(states.running()).rejects.toMatchObject({ code: 'GATEWAY_STATE_DAMAGED' });
  });
});

describe('the log', () => {
  const linesOf = (name = 'log'): Record<string, unknown>[] =>
    readFileSync(join(folder, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('is one JSON object a line, private, and holds no secret in any field', () => {
    const shown: string[] = [];
    const secrets = ['12345:tele"gram'];
    const log = createServiceLog({
      path: join(folder, 'log'),
      secrets: () => secrets,
      now: () => 0,
      onLine: (line) => shown.push(line),
    });
    log.write({ level: 'info', event: 'a', channel: 'telegram', message: 'two\nlines with 12345:tele"gram in it' });
    log.write({
      level: 'error',
      event: 'b',
      detail: { nested: ['12345:tele"gram'] },
      message: 'Authorization: Bearer abcdefghijklmnop',
    });
    log.close();
    log.write({ level: 'info', event: 'after its end' });
    expect(linesOf().map(({ event }) => event)).toEqual(['a', 'b']);
    expect(linesOf()[0]).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      channel: 'telegram',
      event: 'a',
      message: 'two\nlines with [secret] in it',
    });
    const text = readFileSync(join(folder, 'log'), 'utf8');
    for (const secret of ['12345', 'abcdefghijklmnop']) expect(text + shown.join()).not.toContain(secret);
    expect((statSync(join(folder, 'log')).mode & 0o777).toString(8)).toBe('600');
  });

  it('is bounded: older files are kept by number, the oldest goes', () => {
    const log = createServiceLog({
      path: join(folder, 'log'),
      secrets: () => [],
      now: () => 0,
      maxBytes: 1_000,
      keep: 2,
    });
    for (let index = 0; index < 100; index += 1) log.write({ level: 'info', event: `number-${index}` });
    log.write({ level: 'info', event: 'long', message: 'x'.repeat(1_000_000) });
    log.close();
    expect(readdirSync(folder).toSorted()).toEqual(['log', 'log.1', 'log.2']);
    expect(linesOf().at(-1)).toMatchObject({ event: 'long' });
    expect(linesOf('log.1').at(-1)).toMatchObject({ event: 'number-99' });
    for (const name of ['log', 'log.1', 'log.2']) expect(statSync(join(folder, name)).size).toBeLessThan(10_000);
  });

  it('continues when nobody reads any more', () => {
    const path = join(folder, 'quiet.log');
    const onLine = (): void => {
      throw new Error('no space left on device');
    };
    const log = createServiceLog({ path, secrets: () => [], now: () => 0, onLine });
    log.write({ level: 'info', event: 'ready' });
    log.close();
    expect(readFileSync(path, 'utf8')).toContain('ready');
  });
});

describe('who may be written to', () => {
  const bot = (channel: string, account: string, sendAllow: string[]): ResolvedBot =>
    ({ channel, account, settings: { sendAllow } }) as ResolvedBot;
  const all = ['telegram:1', 'telegram/work:2', 'feishu:oc_3'];
  const bots = [
    bot('telegram', 'home', all),
    bot('telegram', 'default', all),
    bot('telegram', 'work', all),
    bot('feishu', 'default', ['feishu:4']),
  ];

  it.each([
    ['telegram', '1', 'default'],
    ['telegram', '2', 'work'],
    ['telegram', '3', undefined],
    ['feishu', '1', undefined],
    ['feishu', 'oc_3', undefined],
    ['feishu', '4', 'default'],
    ['local', '1', undefined],
    ['telegram', '', undefined],
  ])('%s:%s by %s', (channel, chatId, account) => {
    expect(botFor({ channel, chatId }, bots)?.account).toBe(account);
  });

  it('a chat with all its topics; a topic that is listed alone, without its chat', () => {
    const listing = [bot('telegram', 'default', ['telegram:1', 'telegram:2/7'])];
    const account = (chatId: string, threadId?: string) =>
      botFor({ channel: 'telegram', chatId, threadId }, listing)?.account;
    expect([account('1'), account('1', '5'), account('2', '7')]).toEqual(['default', 'default', 'default']);
    expect([account('2'), account('2', '5'), account('7')]).toEqual([undefined, undefined, undefined]);
  });
});

it('a replaced, changed, removed or new file is noticed', async () => {
  const path = join(folder, 'gateway.json');
  const ended = new AbortController();
  let changes = 0;
  const count = async (): Promise<void> => {
    changes += 1;
  };
  await watchFile(path, count, ended.signal);
  for (const change of [() => writeFileSync(path, 'a'), () => writeFileSync(path, 'ab'), () => rmSync(path)]) {
    const before = changes;
    change();
    writeFileSync(join(folder, 'another'), 'x');
    await eventually(() => expect(changes).toBeGreaterThan(before));
  }
  ended.abort();
});

describe('the file for the system', () => {
  const options = {
    command: [
      '/usr/bin/node',
      '/opt/lain claw/bin/lainclaw.js',
      'gateway',
      'start',
      '--channel=telegram',
      '--model=100%"$x',
    ],
    userHome: '/home/me',
    environment: { LAINCLAW_HOME: '/srv/50% lain' },
  };

  it('is a systemd user unit', () => {
    expect(unitFile({ ...options, platform: 'linux' })).toEqual({
      path: '/home/me/.config/systemd/user/lainclaw-gateway.service',
      text: `[Unit]
Description=Lainclaw gateway
Wants=network-online.target
After=network-online.target

[Service]
Type=simple
ExecStart="/usr/bin/node" "/opt/lain claw/bin/lainclaw.js" "gateway" "start" "--channel=telegram" "--model=100%%\\"$$x"
Environment="LAINCLAW_HOME=/srv/50%% lain"
Environment="MALLOC_ARENA_MAX=2"
Restart=on-failure
RestartSec=5
TimeoutStopSec=40
UMask=0077
NoNewPrivileges=true

[Install]
WantedBy=default.target
`,
      start: ['systemctl --user daemon-reload', 'systemctl --user enable --now lainclaw-gateway.service'],
      stop: ['systemctl --user disable --now lainclaw-gateway.service'],
    });
    expect(unitFile({ ...options, platform: 'linux', configHome: '/cfg' }).path).toBe(
      '/cfg/systemd/user/lainclaw-gateway.service',
    );
  });

  it('is a launchd agent', () => {
    const { path, text, start } = unitFile({ ...options, platform: 'darwin', command: ['/node', 'a<b>&c'] });
    expect(path).toBe('/home/me/Library/LaunchAgents/dev.lainclaw.gateway.plist');
    expect(start).toEqual([`launchctl load -w ${path}`]);
    expect(text).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>dev.lainclaw.gateway</string>
  <key>ProgramArguments</key>
  <array>
    <string>/node</string>
    <string>a&lt;b&gt;&amp;c</string>
  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>LAINCLAW_HOME</key>
    <string>/srv/50% lain</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>Umask</key>
  <integer>63</integer>
  <key>ExitTimeOut</key>
  <integer>40</integer>
</dict>
</plist>
`);
  });
});

describe('the settings', () => {
  it('are all in the documentation', async () => {
    const channels = await loadChannelTable();
    const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'gateway', 'service.md'), 'utf8');
    const layers = [{}, ...[...channels.keys()].map((channel) => ({ channel }))];
    const missing = layers
      .flatMap((layer) => Object.keys(settingsOf(layer, channels)))
      .filter((key) => !page.includes(`\`${key}\``));
    expect(missing).toEqual([]);
  });
});
