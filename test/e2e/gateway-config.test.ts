import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { CHANNEL_NAMES } from '../../src/channels/channel-table.ts';
import type { Home } from '../support/home.ts';
import { type Finished, lainclaw, type RunOptions, startTerminal } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

const TOKEN = '123456:SECRET-of-a-bot';
let home: Home;
beforeEach(() => {
  home = testHome();
});
const config = (args: readonly string[], options: Partial<RunOptions> = {}): Promise<Finished> =>
  lainclaw(['gateway', 'config', ...args], { home, ...options });
const file = (): unknown => JSON.parse(readFileSync(join(home.path, 'gateway.json'), 'utf8'));
const errorOf = (finished: Finished) => finished.json<{ error: { code: string; message: string } }>().error;

describe('set, show, clear', () => {
  it('keys and flags go into the layer that is named; show hides secrets; clear empties one layer', async () => {
    expect((await config(['set', 'provider=stub', '--pairing-policy', 'allowlist', '--no-memory'])).code).toBe(0);
    expect(
      (await config(['set', '--channel', 'telegram', 'botToken=-', 'toolMaxSteps=7'], { stdin: `${TOKEN}\n` })).code,
    ).toBe(0);
    await config(['set', '--channel=telegram', '--account=work', 'botToken=env:WORK_TOKEN', 'pairingAllowFrom=1,2']);
    const telegram = {
      botToken: TOKEN,
      toolMaxSteps: 7,
      accounts: { work: { botToken: { env: 'WORK_TOKEN' }, pairingAllowFrom: ['1', '2'] } },
    };
    expect(file()).toEqual({
      version: 1,
      default: { provider: 'stub', pairingPolicy: 'allowlist', memory: false },
      channels: { telegram },
    });
    expect((statSync(join(home.path, 'gateway.json')).mode & 0o777).toString(8)).toBe('600');
    expect((await config(['show', '--channel', 'telegram'])).json()).toEqual({ ...telegram, botToken: '***' });
    const text = (await config(['show', '--text'])).stdout;
    expect(text).toContain('telegram.botToken = "***"\n');
    expect(text).toContain('telegram/work.botToken = {"env":"WORK_TOKEN"}\n');

    await config(['set', '--channel=telegram', 'toolMaxSteps=']);
    await config(['clear', '--channel=telegram', '--account=work']);
    expect(file()).toMatchObject({ channels: { telegram: { botToken: TOKEN, accounts: {} } } });
    await config(['clear']);
    expect(file()).toEqual({ version: 1, default: {}, channels: { telegram: { botToken: TOKEN, accounts: {} } } });
    expect((await config(['clear', '--channel', 'telegram'])).code).toBe(0);
    expect(file()).toEqual({ version: 1, default: {}, channels: {} });
    expect((await config(['path', '--text'])).stdout).toBe(`${join(home.path, 'gateway.json')}\n`);
  });

  it('a secret is asked for on a terminal, and not shown', async () => {
    const running = startTerminal(['gateway', 'config', 'set', '--channel=telegram', 'botToken=-'], { home });
    await running.saw('botToken (it is not shown; Enter ends it): ');
    await running.write(`${TOKEN}\r`);
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(stdout).toContain('set telegram.botToken in ');
    expect(stdout).not.toContain(TOKEN);
    expect(readFileSync(join(home.path, 'gateway.json'), 'utf8')).toContain(TOKEN);
  });

  it.each([
    [['pairingPolicy=everyone'], 'pairingPolicy is "everyone"; accepted: open, allowlist, pairing, disabled'],
    [['--pairing-policy=everyone'], 'open, allowlist, pairing, disabled'],
    [
      ['toolMaxSteps=0', 'modle=x'],
      'toolMaxSteps is 0; accepted: a whole number of at least 1; "modle" is not a setting (did you mean model?)',
    ],
    [['botToken=1:a'], 'botToken is a setting of telegram: add --channel telegram'],
    [['--channel=telegram', 'port=1'], 'port is of the whole gateway: set it without --channel'],
    [['--channel=telegram', 'botToken=SECRET'], 'botToken is ***; accepted: the token from @BotFather'],
    [['--channel=telegrm', 'model=x'], 'Did you mean telegram?'],
    [['--channel=local', '--account=Big One', 'model=x'], 'small letters, digits'],
    [['--account=work', 'model=x'], '--account goes with --channel'],
    [['sendAllow=123'], 'chats as channel:chatId'],
    [['model'], 'model needs a value'],
    [['provider=opnai'], 'there is no provider "opnai"; accepted: stub, '],
    [['--channel=telegram', 'botToken=-'], 'nothing came on standard input for botToken'],
    [['__proto__=x'], '"__proto__" is not a setting'],
    [[], 'config set needs settings'],
  ])('set %j is wrong usage, says what is accepted, and changes nothing', async (args, message) => {
    const finished = await config(['set', ...args]);
    expect(finished.code).toBe(2);
    expect(errorOf(finished).message).toContain(message);
    expect(errorOf(finished).message).not.toContain('SECRET');
    expect(home.exists()).toBe(false);
  });

  it('many at once lose nothing', async () => {
    const keys = ['model=m', 'profile=p', 'groups=true', 'debounceMs=1', 'toolMaxSteps=2', 'port=3'];
    await Promise.all(keys.map((pair) => config(['set', pair])));
    expect(file()).toMatchObject({
      default: { model: 'm', profile: 'p', groups: true, debounceMs: 1, toolMaxSteps: 2, port: 3 },
    });
  });
});

describe('a file that cannot be used', () => {
  const damage = async (text: string): Promise<void> => {
    await config(['set', 'model=m']);
    writeFileSync(join(home.path, 'gateway.json'), text);
  };

  it('is reported with every problem at once, and is neither changed nor used', async () => {
    const text = `{"version":1,"default":{"pairingPolicy":"everyone","toolMaxStep":1},"channels":{"telegram":{"botToken":7,"bottoken":"${TOKEN}"}}}`;
    await damage(text);
    for (const args of [
      ['config', 'validate'],
      ['config', 'set', 'model=x'],
      ['start', '--channel=telegram'],
      ['start', '--channel=telegram', '--daemon'],
    ]) {
      const finished = await lainclaw(['gateway', ...args], { home });
      expect(finished.code, args.join(' ')).toBe(1);
      const { code, message } = errorOf(finished);
      expect(code).toBe('CONFIG_INVALID');
      for (const part of [
        'default.pairingPolicy is "everyone"; accepted: open',
        '"toolMaxStep" is not a setting (did you mean "toolMaxSteps"?)',
        'channels.telegram.botToken is ***; accepted: the token',
        'channels.telegram."bottoken" is not a setting (did you mean "botToken"?)',
      ])
        expect(message).toContain(part);
      expect(finished.stdout + finished.stderr).not.toContain('SECRET');
    }
    expect(readFileSync(join(home.path, 'gateway.json'), 'utf8')).toBe(text);
  });

  it('that is not JSON names the place, never the text', async () => {
    await damage(`{"version":1,\n"channels":{"telegram":{"botToken":"${TOKEN}" oops}}}`);
    const finished = await config(['validate']);
    expect(errorOf(finished).message).toMatch(/gateway\.json is not valid JSON: look at line 2, column \d+$/);
    expect(finished.stdout + finished.stderr).not.toContain('SECRET');
  });
});

describe('start without what it needs', () => {
  it('refuses with the exact command, which works', async () => {
    const refused = await lainclaw(['gateway', 'start', '--channel', 'telegram'], { home });
    expect(refused.code).toBe(1);
    const [, command = ''] =
      /needs botToken; set it with lainclaw (gateway config set [^(]+) \(/.exec(errorOf(refused).message) ?? [];
    expect((await lainclaw(command.split(' '), { home, stdin: `${TOKEN}\n` })).code).toBe(0);
    expect((await config(['validate'])).json()).toMatchObject({ valid: true, bots: ['telegram/default'] });
  });

  it.each([
    [['--pairing-policy', 'anyone'], '--pairing-policy'],
    [['--channel', 'irc'], CHANNEL_NAMES.join(', ')],
    [['--tool-max-steps=0'], 'at least 1'],
    [['--bot-token=1:a'], '--bot-token'],
  ])('start %j is wrong usage', async (flags, message) => {
    const finished = await lainclaw(['gateway', 'start', ...flags], { home });
    expect(finished.code).toBe(2);
    expect(finished.stderr).toContain(message);
    expect(home.exists()).toBe(false);
  });
});
