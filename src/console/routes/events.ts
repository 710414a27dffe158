// Events: the one stream of a browser, and what a turn has told so far.

import { isOwn } from '../../operations/turns.ts';
import type { ConsoleContext } from '../context.ts';
import { answererOf, callerOf, type Exchange, type Route, sendJson } from '../exchange.ts';
import { Problem } from '../problem.ts';
import { shownEvent } from '../shown-event.ts';

export function eventRoutes({ feed, runtime: { hub } }: ConsoleContext): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/events',
      admits: 'person',
      body: 'none',
      handle(exchange) {
        const { id, isOwner, sessionId } = callerOf(exchange);
        const { response, url } = exchange;
        // The page of one person must not read on with the cookie of another who has signed in meanwhile.
        const expected = url.searchParams.get('person') ?? id;
        if (expected !== id) throw new Problem(401, 'OTHER_PERSON', 'somebody else has signed in: load the page again');
        const after = numberIn(exchange);
        response.writeHead(200, {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          // Proxies must not collect events.
          'x-accel-buffering': 'no',
        });
        feed.attach(response, { after, sees: (audience) => isOwner || audience === id, sessionId });
      },
    },
    {
      method: 'GET',
      path: '/api/turns/:id/events',
      admits: 'person',
      body: 'none',
      async handle(exchange) {
        const { id = '' } = exchange.params;
        const after = numberIn(exchange) ?? 0;
        const by = answererOf(callerOf(exchange));
        if (!isOwn(hub.turn(id), by)) throw new Problem(404, 'TURN_UNKNOWN', `there is no turn ${id}`);
        const reading = hub.read(id, { after, signal: exchange.signal });
        const turn = hub.turn(id);
        if (!turn) throw new Problem(404, 'TURN_UNKNOWN', `there is no turn ${id}`);
        const events: object[] = [];
        if (turn.lastNumber > after)
          for await (const item of reading) {
            if (item.kind === 'event') events.push({ first: item.first, ...shownEvent(turn, item.number, item.event) });
            else events.push({ type: 'gap', turn: id, first: item.first, n: item.number });
            if (item.number >= turn.lastNumber) break;
          }
        sendJson(exchange, { turn, events });
      },
    },
  ];
}

/** `Last-Event-ID` is what a browser sends by itself when it reconnects, and so the newer one. */
function numberIn({ request, url }: Exchange): number | undefined {
  const given = request.headers['last-event-id'] ?? url.searchParams.get('after') ?? undefined;
  if (given === undefined || given === '') return undefined;
  const number = Number(given);
  if (!Number.isSafeInteger(number) || number < 0)
    throw new Problem(400, 'EVENT_NUMBER_INVALID', 'accepted: the number of the last event');
  return number;
}
