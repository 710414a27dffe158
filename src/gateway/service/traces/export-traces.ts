// Sends spans to a collector of OpenTelemetry: OTLP over HTTP, as JSON, some at a time. A collector that cannot be reached costs spans, never a turn.
import { httpFetch } from '../../../adapters/http-fetch.ts';
import { percentDecoded } from '../../../lib/percent-decoded.ts';
import type { TurnHub } from '../../turns/turn-hub.ts';
import { createTurnSpans, type Span } from './turn-spans.ts';

export interface ExportTracesOptions {
  hub: Pick<TurnHub, 'watch'>;
  /** Of the collector; `/v1/traces` is added to its path. A name and password in it are sent as `Authorization`. */
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
  /** How long the end waits for the last spans: a collector that hangs must not hold up what the gateway still has to release. */
  lastSendMs?: number;
}

const SEND_EVERY_MS = 2_000;
const SENT_WITHIN_MS = 5_000;
const LAST_SEND_MS = 1_500;
const MOST_WAITING = 5_000;

/** Returns what ends it: resolves when the last spans were sent or given up. */
export function exportTraces(options: ExportTracesOptions): () => Promise<void> {
  const { hub, version, instance, now, onProblem, sendEveryMs = SEND_EVERY_MS, lastSendMs = LAST_SEND_MS } = options;
  const collector = collectorOf(options);
  if ('problem' in collector) {
    onProblem(`no spans are sent: ${collector.problem}`);
    return async () => {};
  }
  const { url, name, headers } = collector;
  const waiting: Span[] = [];
  let hasProblem = false;
  let sending: Promise<void> | undefined;
  const ending = new AbortController();
  const unwatch = hub.watch(
    createTurnSpans(now, (span) => {
      if (waiting.length < MOST_WAITING) waiting.push(span);
    }),
  );
  const timer = setInterval(() => void flush(), sendEveryMs).unref();

  /** One request at a time: what waits meanwhile goes with the next. */
  function flush(): Promise<void> {
    if (waiting.length > 0)
      sending ??= send(waiting.splice(0)).finally(() => {
        sending = undefined;
      });
    return sending ?? Promise.resolve();
  }

  async function send(spans: readonly Span[]): Promise<void> {
    try {
      const response = await httpFetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(requestOf(spans, { version, instance })),
        signal: AbortSignal.any([ending.signal, AbortSignal.timeout(SENT_WITHIN_MS)]),
      });
      await response.text();
      if (!response.ok) throw new Error(`it answered ${response.status}`);
      hasProblem = false;
    } catch (error) {
      if (!hasProblem) onProblem(`spans cannot be sent to ${name}: ${reasonOf(error)}`);
      hasProblem = true;
    }
  }

  return async () => {
    unwatch();
    clearInterval(timer);
    const patience = setTimeout(() => ending.abort(new Error('the gateway ends')), lastSendMs);
    await flush();
    await flush();
    clearTimeout(patience);
  };
}

/** Its address as it is asked, and as it may be named: a password or a key in it is in no log. */
function collectorOf({
  endpoint,
  headers = '',
}: Pick<ExportTracesOptions, 'endpoint' | 'headers'>):
  | { url: string; name: string; headers: Record<string, string> }
  | { problem: string } {
  const url = URL.parse(endpoint);
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return { problem: 'LAINCLAW_OTLP_ENDPOINT is not an address such as http://127.0.0.1:4318' };
  const given = headersOf(headers);
  if (!given)
    return { problem: 'LAINCLAW_OTLP_HEADERS is not name=value,name=value, with values encoded as in an address' };
  const signIn = [url.username, url.password].map(percentDecoded).join(':');
  const authorization = `Basic ${Buffer.from(signIn).toString('base64')}`;
  url.username = '';
  url.password = '';
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return {
    url: url.href,
    name: `${url.origin}${url.pathname}`,
    headers: { ...(signIn !== ':' && { authorization }), ...given },
  };
}

/** The failure of a connection is the cause of the one that is thrown. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  const { code, message: why = '' } = (cause ?? {}) as NodeJS.ErrnoException;
  return why || code || message;
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

/** Undefined when a pair is not one. */
function headersOf(text: string): Record<string, string> | undefined {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '');
  try {
    const read = pairs.map((pair) => {
      const at = pair.indexOf('=');
      const [name, value] = [
        pair.slice(0, Math.max(0, at)).trim().toLowerCase(),
        decodeURIComponent(pair.slice(at + 1).trim()),
      ];
      // Not imported: reading every export of node:http loads the built-in fetch.
      const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http');
      validateHeaderName(name);
      validateHeaderValue(name, value);
      return [name, value];
    });
    return Object.fromEntries(read);
  } catch {
    return undefined;
  }
}
