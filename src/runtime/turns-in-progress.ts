// The turns of a workspace that have not ended. Closing the workspace cancels them and reads each to its end, so that its
// journal is closed before storage is, also where nobody reads its events any more. A reader still gets every event.
import type { Gateway } from '../gateway/gateway.ts';
import type { RunEvent } from '../pipeline/events.ts';

export interface TurnsInProgress {
  ask: Gateway['ask'];
  /** Cancels the running turns and resolves when they have ended. A later `ask` rejects. */
  close(): Promise<void>;
}

interface TurnInProgress {
  cancel(): void;
  /** Reads the next event into the buffer; one at a time, whoever asks. Never rejects: the reader gets the failure. */
  advance(): Promise<void>;
  isEnded(): boolean;
}

export function trackTurns(ask: Gateway['ask']): TurnsInProgress {
  const running = new Set<TurnInProgress>();
  let isClosed = false;

  function follow(
    source: AsyncIterator<RunEvent>,
    { controller, detach }: { controller: AbortController; detach(): void },
  ): AsyncIterable<RunEvent> {
    const unread: RunEvent[] = [];
    let isEnded = false;
    let failure: { error: unknown } | undefined;
    let advancing: Promise<void> | undefined;
    const end = (): void => {
      isEnded = true;
      running.delete(turn);
      detach();
    };
    const turn: TurnInProgress = {
      cancel: () => controller.abort(new Error('the workspace was closed')),
      isEnded: () => isEnded,
      advance() {
        running.add(turn);
        advancing ??= readNext().finally(() => {
          advancing = undefined;
        });
        return advancing;
      },
    };
    async function readNext(): Promise<void> {
      try {
        const next = await source.next();
        if (next.done) end();
        else unread.push(next.value);
      } catch (error) {
        failure = { error };
        end();
      }
    }
    return (async function* () {
      try {
        for (;;) {
          const event = unread.shift();
          if (event) yield event;
          else if (failure) throw failure.error;
          else if (isEnded) return;
          else await turn.advance();
        }
      } finally {
        if (!isEnded) {
          await source.return?.();
          end();
        }
      }
    })();
  }

  return {
    async ask(request, signal) {
      if (isClosed) throw new Error('the workspace is closed');
      const controller = new AbortController();
      const onAbort = (): void => controller.abort(signal.reason);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      const detach = (): void => signal.removeEventListener('abort', onAbort);
      try {
        const events = await ask(request, controller.signal);
        return follow(events[Symbol.asyncIterator](), { controller, detach });
      } catch (error) {
        detach();
        throw error;
      }
    },
    async close() {
      isClosed = true;
      await Promise.all(
        [...running].map(async (turn) => {
          turn.cancel();
          while (!turn.isEnded()) await turn.advance();
        }),
      );
    },
  };
}
