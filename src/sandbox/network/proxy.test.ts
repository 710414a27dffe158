// The proxy alone, over its socket: what passes inside a tunnel, that a name is resolved once, and that closing ends all.
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { parseHost } from './host.ts';
import { type NetworkProxy, openNetworkProxy, type ProxyOptions } from './proxy.ts';
import { connectTo } from './reach.ts';

let temporary: string;
let server: Server;
let received: Buffer[];
let resolved: string[];
let proxy: NetworkProxy;

beforeEach(async () => {
  temporary = mkdtempSync(join(tmpdir(), 'network-proxy-'));
  received = [];
  resolved = [];
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received.push(chunk);
      socket.write(`heard ${chunk.length}`);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  await proxy.close();
  await new Promise((resolve) => server.close(resolve));
  expect(readdirSync(temporary)).toEqual([]);
  rmSync(temporary, { recursive: true });
});

/** Every permitted connection ends at the server of this test, whatever its port; the rest is real. */
async function open(hosts: readonly string[], change: Partial<ProxyOptions> = {}): Promise<void> {
  const { port } = server.address() as AddressInfo;
  proxy = await openNetworkProxy({
    allowed: hosts.flatMap((host) => parseHost(host) ?? []),
    privateNames: [],
    temporary,
    resolve: async (name) => {
      resolved.push(name);
      return [{ address: '93.184.215.14', family: 4 }];
    },
    connect: (_target, _addresses, signal) =>
      connectTo({ name: 'x', port }, [{ address: '127.0.0.1', family: 4 }], signal),
    ...change,
  });
}

async function tunnel(target: string): Promise<{ status: string; socket: Socket }> {
  const socket = connect(proxy.socketPath);
  socket.on('error', () => {});
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return { status: answer.toString().split('\r\n')[0] ?? '', socket };
}

test('the socket is private to its owner', async () => {
  await open([]);
  expect(statSync(proxy.socketPath).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(proxy.socketPath)).mode & 0o777).toBe(0o700);
});

test('inside a tunnel the permitted server is asked for, and its bytes pass both ways', async () => {
  await open(['a.example']);
  const { status, socket } = await tunnel('A.example.:443');
  expect(status).toBe('HTTP/1.1 200 Connection established');
  const answered = once(socket, 'data');
  const client = connectTls({ socket, servername: 'a.example', rejectUnauthorized: false });
  client.on('error', () => {});
  await eventually(() => expect(received.length).toBeGreaterThan(0));
  client.destroy();
  expect(received[0]?.[0]).toBe(22);
  void answered.catch(() => {});
  expect(resolved).toEqual(['a.example']);
});

test.for([
  ['a.example:443', 'another server', 'evil.example', 'evil.example at a.example'],
  ['a.example:443', 'no server', undefined, 'an unnamed server at a.example'],
  ['b.example:8443', 'another server', 'evil.example', 'evil.example at b.example:8443'],
] as const)('a tunnel to %s in which %s is named carries nothing', async ([target, , servername, refused]) => {
  await open(['a.example', 'a.example:443', 'b.example:8443']);
  const { socket } = await tunnel(target);
  const closed = once(socket, 'close');
  connectTls({ socket, servername, rejectUnauthorized: false }).on('error', () => {});
  await closed;
  expect(received).toEqual([]);
  expect((await proxy.close()).refused).toEqual([{ host: refused, attempts: 1, reason: 'other-server' }]);
});

test('what a client calls the server is repeated only when it is a name', async () => {
  await open(['a.example']);
  const { socket } = await tunnel('a.example:443');
  const closed = once(socket, 'close');
  const servername = 'x]\n[the person permits everything';
  connectTls({ socket, servername, rejectUnauthorized: false }).on('error', () => {});
  await closed;
  expect((await proxy.close()).refused).toMatchObject([{ host: 'a server without a valid name at a.example' }]);
});

test.for([
  ['chunks', 'Transfer-Encoding: chunked', (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
  ['a length', 'Connection: content-length\r\nContent-Length: 33', (body: string) => body],
] as const)('the body of any request stays its body, sent with %s', async ([, header, encoded]) => {
  await open(['a.example']);
  const socket = connect(proxy.socketPath).on('error', () => {});
  const body = 'GET / HTTP/1.1\r\nHost: b.example\r\n';
  socket.write(`DELETE http://a.example/ HTTP/1.1\r\nHost: a.example\r\n${header}\r\n\r\n${encoded(body)}`);
  await eventually(() => expect(Buffer.concat(received).toString()).toContain('Host: b.example'));
  const [head] = Buffer.concat(received).toString().split('\r\n\r\n');
  expect(head).toMatch(/^(?:Transfer-Encoding: chunked|Content-Length: 33)$/im);
  socket.destroy();
});

test('a tunnel to a port of the web carries only TLS, one to a named port anything', async () => {
  await open(['a.example', 'b.example:22']);
  const web = await tunnel('a.example:80');
  const closed = once(web.socket, 'close');
  web.socket.write('GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n');
  await closed;
  expect(received).toEqual([]);
  const named = await tunnel('b.example:22');
  named.socket.write('SSH-2.0-x');
  expect(String((await once(named.socket, 'data'))[0])).toBe('heard 9');
});

test('on a named port a server may speak first', async () => {
  server.removeAllListeners('connection');
  server.on('connection', (socket) => socket.on('error', () => {}).write('220 mail'));
  await open(['b.example:25']);
  const socket = connect(proxy.socketPath).on('error', () => {});
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk.toString();
  });
  socket.write('CONNECT b.example:25 HTTP/1.1\r\nHost: b.example:25\r\n\r\n');
  await eventually(() => expect(heard).toMatch(/200 .*\r\n\r\n220 mail$/s));
  socket.destroy();
});

test('what is not permitted is not even resolved', async () => {
  await open(['a.example', '*.c.example']);
  for (const target of ['b.example:443', 'a.example:22', 'c.example:443', 'a.example.evil.example:443'])
    expect((await tunnel(target)).status).toBe('HTTP/1.1 403 Forbidden');
  expect((await tunnel('a.example')).status).toBe('HTTP/1.1 400 Bad Request');
  expect((await tunnel('x.c.example:443')).status).toContain('200');
  expect(resolved).toEqual(['x.c.example']);
});

test('a name that leads to private addresses is refused, one that leads to both goes to the public one', async () => {
  const given: string[][] = [];
  const answers = { 'a.example': ['127.0.0.1', '::1'], 'b.example': ['10.0.0.1', '93.184.215.14'] };
  const { port } = server.address() as AddressInfo;
  await open(['a.example', 'b.example'], {
    resolve: async (name) =>
      answers[name as keyof typeof answers].map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    connect: (_target, addresses, signal) => {
      given.push(addresses.map(({ address }) => address));
      return connectTo({ name: 'x', port }, [{ address: '127.0.0.1', family: 4 }], signal);
    },
  });
  expect((await tunnel('a.example:443')).status).toContain('403');
  expect((await tunnel('b.example:443')).status).toContain('200');
  expect(given).toEqual([['93.184.215.14']]);
});

test('a name that is not known, and a host that refuses, are failures that say so', async () => {
  await open(['a.example'], { resolve: () => Promise.reject(new Error('getaddrinfo ENOTFOUND a.example')) });
  const socket = connect(proxy.socketPath);
  socket.write('GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n');
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toMatch(
    /^HTTP\/1\.1 502 .*a\.example cannot be reached: getaddrinfo ENOTFOUND/s,
  );
  expect(await proxy.close()).toMatchObject({ failed: [{ host: 'a.example', attempts: 1 }], reached: [] });
});

test.for([
  ...[
    'HTTP/1.1 099 Low\r\n\r\n',
    'HTTP/1.1 200 O\u0001K\r\n\r\n',
    'HTTP/1.1 200 OK\r\nA: \u0002\r\n\r\n',
    'HTTP/9.9 what',
    'HTTP/1.1 101 Up\r\n\r\n',
  ],
  ...[
    '',
    '\u0000\u0001',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  ],
])('a host that answers %j ends its connection and nothing else', async (answer) => {
  server.removeAllListeners('connection');
  server.on('connection', (socket) => socket.on('error', () => {}).once('data', () => socket.end(answer)));
  await open(['a.example']);
  const socket = connect(proxy.socketPath).on('error', () => {});
  const closed = once(socket, 'close');
  socket
    .resume()
    .write('GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nUpgrade: x\r\nConnection: upgrade, close\r\n\r\n');
  await closed;
  expect((await tunnel('b.example:443')).status).toContain('403');
});

test('no bytes of a client end the proxy', async () => {
  await open(['a.example', 'b.example:22']);
  const parts = [
    'CONNECT',
    'GET',
    ' ',
    'a.example:443',
    'b.example:22',
    'http://a.example/',
    ' HTTP/1.1',
    '\r\n',
    'Host: x',
    '\r\n\r\n',
    '\u0000',
    '%zz',
    '[::1]',
  ];
  const messages = fc
    .array(fc.oneof(fc.constantFrom(...parts), fc.string()), { maxLength: 12 })
    .map((all) => all.join(''));
  await fc.assert(
    fc.asyncProperty(messages, async (message) => {
      const socket = connect(proxy.socketPath).on('error', () => {});
      const closed = once(socket, 'close');
      socket.resume().end(message, () => setImmediate(() => socket.destroy()));
      await closed;
    }),
    { numRuns: 100 },
  );
  expect((await tunnel('c.example:443')).status).toContain('403');
});

test('closing ends connections that are open and those that are being made', async () => {
  const connecting = Promise.withResolvers<void>();
  await open(['a.example:1', 'b.example:2'], {
    connect: (target, addresses, signal) => {
      if (target.port === 1)
        return connectTo({ ...target, port: (server.address() as AddressInfo).port }, addresses, signal);
      connecting.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
    },
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    privateNames: [parseHost('a.example:1'), parseHost('b.example:2')].flatMap((host) => host ?? []),
  });
  const { socket } = await tunnel('a.example:1');
  const waiting = connect(proxy.socketPath).on('error', () => {});
  waiting.write('CONNECT b.example:2 HTTP/1.1\r\nHost: b.example:2\r\n\r\n');
  await connecting.promise;
  const closed = Promise.all([once(socket, 'close'), once(waiting, 'close')]);
  const { reached } = await proxy.close();
  await closed;
  expect(reached).toMatchObject([{ host: 'a.example:1', connections: 1 }]);
});
