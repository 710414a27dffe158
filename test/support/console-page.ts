// What a web page does with the API, without a browser: it keeps the events of every turn by their numbers, comes back with the last
// number when its connection is lost, and loads its state again on request. It notes whatever came twice or out of order.
import { type ClientRequest, request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface PageEvent {
  type: string;
  n?: number;
  first?: number;
  turn?: string;
  text?: string;
  [field: string]: unknown;
}

export interface ConsolePage {
  /** The events of a turn by their numbers, those that were joined under their last one. */
  turn(id: string): PageEvent[];
  /** Those it has heard of. */
  turnIds(): string[];
  textOf(id: string): string;
  isEnded(id: string): boolean;
  /** Drops the connection; the page comes back by itself. */
  reload(): void;
  /** Forgets everything, as a page that is loaded again does. */
  reset(): void;
  problems: string[];
  counts: { connections: number; resets: number };
  close(): void;
}

export function openPage(address: () => { port: number; headers: Record<string, string> }): ConsolePage {
  const turns = new Map<string, { events: PageEvent[]; last: number; isEnded: boolean }>();
  const problems: string[] = [];
  const counts = { connections: 0, resets: 0 };
  let after: number | undefined;
  let current: ClientRequest | undefined;
  let isClosed = false;
  /** What comes before the state is loaded waits for it. */
  let waiting: PageEvent[] | undefined;
  let loads = 0;
  let loading: Promise<void> = Promise.resolve();
  /** How often the page was loaded again. */
  let epoch = 0;

  const turnOf = (id: string) => {
    const known = turns.get(id) ?? { events: [], last: 0, isEnded: false };
    turns.set(id, known);
    return known;
  };

  function take(event: PageEvent): void {
    if (event.turn === undefined) return;
    const turn = turnOf(event.turn);
    if (event.type === 'turn-ended') turn.isEnded = true;
    if (event.n === undefined) return;
    // Told by the state that was loaded.
    if (event.n <= turn.last) return;
    if ((event.first ?? event.n) !== turn.last + 1)
      problems.push(`${event.turn}: ${event.first ?? event.n} follows ${turn.last}`);
    turn.last = event.n;
    turn.events.push(event);
  }

  async function get<T>(path: string, body?: object): Promise<T> {
    const { port, headers } = address();
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return (await answer.json()) as T;
  }

  /** Begins with the events of every turn that the gateway has. Ends when the page was loaded again meanwhile. */
  async function loadState(begun: number): Promise<void> {
    const listed = await get<{ id: string }[]>('/api/operations/turns.list', {});
    for (const { id } of listed) {
      if (begun !== epoch) return;
      const { events } = await get<{ events: PageEvent[] }>(`/api/turns/${id}/events?after=${turnOf(id).last}`);
      if (begun === epoch) for (const event of events) take(event);
    }
  }

  /** One load after the other; events that come meanwhile wait for the last of them. */
  function load(): void {
    waiting ??= [];
    loads += 1;
    const begun = epoch;
    loading = loading
      .then(() => loadState(begun))
      .catch(() => {})
      .then(() => {
        if (begun !== epoch) return;
        loads -= 1;
        if (loads > 0) return;
        const late = waiting ?? [];
        waiting = undefined;
        for (const each of late) take(each);
      });
  }

  /** Resolves when the connection has ended; rejects while there is no gateway. */
  async function connect(): Promise<void> {
    const { port, headers } = address();
    await new Promise<void>((resolve) => {
      const seen = new Set<number>();
      const sent = httpRequest({
        host: '127.0.0.1',
        port,
        path: `/api/events${after === undefined ? '' : `?after=${after}`}`,
        headers,
        agent: false,
      });
      current = sent;
      const tell = (message: string): void => {
        const [, id] = /^id: (\d+)$/m.exec(message) ?? [];
        const [, data] = /^data: (.*)$/m.exec(message) ?? [];
        if (data === undefined) return;
        const event = JSON.parse(data) as PageEvent;
        if (id !== undefined) {
          if (seen.has(Number(id)) || Number(id) < (after ?? 0)) problems.push(`event ${id} came again`);
          seen.add(Number(id));
          after = Number(id);
        }
        if (event.type === 'hello' || event.type === 'reset') {
          if (event.type === 'reset') counts.resets += 1;
          load();
        } else if (waiting) waiting.push(event);
        else take(event);
      };
      sent.on('response', (answer) => {
        counts.connections += 1;
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => {
          text += part;
          const messages = text.split('\n\n');
          text = messages.pop() ?? '';
          for (const message of messages) tell(message);
        });
        answer.on('error', () => {});
        answer.on('close', () => resolve());
      });
      sent.on('error', () => resolve());
      sent.end();
    });
  }

  void (async () => {
    while (!isClosed) {
      await connect().catch(() => {});
      await pause(5);
    }
  })();

  return {
    turn: (id) => turnOf(id).events,
    turnIds: () => [...turns.keys()],
    textOf: (id) =>
      turnOf(id)
        .events.filter(({ type }) => type === 'text-delta')
        .map(({ text }) => text)
        .join(''),
    isEnded: (id) => turnOf(id).isEnded,
    reload: () => current?.destroy(),
    reset() {
      epoch += 1;
      loads = 0;
      waiting = undefined;
      turns.clear();
      after = undefined;
      current?.destroy();
    },
    problems,
    counts,
    close() {
      isClosed = true;
      current?.destroy();
    },
  };
}
