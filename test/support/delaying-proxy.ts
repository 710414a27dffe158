// A proxy for the test's browser through which each request to the gateway's API, its answer and each part of its streams come late.
// The browser's own interception does not see what its workers ask for, and the stream of events is read by one.
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { delay } from './delays.ts';

const LATE_REQUEST_MS = 2_000;
const LATE_ANSWER_MS = 1_000;
const LATE_PART_MS = 300;

/** Resolves with its address. It ends with the process: the browser is the only one that knows it. */
export async function startDelayingProxy(): Promise<string> {
  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  server.on('connect', ({ url = '' }: IncomingMessage, socket) => {
    const [host, port] = url.split(':');
    const far = connect(Number(port), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    far.on('error', () => socket.destroy());
    socket.on('error', () => far.destroy());
    socket.pipe(far).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '');
  const isLate = url.pathname.includes('/api/');
  if (isLate) await delay(LATE_REQUEST_MS);
  const { method, headers } = request;
  const asked = httpRequest(url, { method, headers, agent: false });
  response.on('close', () => asked.destroy());
  request.pipe(asked);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.on('response', resolve);
    asked.on('error', reject);
  });
  if (isLate) await delay(LATE_ANSWER_MS);
  response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
  response.flushHeaders();
  for await (const part of answer) {
    if (isLate) await delay(LATE_PART_MS);
    response.write(part);
  }
  response.end();
}
