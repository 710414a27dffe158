// Addresses that lead inside, in every spelling: nothing is ever connected to, counted by a listener.
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parseHost } from '../../sandbox/network/host.ts';
import { download } from './download.ts';
import { checkUrl, type Resolve } from './guarded-request.ts';

let server: Server;
let port: number;
let connections = 0;

beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1;
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\ncontent-type: text/plain\r\n\r\ninside');
  });
  // All addresses of this machine, of both families where it has both.
  server.listen(0);
  await once(server, 'listening');
  port = (server.address() as { port: number }).port;
});
afterAll(() => server.close());

const INSIDE = ['127.0.0.1', '10.1.2.3', '169.254.169.254', '192.168.0.1', '172.16.5.4', '100.64.0.1', '0.0.0.0'];

/** Names as an attacker's name server would answer them. */
const resolve: Resolve = async (name) => {
  const answers: LookupAddress[] = name.includes('six')
    ? [{ address: '::1', family: 6 }]
    : [{ address: '127.0.0.1', family: 4 }];
  return answers;
};
const fetched = (url: string, more: Partial<Parameters<typeof download>[1]> = {}) =>
  download(url, {
    guard: { resolve, privateHosts: [] },
    signal: new AbortController().signal,
    maxBytes: 1_000_000,
    ...more,
  });

/** One IPv4 address in the ways that parsers have understood it. */
function spellings(address: string): string[] {
  const parts = address.split('.').map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const number = ((a << 24) >>> 0) + (b << 16) + (c << 8) + d;
  const hex = (value: number): string => value.toString(16);
  return [
    address,
    `${address}.`,
    String(number),
    `0x${hex(number)}`,
    `0${number.toString(8)}`,
    parts.map((part) => `0x${hex(part)}`).join('.'),
    parts.map((part) => `0${part.toString(8)}`).join('.'),
    `${a}.${(b << 16) + (c << 8) + d}`,
    `${a}.${b}.${(c << 8) + d}`,
    `[::ffff:${address}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
    `[2002:${hex((a << 8) + b)}:${hex((c << 8) + d)}::]`,
    `[0:0:0:0:0:ffff:${hex((a << 8) + b)}:${hex((c << 8) + d)}]`,
    [...address].map((sign) => (sign === '.' ? '。' : sign)).join(''),
    [...address].map((sign) => (/\d/.test(sign) ? String.fromCodePoint(0xff10 + Number(sign)) : sign)).join(''),
    address.replaceAll('.', '%2e'),
  ];
}

const NAMES = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'rebinding.example',
  'six.example',
  'metadata.google.internal',
];
const LITERALS = ['[::1]', '[::]', '[fe80::1]', '[fc00::1]', '[::1%25eth0]', '[ff02::1]', '[2001:db8::1]', '[2001::1]'];

describe('an address that leads inside', () => {
  it('is refused in 500 spellings, without a connection', async () => {
    connections = 0;
    const hosts = [...INSIDE.flatMap(spellings), ...NAMES, ...LITERALS];
    const urls = hosts.flatMap((host) => [
      `http://${host}:${port}/`,
      `http://${host}/latest/meta-data/`,
      `https://${host}:${port}/`,
      `HTTP://${host}:${port}/a?b#c`,
    ]);
    expect(urls.length).toBeGreaterThan(500);
    for (const url of urls) await expect(fetched(url), url).rejects.toThrow();
    expect(connections).toBe(0);
  });

  it('is not reached by a redirect either, in a header or in a page, in 500 spellings', async () => {
    let location = '';
    const outside = createHttpServer(({ url }, response) => {
      const page = `<meta http-equiv="refresh" content="0;url=${location}">`;
      if (url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end(page);
      else response.writeHead(302, { location: Buffer.from(location).toString('latin1') }).end();
    }).listen(0, '127.0.0.1');
    await once(outside, 'listening');
    onTestFinished(() => void outside.close());
    const host = `127.0.0.1:${(outside.address() as { port: number }).port}`;
    const guard = { resolve, privateHosts: [parseHost(host) ?? { name: '' }] };
    connections = 0;
    const targets = [...INSIDE.flatMap(spellings), ...NAMES, ...LITERALS].flatMap((name) => [
      `http://${name}:${port}/`,
      `//${name}:${port}/x`,
    ]);
    let tried = 0;
    for (const target of targets)
      for (const path of ['', 'page']) {
        location = target;
        tried += 1;
        const answer = await fetched(`http://${host}/${path}`, { guard }).catch(() => undefined);
        // Named, not followed: the model has to ask for it, which is judged and refused like every address.
        if (answer && answer.kind === 'elsewhere') await expect(fetched(answer.url, { guard })).rejects.toThrow();
        else expect(answer?.kind === 'page' ? answer.page.url : 'refused', target).toMatch(/^refused$|\/page$/);
      }
    expect(tried).toBeGreaterThan(500);
    expect(connections).toBe(0);
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.org/',
    'gopher://example.org',
    'javascript:alert(1)',
    'data:text/plain,x',
    '',
    '/etc',
    'http://',
  ])('%s is not an address of the web', async (url) => {
    await expect(fetched(url)).rejects.toThrow(/not an address of the web|not the name of a host/);
  });

  it('with a user name or a password is refused', () => {
    expect(() => checkUrl('https://me:secret@example.org/')).toThrow(/leave them out/);
    expect(() => checkUrl('https://example.org@evil.example/')).toThrow(/leave them out/);
  });

  it('is refused whatever the name server answers', async () => {
    connections = 0;
    const inside = fc.constantFrom('127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254');
    await fc.assert(
      fc.asyncProperty(fc.array(inside, { minLength: 1 }), async (addresses) => {
        const answers = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
        const guard = { resolve: async () => answers, privateHosts: [] };
        await expect(fetched(`http://evil.example:${port}/`, { guard })).rejects.toThrow(/private network/);
      }),
    );
    expect(connections).toBe(0);
  });
});

it('reaches a host that the owner named, on that port alone', async () => {
  const host = parseHost(`127.0.0.1:${port}`);
  const guard = { resolve, privateHosts: host ? [host] : [] };
  const answer = await fetched(`http://127.0.0.1:${port}/`, { guard });
  expect(answer).toMatchObject({ kind: 'page', page: { status: 200, mediaType: 'text/plain' } });
  await expect(fetched(`http://127.0.0.1:${port + 1}/`, { guard })).rejects.toThrow(/private network/);
});

it('asks the address that was checked, not what the name means by then', async () => {
  // The first answer is public, every later one leads inside.
  let asked = 0;
  const giveUp = new AbortController();
  const rebinding: Resolve = async () => {
    asked += 1;
    setTimeout(() => giveUp.abort(), 300);
    return [{ address: asked === 1 ? '203.0.114.1' : '127.0.0.1', family: 4 }];
  };
  connections = 0;
  await expect(
    fetched(`http://rebinding.example:${port}/`, {
      guard: { resolve: rebinding, privateHosts: [] },
      signal: giveUp.signal,
    }),
  ).rejects.toThrow();
  expect([asked, connections]).toEqual([1, 0]);
});
