import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadChannelTable } from '../../channels/channel-table.ts';
import {
  formatGatewayFile,
  maskedFile,
  parseGatewayFile,
  problemsOf,
  withoutLayer,
  withSettings,
} from './gateway-file.ts';

const channels = await loadChannelTable();
const TOKEN = '123456:SECRET-token_of-a-bot';

it('every problem is listed at once, each with its path, its value and what is accepted', () => {
  const problems = problemsOf(
    {
      version: 2,
      defaults: {},
      jobs: { provider: 7, groups: true, port: 1, modle: 'x' },
      default: { pairingPolicy: 'everyone', toolMaxSteps: 0, withTools: 'yes', port: 70_000, botToken: TOKEN },
      channels: {
        telegrm: {},
        telegram: {
          botToken: 'not a token',
          toolAllow: 'time.now',
          workspace: '/tmp',
          accounts: { 'Big One': {}, x: 7 },
        },
        feishu: { appid: 'cli_1', domain: 'nowhere' },
        local: [],
      },
    },
    channels,
  );
  expect(problems).toEqual([
    '"defaults" is not a setting (did you mean "default"?)',
    'version is 2; accepted: 1',
    'default.pairingPolicy is "everyone"; accepted: open, allowlist, pairing, disabled',
    'default.toolMaxSteps is 0; accepted: a whole number of at least 1',
    'default.withTools is "yes"; accepted: true or false',
    'default.port is 70000; accepted: 0 to 65535',
    'default.botToken is a setting of telegram: it belongs in "channels.telegram"',
    'jobs.provider is 7; accepted: a non-empty text',
    'jobs.groups is of bots: it belongs in "default" or in a channel',
    'jobs.port is of the whole gateway: it belongs in "default"',
    'jobs."modle" is not a setting (did you mean "model"?)',
    'channels."telegrm" is not a channel (did you mean "telegram"?)',
    'channels.telegram.botToken is ***; accepted: the token from @BotFather (123456:ABC…), {"env":"NAME"} or {"file":"path"}',
    'channels.telegram.toolAllow is "time.now"; accepted: names of tools',
    'channels.telegram.workspace is of the whole gateway: it belongs in "default"',
    'channels.telegram.accounts: "Big One" is not an account; accepted: small letters, digits, _ and -, at most 40',
    'channels.telegram.accounts.x must be an object',
    'channels.feishu."appid" is not a setting (did you mean "appId"?)',
    'channels.feishu.domain is "nowhere"; accepted: feishu, lark or an address',
    'channels.local must be an object',
  ]);
});

it.each([
  ['a misspelt secret', `{"version":1,"channels":{"telegram":{"bottoken":"${TOKEN}"}}}`],
  ['a secret in the wrong form', `{"version":1,"channels":{"telegram":{"botToken":["${TOKEN}"]}}}`],
  ['a secret in the default layer', `{"version":1,"default":{"appSecret":"${TOKEN}"}}`],
  ['a reference with a slip', `{"version":1,"channels":{"telegram":{"botToken":{"evn":"${TOKEN}"}}}}`],
  ['a text that ends too early', `{"version":1,"channels":{"telegram":{"botToken":"${TOKEN}`],
  ['a text with a bad token', `{"version":1,"channels":{"telegram":{"botToken":${TOKEN}}}}`],
  ['a secret instead of the file', `"${TOKEN}`],
])('%s is refused without being shown', (_, source) => {
  const refusal = (): unknown => parseGatewayFile(source, '/home/me/gateway.json', channels);
  expect(refusal).toThrow('/home/me/gateway.json');
  expect(refusal).not.toThrow('SECRET');
});

it('no file is the empty one', () => {
  expect(parseGatewayFile(undefined, 'gateway.json', channels)).toEqual({ version: 1, default: {}, channels: {} });
});

it('a shown file tells where secrets are found and hides what they are', () => {
  const telegram = {
    botToken: TOKEN,
    mode: 'polling',
    accounts: { work: { botToken: TOKEN, webhookSecret: { env: 'HOOK' } } },
  };
  const shown = maskedFile(
    {
      version: 1,
      default: { provider: 'stub' },
      channels: { telegram, feishu: { appId: 'cli_1', appSecret: { file: 's' } } },
    },
    channels,
  );
  expect(shown).toEqual({
    version: 1,
    default: { provider: 'stub' },
    channels: {
      telegram: {
        botToken: '***',
        mode: 'polling',
        accounts: { work: { botToken: '***', webhookSecret: { env: 'HOOK' } } },
      },
      feishu: { appId: 'cli_1', appSecret: { file: 's' } },
    },
  });
});

it('settings are put into and taken out of one layer, the others stay', () => {
  const empty = parseGatewayFile(undefined, '', channels);
  const file = withSettings(
    withSettings(withSettings(empty, {}, { provider: 'stub' }), { channel: 'telegram' }, { model: 'm' }),
    { channel: 'telegram', account: 'work' },
    { memory: true },
  );
  expect(file.channels).toEqual({ telegram: { model: 'm', accounts: { work: { memory: true } } } });
  expect(withSettings(file, { channel: 'telegram' }, { model: undefined }).channels.telegram).toEqual({
    accounts: { work: { memory: true } },
  });
  expect(withoutLayer(file, { channel: 'telegram' })).toEqual({ ...file, channels: {} });
  expect(withoutLayer(file, { channel: 'telegram', account: 'work' }).channels.telegram).toEqual({
    model: 'm',
    accounts: {},
  });
  expect(withoutLayer(file, {})).toEqual({ ...file, default: {} });
  expect(parseGatewayFile(formatGatewayFile(file), '', channels)).toEqual(file);
});

it('whatever a file holds, it is accepted or refused with a reason, and never throws anything else', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (whole, layer, channel) => {
      for (const value of [
        whole,
        { version: 1, default: layer, channels: channel },
        { version: 1, channels: { telegram: channel } },
      ]) {
        const problems = problemsOf(value, channels);
        expect(problems.every((problem) => problem.length > 0)).toBe(true);
      }
    }),
  );
});
