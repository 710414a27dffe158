// Turns of other processes of the owner: a stream takes commands to the process (answer, steer, stop), and each of its requests brings a batch of
// events. The stream is the connection: when it ends, the process is gone.
import { LARGEST_RELAY_BATCH, readJsonLines } from '../../gateway/turns/json-lines.ts';
import { RELAY_PATH } from '../../gateway/turns/publish-turns.ts';
import { type RelayedLine, receiveTurns } from '../../gateway/turns/turn-relay.ts';
import { createEventQueue, type EventQueue } from '../../lib/event-queue.ts';
import type { ConsoleContext } from '../context.ts';
import { bodyBytes, callerOf, type Exchange, type Route, sendJson } from '../exchange.ts';
import { Problem } from '../problem.ts';

export function relayRoutes({ runtime: { hub } }: ConsoleContext): Route[] {
  const relays = new Map<string, EventQueue<RelayedLine>>();

  /** A browser runs no turns. */
  function checkProcess(exchange: Exchange): string {
    if (callerOf(exchange).sessionId !== undefined)
      throw new Problem(403, 'NOT_ALLOWED', 'this is for processes with the token of the gateway');
    return exchange.params.id ?? '';
  }

  return [
    {
      method: 'GET',
      path: `${RELAY_PATH}/:id`,
      admits: 'owner',
      body: 'none',
      async handle(exchange) {
        const id = checkProcess(exchange);
        if (relays.has(id)) throw new Problem(409, 'RELAY_EXISTS', 'this process is connected already');
        const { response, signal } = exchange;
        const lines = createEventQueue<RelayedLine>();
        relays.set(id, lines);
        signal.addEventListener('abort', () => lines.close(), { once: true });
        response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
        response.flushHeaders();
        try {
          await receiveTurns(hub, lines, (command) => {
            if (!response.destroyed) response.write(`${JSON.stringify(command)}\n`);
          });
        } finally {
          relays.delete(id);
        }
      },
    },
    {
      method: 'POST',
      path: `${RELAY_PATH}/:id`,
      admits: 'owner',
      body: 'bytes',
      async handle(exchange) {
        const lines = relays.get(checkProcess(exchange));
        if (!lines) throw new Problem(404, 'RELAY_UNKNOWN', 'this process is not connected');
        const batch = await bodyBytes(exchange, LARGEST_RELAY_BATCH);
        for await (const line of readJsonLines<RelayedLine>([batch])) lines.push(line);
        sendJson(exchange, {});
      },
    },
  ];
}
