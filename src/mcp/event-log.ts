// The last messages of a session's streams, so that a client whose connection broke can get the ones it missed.
import type { EventStore } from '@modelcontextprotocol/server';

const MOST_EVENTS = 200;

export function createEventLog(): EventStore {
  const events: { id: string; stream: string; message: Parameters<EventStore['storeEvent']>[1] }[] = [];
  let count = 0;
  return {
    async storeEvent(stream, message) {
      count += 1;
      const id = `${stream}:${count}`;
      events.push({ id, stream, message });
      if (events.length > MOST_EVENTS) events.shift();
      return id;
    },
    getStreamIdForEventId: async (id) => events.find((event) => event.id === id)?.stream,
    async replayEventsAfter(lastId, { send }) {
      const at = events.findIndex(({ id }) => id === lastId);
      const stream = events[at]?.stream;
      if (stream === undefined) throw new Error('the messages after this event are no longer kept');
      for (const event of events.slice(at + 1)) {
        // An event without a message only marks where its stream began.
        if (event.stream === stream && 'jsonrpc' in event.message) await send(event.id, event.message);
      }
      return stream;
    },
  };
}
