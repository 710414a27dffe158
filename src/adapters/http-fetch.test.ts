import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { httpFetch, withWholeBody } from './http-fetch.ts';

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('sends method, headers and body, and reads the answer', async () => {
  const url = await serve((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const { 'x-sent': sent, 'content-length': length } = request.headers;
      response.setHeader('Retry-After', '7');
      response.end(JSON.stringify({ method: request.method, path: request.url, sent, length, body }));
    });
  });
  const response = await httpFetch(`${url}/v1/x?y=1`, { method: 'POST', headers: { 'x-sent': 'yes' }, body: 'ä' });
  expect(response).toMatchObject({ ok: true, status: 200 });
  expect(response.headers.get('retry-after')).toBe('7');
  expect(response.headers.get('missing')).toBeNull();
  expect(await response.json()).toEqual({ method: 'POST', path: '/v1/x?y=1', sent: 'yes', length: '2', body: 'ä' });
});

test('sends a body of texts and bytes as one', async () => {
  const bodies: string[] = [];
  const url = await serve(async (request, response) => {
    bodies.push(`${request.headers['content-length']} ${Buffer.concat(await request.toArray()).toString()}`);
    response.end('{}');
  });
  const body = ['{"a":"ä', new TextEncoder().encode('你'), '', '"}'];
  // The second goes over the connection of the first.
  for (const fetch of [httpFetch, httpFetch, withWholeBody(globalThis.fetch)])
    await (await fetch(url, { method: 'POST', body })).text();
  expect(bodies).toEqual(Array(3).fill('13 {"a":"ä你"}'));
});

test('follows no redirect: a key would go with it', async () => {
  const asked: (string | undefined)[] = [];
  const url = await serve((request, response) => {
    asked.push(request.url);
    response.writeHead(302, { location: '/elsewhere' }).end('gone');
  });
  const response = await httpFetch(url, { headers: { authorization: 'Bearer key' } });
  expect(response).toMatchObject({ ok: false, status: 302 });
  expect(await response.text()).toBe('gone');
  expect(asked).toEqual(['/']);
});

test('names the server that cannot be reached, with the reason', async () => {
  const url = await serve(() => {});
  server?.close();
  await expect(httpFetch(url)).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNREFUSED' } });
});

test('an answer that breaks off fails', async () => {
  const url = await serve((_, response) => {
    response.write('half');
    setImmediate(() => response.destroy());
  });
  const response = await httpFetch(url);
  await expect(response.text()).rejects.toMatchObject({ message: 'terminated', cause: { code: 'ECONNRESET' } });
});

test('the signal ends the wait for an answer and the reading of one', async () => {
  const url = await serve((request, response) => {
    if (request.url === '/begins') response.write('half');
  });
  const reason = new Error('no longer wanted');
  const waiting = new AbortController();
  const asked = httpFetch(`${url}/silent`, { signal: waiting.signal });
  setTimeout(() => waiting.abort(reason), 20);
  await expect(asked).rejects.toBe(reason);

  const reading = new AbortController();
  const response = await httpFetch(`${url}/begins`, { signal: reading.signal });
  setTimeout(() => reading.abort(reason), 20);
  await expect(response.text()).rejects.toBe(reason);
  await expect(httpFetch(url, { signal: reading.signal })).rejects.toBe(reason);
});

test('the signal may fire when nobody reads the answer', async () => {
  const url = await serve((_, response) => void response.write('half'));
  const late = new AbortController();
  const response = await httpFetch(url, { signal: late.signal });
  await new Promise((resolve) => setTimeout(resolve, 20));
  late.abort(new Error('no longer wanted'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  await expect(response.text()).rejects.toThrow('no longer wanted');
});

test.each([1, 2, 3, 4])(
  'the signal may fire when the whole answer has arrived, %i steps after a part of it was read',
  async (steps) => {
    const url = await serve((_, response) => {
      response.write('one');
      response.end('two');
    });
    const late = new AbortController();
    const response = await httpFetch(url, { signal: late.signal });
    const reading = response.body?.[Symbol.asyncIterator]();
    await reading?.next();
    for (let step = 1; step < steps; step += 1) await (step === 3 ? reading?.next() : new Promise(setImmediate));
    late.abort();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await (await httpFetch(url)).text()).toBe('onetwo');
  },
);

/** Answers the first request; the second one arrives on the same connection, which is cut when all of it has been read. */
async function serveOnceAndCut(): Promise<{ url: string; bodies: string[]; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const bodies: string[] = [];
  const url = await serve(async (request, response) => {
    sockets.add(request.socket);
    let body = '';
    for await (const part of request) body += part;
    bodies.push(body);
    if (bodies.length === 2) request.socket.resetAndDestroy();
    else response.end('answered');
  });
  return { url, bodies, sockets };
}

const afterTheAnswer = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

test('a request that the server has read is not sent twice: a model would be paid twice', async () => {
  const { url, bodies, sockets } = await serveOnceAndCut();
  const ask = async (body: string): Promise<string> => (await httpFetch(url, { method: 'POST', body })).text();
  expect(await ask('one')).toBe('answered');
  await afterTheAnswer();
  await expect(ask('two')).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } });
  expect([bodies, sockets.size]).toEqual([['one', 'two'], 1]);
  expect(await ask('three')).toBe('answered');
});

test('a request that changes nothing is sent again on a new connection', async () => {
  const { url, bodies, sockets } = await serveOnceAndCut();
  const ask = async (): Promise<string> => (await httpFetch(url)).text();
  expect(await ask()).toBe('answered');
  await afterTheAnswer();
  expect(await ask()).toBe('answered');
  expect([bodies.length, sockets.size]).toEqual([3, 2]);
});

test.each(['destroy', 'resetAndDestroy'] as const)(
  'a kept connection that the server has closed is replaced (%s)',
  async (close) => {
    const sockets: Socket[] = [];
    const url = await serve((request, response) => {
      sockets.push(request.socket);
      request.resume().on('end', () => response.end('answered'));
    });
    const ask = async (): Promise<string> => (await httpFetch(url, { method: 'POST', body: '{}' })).text();
    expect(await ask()).toBe('answered');
    await afterTheAnswer();
    // The system closes it at once; this process has not looked at the other end yet.
    sockets[0]?.[close]();
    expect(await ask()).toBe('answered');
    expect(new Set(sockets).size).toBe(2);
    expect(sockets).toHaveLength(2);
  },
);
