import type { ServerResponse } from 'node:http';

export function sendWhole(response: ServerResponse, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
  });
  response.end(body);
}

/** Begins a stream of server-sent events; `name` is the kind of event, where the protocol has some. */
export function startEvents(response: ServerResponse): (value: unknown, name?: string) => void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  return (value, name) =>
    void response.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`);
}
