import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { CHANNEL_NAMES } from '../../src/channels/channel-table.ts';
import type { Home } from '../support/home.ts';
import { type Finished, lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

let home: Home;
beforeEach(() => {
  home = testHome();
  mkdirSync(home.path, { mode: 0o700 });
});
const pairing = (...args: string[]): Promise<Finished> => lainclaw(['pairing', ...args], { home });
const write = (name: string, value: unknown): void => writeFileSync(join(home.path, name), JSON.stringify(value));
const read = (name: string): Record<string, unknown[]> => JSON.parse(readFileSync(join(home.path, name), 'utf8'));
const request = (id: string, code: string, { ageMs = 0, account }: { ageMs?: number; account?: string } = {}) => {
  const at = new Date(Date.now() - ageMs).toISOString();
  return { id, code, createdAt: at, lastSeenAt: at, ...(account && { meta: { account } }) };
};
const requests = (channel: string, ...list: unknown[]): void =>
  write(`${channel}-pairing.json`, { version: 1, requests: list });
const errorOf = (finished: Finished) => finished.json<{ error: { code: string; message: string } }>().error;

it('list says who waits and who was admitted, by channel and account, and drops what has expired or is too much', async () => {
  requests('feishu', request('old', 'AAAAAAAA', { ageMs: 3_600_001 }), request('a', 'BBBBBBBB', { ageMs: 5_000 }));
  requests(
    'telegram',
    ...['1', '2', '3', '4'].map((id) =>
      request(id, `CCCCCCC${id}`, { ageMs: 9_000 - Number(id) * 1_000, account: 'work' }),
    ),
  );
  write('telegram-allowFrom.json', { version: 1, allowFrom: ['9'] });
  const all = (await pairing('list', '--json')).json<{
    requests: { channel: string; id: string }[];
    allowed: unknown[];
  }>();
  expect(all.requests.map(({ channel, id }) => `${channel} ${id}`)).toEqual([
    'feishu a',
    'telegram 1',
    'telegram 2',
    'telegram 3',
  ]);
  expect(all.allowed).toEqual([{ channel: 'telegram', entry: '9' }]);
  expect(read('feishu-pairing.json').requests).toHaveLength(1);
  expect(read('telegram-pairing.json').requests).toHaveLength(3);
  expect((await pairing('list', '--channel', 'feishu')).json()).toMatchObject({
    requests: [{ id: 'a', account: 'default' }],
    allowed: [],
  });
  expect((await pairing('list', '--channel', 'telegram', '--account', 'default')).json()).toEqual({
    requests: [],
    allowed: [],
  });
  expect((await pairing('list', '--text')).stdout).toContain('BBBBBBBB  feishu/default  a');
});

it('approve admits by code in any spelling, revoke takes back; both say where', async () => {
  requests('telegram', request('7', 'ABCDEFGH', { account: 'work' }), request('8', 'JKMNPQRS'));
  expect((await pairing('approve', 'abcd-efgh', '--json')).json()).toEqual({
    approved: { channel: 'telegram', account: 'work', entry: '7' },
    // The request does not say where they wrote.
    told: false,
  });
  expect(read('telegram-work-allowFrom.json')).toEqual({ version: 1, allowFrom: ['7'] });
  expect(read('telegram-pairing.json').requests).toMatchObject([{ id: '8' }]);
  expect((await pairing('approve', '--channel', 'telegram', 'JKMNPQRS')).code).toBe(0);
  expect(read('telegram-allowFrom.json')).toEqual({ version: 1, allowFrom: ['8'] });
  expect((await pairing('revoke', '7', '--channel=telegram')).json()).toMatchObject({
    removed: [{ channel: 'telegram', account: 'work', entry: '7' }],
  });
  expect(read('telegram-work-allowFrom.json')).toEqual({ version: 1, allowFrom: [] });
  const unknown = await pairing('revoke', '7');
  expect([unknown.code, errorOf(unknown).code]).toEqual([1, 'PAIRING_ENTRY_UNKNOWN']);
});

it('a code of another channel or account does not fit', async () => {
  requests('telegram', request('7', 'ABCDEFGH', { account: 'work' }));
  for (const flags of [['--channel=feishu'], ['--channel=telegram', '--account=default']]) {
    const wrong = await pairing('approve', 'ABCDEFGH', ...flags);
    expect([wrong.code, errorOf(wrong).code]).toEqual([1, 'PAIRING_CODE_UNKNOWN']);
  }
  expect((await pairing('approve', 'ABCDEFGH', '--channel=telegram', '--account=work')).code).toBe(0);
});

it('wrong codes are counted over processes and at once; then the right one is refused too', async () => {
  requests('telegram', request('7', 'ABCDEFGH'));
  const codes = [
    'WRONG234',
    'wrong234',
    ' wrong 234 ',
    'ABCDEFG',
    'ABCDEFGHH',
    'x',
    '22222222',
    'ABCDEFGJ',
    '-',
    '😀',
    'ABCDEFGK',
    'ABCDEFGM',
  ];
  const tried = await Promise.all(codes.map((code) => pairing('approve', '--channel=telegram', '--', code)));
  const outcomes = tried.map((finished) => errorOf(finished).code);
  expect(outcomes.filter((code) => code === 'PAIRING_CODE_UNKNOWN')).toHaveLength(10);
  expect(outcomes.filter((code) => code === 'PAIRING_TOO_MANY_ATTEMPTS')).toHaveLength(2);
  const right = await pairing('approve', 'ABCDEFGH');
  expect([right.code, errorOf(right).message]).toEqual([
    1,
    expect.stringMatching(/^too many wrong codes: try again in \d+ minutes$/),
  ]);
  expect((await pairing('list')).json()).toMatchObject({ requests: [{ id: '7' }], allowed: [] });
});

it('the limits are those of gateway.json; an entry in its list is still admitted, which revoke says', async () => {
  write('gateway.json', {
    version: 1,
    default: { pairingAllowFrom: ['7'] },
    channels: { telegram: { pairingPendingTtlMs: 7_200_000 } },
  });
  requests('telegram', request('8', 'ABCDEFGH', { ageMs: 3_700_000 }));
  write('telegram-allowFrom.json', { version: 1, allowFrom: ['7'] });
  expect((await pairing('list')).json()).toMatchObject({ requests: [{ id: '8' }] });
  const revoked = await pairing('revoke', '7', '--channel=telegram');
  expect(revoked.json()).toMatchObject({ stillAllowedBySettings: ['telegram'] });
  expect(revoked.stderr).toContain('pairingAllowFrom');
});

it.each([
  [['approve'], /missing required argument|code/],
  [['list', '--channel', 'irc'], new RegExp(CHANNEL_NAMES.join(', '))],
  [['list', '--account', 'x'], /--account goes with --channel/],
  [['aprove', 'X'], /approve/],
])('%j is wrong usage', async (args, message) => {
  const finished = await pairing(...args);
  expect(finished.code).toBe(2);
  expect(finished.stderr).toMatch(message);
});

it('a file of a newer version is refused as such and left as it is', async () => {
  const text = '{"version":2,"allowFrom":{"anna":{}}}';
  writeFileSync(join(home.path, 'telegram-allowFrom.json'), text);
  const finished = await pairing('list');
  expect([finished.code, errorOf(finished).code]).toEqual([1, 'STORAGE_NEWER_VERSION']);
  expect(errorOf(finished).message).toMatch(/telegram-allowFrom\.json.*newer Lainclaw/);
  expect(readFileSync(join(home.path, 'telegram-allowFrom.json'), 'utf8')).toBe(text);
});

it('a damaged file is named and left as it is', async () => {
  writeFileSync(join(home.path, 'telegram-allowFrom.json'), '{"version":1,');
  const finished = await pairing('list');
  expect([finished.code, errorOf(finished).code]).toEqual([1, 'PAIRING_FILE_DAMAGED']);
  expect(errorOf(finished).message).toContain('telegram-allowFrom.json');
  expect(readFileSync(join(home.path, 'telegram-allowFrom.json'), 'utf8')).toBe('{"version":1,');
});
