import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { httpFetch } from '../http-fetch.ts';
import OpenAI from './openai-client.ts';
import { createWire } from './wire.ts';

let server: Server | undefined;
const sockets = new Set<Socket>();

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  sockets.clear();
});

async function clientOf(body: string, status = 200): Promise<OpenAI> {
  server = createServer((request, response) => {
    sockets.add(request.socket);
    request.resume();
    request.on('end', () => response.writeHead(status).end(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { fetch } = createWire({
    fetch: globalThis.fetch,
    http: httpFetch,
    now: Date.now,
    onActivity: () => {},
    key: 'key',
  });
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
  return new OpenAI({ apiKey: 'stand-in', baseURL, defaultHeaders: {}, fetch });
}

async function readAll(client: OpenAI): Promise<unknown[]> {
  const { data } = await client.chat.completions.create({ stream: true }).withResponse();
  const events: unknown[] = [];
  for await (const event of data) events.push(event);
  return events;
}

test('a connection serves one request after the other', async () => {
  const client = await clientOf('data: {"id":"1"}\n\ndata: [DONE]\n\n: still here\n\n');
  expect(await readAll(client)).toEqual([{ id: '1' }]);
  // The connection is free in the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  expect(await readAll(client)).toEqual([{ id: '1' }]);
  expect(sockets.size).toBe(1);
});

test('a refusal has its status and its error', async () => {
  const client = await clientOf('{"error":{"message":"no such model"}}', 404);
  await expect(readAll(client)).rejects.toMatchObject({ status: 404, error: { message: 'no such model' } });
});

test('an error in the stream is thrown', async () => {
  const client = await clientOf('data: {"id":"1"}\n\ndata: {"error":{"message":"overloaded"}}\n\n');
  await expect(readAll(client)).rejects.toMatchObject({ error: { message: 'overloaded' } });
});
