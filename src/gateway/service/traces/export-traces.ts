// Sends spans to a collector of OpenTelemetry: OTLP over HTTP, as JSON, some at a time. A collector that cannot be reached costs spans, never a turn.
import type { TurnHub } from '../../turns/turn-hub.ts';
import { createTurnSpans, type Span } from './turn-spans.ts';

export interface ExportTracesOptions {
  hub: Pick<TurnHub, 'watch'>;
  /** Of the collector; `/v1/traces` is added. */
  endpoint: string;
  /** `name=value,name=value`, as OpenTelemetry writes them. */
  headers?: string;
  version: string;
  /** Names this gateway among several. */
  instance: string;
  now(): number;
  /** Called once for each time the collector stops accepting spans. */
  onProblem(problem: string): void;
  sendEveryMs?: number;
}

const SEND_EVERY_MS = 2_000;
const SENT_WITHIN_MS = 5_000;
const MOST_WAITING = 5_000;

/** Returns what ends it: resolves when the last spans were sent or given up. */
export function exportTraces(options: ExportTracesOptions): () => Promise<void> {
  const { hub, endpoint, headers = '', version, instance, now, onProblem, sendEveryMs = SEND_EVERY_MS } = options;
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  let waiting: Span[] = [];
  let hasProblem = false;
  let sending: Promise<void> = Promise.resolve();
  const unwatch = hub.watch(
    createTurnSpans(now, (span) => {
      if (waiting.length < MOST_WAITING) waiting.push(span);
    }),
  );
  const timer = setInterval(() => void flush(), sendEveryMs).unref();

  function flush(): Promise<void> {
    sending = sending.then(async () => {
      const spans = waiting;
      waiting = [];
      if (spans.length > 0) await send(spans);
    });
    return sending;
  }

  async function send(spans: readonly Span[]): Promise<void> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headersOf(headers), 'content-type': 'application/json' },
        body: JSON.stringify(requestOf(spans, { version, instance })),
        signal: AbortSignal.timeout(SENT_WITHIN_MS),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`it answered ${response.status}`);
      hasProblem = false;
    } catch (error) {
      if (!hasProblem) onProblem(`spans cannot be sent to ${url}: ${(error as Error).message}`);
      hasProblem = true;
    }
  }

  return async () => {
    unwatch();
    clearInterval(timer);
    await flush();
  };
}

function requestOf(spans: readonly Span[], { version, instance }: { version: string; instance: string }): object {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const attributes = [
    text('service.name', 'lainclaw'),
    text('service.version', version),
    text('service.instance.id', instance),
  ];
  return {
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope: { name: 'lainclaw', version }, spans }] }],
  };
}

function headersOf(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs);
}
