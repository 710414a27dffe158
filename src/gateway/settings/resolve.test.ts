import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadChannelTable } from '../../channels/channel-table.ts';
import { readEnvironment } from '../../config/environment.ts';
import { compareGateways, takeUp } from './compare.ts';
import { emptyFile, type GatewayFile } from './gateway-file.ts';
import { type ResolveInput, resolveGateway } from './resolve.ts';

const definitions = await loadChannelTable();
const home = mkdtempSync(join(tmpdir(), 'lainclaw-gateway-settings-'));
afterAll(() => rmSync(home, { recursive: true }));

const TOKEN = '1:abc';
const input = (changed: Partial<ResolveInput> = {}, variables: Record<string, string> = {}): ResolveInput => ({
  file: emptyFile(),
  flags: {},
  channels: ['local'],
  definitions,
  config: { provider: 'stub' },
  providerProblem: (name) => (name === 'opnai' ? 'there is no provider "opnai"' : undefined),
  environment: { ...readEnvironment({ variables, cwd: '/cwd', program: [], version: '1.2.3' }), home },
  ...changed,
});
const file = (changed: Partial<GatewayFile>): GatewayFile => ({ ...emptyFile(), ...changed });

describe('precedence', () => {
  const layers = file({
    default: { toolMaxSteps: 2 },
    channels: { local: { toolMaxSteps: 4, accounts: { a: { toolMaxSteps: 5 }, b: {} } } },
  });
  const stepsOf = async (changed: Partial<ResolveInput>, variables?: Record<string, string>) =>
    (await resolveGateway(input(changed, variables))).bots.map(({ account, settings }) => [
      account,
      settings.toolMaxSteps,
    ]);

  it('built-in, default layer, channel, account, environment, flag', async () => {
    expect(await stepsOf({})).toEqual([['default', 25]]);
    expect(await stepsOf({ file: file({ default: { toolMaxSteps: 2 } }) })).toEqual([['default', 2]]);
    expect(await stepsOf({ file: layers })).toEqual([
      ['a', 5],
      ['b', 4],
    ]);
    expect(await stepsOf({ file: layers }, { LAINCLAW_GATEWAY_TOOL_MAX_STEPS: '6' })).toEqual([
      ['a', 6],
      ['b', 6],
    ]);
    expect(
      await stepsOf({ file: layers, flags: { toolMaxSteps: 7 } }, { LAINCLAW_GATEWAY_TOOL_MAX_STEPS: '6' }),
    ).toEqual([
      ['a', 7],
      ['b', 7],
    ]);
  });

  it('a model belongs to the provider that is set beside it', async () => {
    const modelOf = async (changed: Partial<ResolveInput>, variables?: Record<string, string>) => {
      const { bots } = await resolveGateway(input(changed, variables));
      return [bots[0]?.settings.provider, bots[0]?.settings.model];
    };
    const config = { provider: 'openai', model: 'gpt', modelFor: 'openai' };
    expect(await modelOf({ config })).toEqual(['openai', 'gpt']);
    expect(await modelOf({ config }, { LAINCLAW_PROVIDER: 'anthropic' })).toEqual(['anthropic', undefined]);
    expect(await modelOf({ config, file: file({ default: { provider: 'anthropic' } }) })).toEqual([
      'anthropic',
      undefined,
    ]);
    expect(await modelOf({ config, file: file({ default: { model: 'small' } }) })).toEqual(['openai', 'small']);
    const both = file({
      default: { provider: 'anthropic', model: 'opus' },
      channels: { local: { provider: 'openai' } },
    });
    expect(await modelOf({ config, file: both })).toEqual(['openai', 'gpt']);
  });

  it('jobs: default layer, their own layer, environment, flag, flag of their own; nothing of a bot', async () => {
    const jobsOf = async (changed: Partial<ResolveInput>, variables?: Record<string, string>) =>
      (await resolveGateway(input(changed, variables))).jobs;
    const ofBot = file({ channels: { local: { provider: 'openai', model: 'gpt', toolAllow: ['echo'] } } });
    expect(await jobsOf({ file: ofBot })).toEqual({ withTools: true, provider: 'stub', mode: 'never' });
    const byDefault = { provider: 'openai', model: 'gpt', toolMaxSteps: 2, memory: true };
    expect(await jobsOf({ file: file({ default: byDefault }) })).toEqual({
      withTools: true,
      mode: 'never',
      ...byDefault,
    });
    // What is chosen for chats is not chosen for jobs.
    expect(await jobsOf({ file: file({ default: { mode: 'auto' } }), flags: { mode: 'auto' } })).toMatchObject({
      mode: 'never',
    });
    expect(await jobsOf({ file: file({ jobs: { mode: 'auto' } }) })).toMatchObject({ mode: 'auto' });
    const own = file({ default: byDefault, jobs: { provider: 'anthropic', withTools: false } });
    const expected = { mode: 'never', provider: 'anthropic', withTools: false, toolMaxSteps: 2, memory: true };
    expect(await jobsOf({ file: own })).toEqual(expected);
    expect(await jobsOf({ file: own }, { LAINCLAW_GATEWAY_MEMORY: 'off' })).toEqual({ ...expected, memory: false });
    const flags = { toolMaxSteps: 7, withTools: true, jobsWithTools: false };
    expect(await jobsOf({ file: own, flags })).toEqual({ ...expected, toolMaxSteps: 7 });
  });

  it('an empty list of tools means all, also over a list in the file', async () => {
    const limited = file({ default: { toolAllow: ['time.now'] }, jobs: { toolAllow: [] } });
    const { bots, jobs } = await resolveGateway(input({ file: limited, flags: { toolAllow: [] } }));
    expect([bots[0]?.settings, jobs]).not.toContainEqual(expect.objectContaining({ toolAllow: expect.anything() }));
    const kept = await resolveGateway(input({ file: limited }));
    expect([kept.bots[0]?.settings.toolAllow, kept.jobs.toolAllow]).toEqual([['time.now'], undefined]);
  });

  it('a provider of the jobs that does not exist is refused', async () => {
    const refused = resolveGateway(input({ channels: [], file: file({ jobs: { provider: 'opnai' } }) }));
    await expect(refused).rejects.toThrow('there is no provider "opnai"');
  });

  it('the workspace of the gateway is its own unless it is said', async () => {
    const workspaceOf = async (changed: Partial<ResolveInput>, variables?: Record<string, string>) =>
      (await resolveGateway(input(changed, variables))).service.workspace;
    expect(await workspaceOf({})).toBe(join(home, 'workspace'));
    expect(await workspaceOf({}, { LAINCLAW_WORKSPACE: 'here' })).toBe('/cwd/here');
    expect(await workspaceOf({ flags: { workspace: '/there' } }, { LAINCLAW_WORKSPACE: 'here' })).toBe('/there');
  });
});

describe('bots', () => {
  it('secrets come from the file, a variable it names, another file, or the environment', async () => {
    writeFileSync(join(home, 'token'), `${TOKEN}\n`);
    const tokenOf = async (botToken: unknown, variables: Record<string, string> = {}) => {
      const telegram = botToken === undefined ? {} : { botToken };
      const { bots, secrets } = await resolveGateway(
        input({ channels: ['telegram'], file: file({ channels: { telegram } }) }, variables),
      );
      expect(secrets).toEqual([TOKEN]);
      return bots[0]?.own;
    };
    const expected = { botToken: TOKEN, mode: 'polling', apiRoot: 'https://api.telegram.org' };
    expect(await tokenOf(TOKEN)).toEqual(expected);
    expect(await tokenOf({ env: 'MINE' }, { MINE: ` ${TOKEN} ` })).toEqual(expected);
    expect(await tokenOf({ file: 'token' })).toEqual(expected);
    expect(await tokenOf(undefined, { LAINCLAW_TELEGRAM_BOT_TOKEN: TOKEN })).toEqual(expected);
  });

  it('what is missing comes with the command that sets it, everything at once', async () => {
    const telegram = { mode: 'webhook', accounts: { work: { botToken: { env: 'NOT_SET' } } } };
    const refused = resolveGateway(
      input({
        channels: ['feishu', 'telegram'],
        file: file({ default: { provider: 'opnai' }, channels: { telegram } }),
      }),
    );
    await expect(refused).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const message = String(await refused.catch((error: Error) => error.message));
    expect(message.split('\n')).toEqual([
      'there is no provider "opnai"',
      'feishu (default) needs appId; set it with lainclaw gateway config set --channel feishu appId=<appId>, or set LAINCLAW_FEISHU_APP_ID',
      'feishu (default) needs appSecret; set it with lainclaw gateway config set --channel feishu appSecret=- (then paste it), or set LAINCLAW_FEISHU_APP_SECRET',
      'telegram (work): botToken cannot be read: the variable NOT_SET is not set',
      'telegram (work) needs webhookUrl; set it with lainclaw gateway config set --channel telegram --account work webhookUrl=<webhookUrl>',
      'telegram (work) needs webhookSecret; set it with lainclaw gateway config set --channel telegram --account work webhookSecret=- (then paste it)',
    ]);
  });

  it('a named account shares the channel’s mode, never its bot', async () => {
    const telegram = { botToken: TOKEN, apiRoot: 'http://localhost:1', accounts: { work: { botToken: '2:def' } } };
    const { bots } = await resolveGateway(input({ channels: ['telegram'], file: file({ channels: { telegram } }) }));
    expect(bots.map(({ account, own }) => [account, own])).toEqual([
      ['default', { botToken: TOKEN, apiRoot: 'http://localhost:1', mode: 'polling' }],
      ['work', { botToken: '2:def', apiRoot: 'http://localhost:1', mode: 'polling' }],
    ]);
    const shared = file({ channels: { telegram: { botToken: TOKEN, accounts: { work: {} } } } });
    await expect(resolveGateway(input({ channels: ['telegram'], file: shared }))).rejects.toThrow(
      'telegram (work) needs botToken',
    );
  });

  it('one bot under two names is refused, and so is a variable that cannot be used', async () => {
    const twice = file({ channels: { telegram: { botToken: TOKEN, accounts: { work: { botToken: TOKEN } } } } });
    await expect(resolveGateway(input({ channels: ['telegram'], file: twice }))).rejects.toThrow('are the same bot');
    const variables = { LAINCLAW_GATEWAY_PAIRING_POLICY: 'anyone', LAINCLAW_TELEGRAM_BOT_TOKEN: 'SECRET' };
    const refused = resolveGateway(input({ channels: ['telegram'] }, variables));
    await expect(refused).rejects.toThrow(
      'LAINCLAW_GATEWAY_PAIRING_POLICY is "anyone"; accepted: open, allowlist, pairing, disabled',
    );
    expect(await refused.catch((error: Error) => error.message)).not.toContain('SECRET');
  });
});

it('a running gateway takes up what it can, and names what needs a restart', async () => {
  const before = await resolveGateway(input({ file: file({ default: { model: 'a', port: 0 } }) }));
  const changed = file({
    default: { model: 'b', port: 9 },
    channels: { local: { pairingPolicy: 'open', folder: '/elsewhere' } },
  });
  const after = await resolveGateway(input({ file: changed, channels: ['local'] }));
  expect(compareGateways(before, after)).toEqual({
    live: ['jobs.model', 'local/default.pairingPolicy', 'local/default.model'],
    restart: ['port', 'local/default.folder'],
  });
  const running = takeUp(before, after);
  expect(running.service.port).toBe(0);
  expect(running.jobs.model).toBe('b');
  expect(running.bots[0]).toMatchObject({ settings: { model: 'b', pairingPolicy: 'open' }, own: before.bots[0]?.own });
});
