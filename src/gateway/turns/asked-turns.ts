// The turns that one gateway has asked for. The asker reads the events as one stream, and cancels the turn by leaving it
// early; other readers come and go as they like. Closing cancels what still runs and waits until it has ended, so that every
// journal is closed before storage is.
import type { RunEvent } from '../../pipeline/events.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import type { TurnItem } from './event-log.ts';
import type { StartOptions, TurnHub } from './turn-hub.ts';

export interface AskedTurns {
  /** Throws when they are closed. */
  start(options: StartOptions): AsyncIterable<RunEvent>;
  /** Cancels the running turns and resolves when they have ended. */
  close(): Promise<void>;
}

export function createAskedTurns(hub: TurnHub): AskedTurns {
  const running = new Map<string, Promise<void>>();
  let isClosed = false;

  async function end(id: string): Promise<void> {
    hub.stop(id);
    await running.get(id);
  }

  async function* eventsOf(id: string, items: AsyncIterable<TurnItem>): AsyncGenerator<RunEvent> {
    try {
      for await (const item of items) {
        if (item.kind === 'event') yield item.event;
        else yield { type: 'notice', text: `${item.number - item.first + 1} events came too fast to be shown` };
      }
    } finally {
      // Of a turn that has ended this changes nothing.
      await end(id);
    }
  }

  return {
    start(options) {
      if (isClosed) throw new CodedError('WORKSPACE_CLOSED', 'the workspace is closed');
      const { id } = options;
      running.set(
        id,
        hub.start(options).finally(() => running.delete(id)),
      );
      return eventsOf(id, hub.read(id));
    },
    async close() {
      isClosed = true;
      await Promise.all([...running.keys()].map(end));
    },
  };
}
