// Spans as a collector of OpenTelemetry gets them.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { newId } from '../../../lib/new-id.ts';
import type { RunEvent } from '../../../pipeline/events.ts';
import { createTurnHub, type TurnHub } from '../../turns/turn-hub.ts';
import { type ExportTracesOptions, exportTraces } from './export-traces.ts';
import type { Span } from './turn-spans.ts';

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: { resourceSpans: { resource: { attributes: Span['attributes'] }; scopeSpans: { spans: Span[] }[] }[] };
}

let collector: Server;
let endpoint: string;
let received: Received[];
/** The status that is answered; undefined: the request is left hanging. */
let answer: number | undefined;
let clock: number;
beforeEach(async () => {
  received = [];
  answer = 200;
  clock = 1_000;
  collector = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Received['body'];
    received.push({ path: request.url ?? '', headers: request.headers, body });
    if (answer !== undefined) response.writeHead(answer).end('{}');
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterEach(() => {
  collector.closeAllConnections();
  collector.close();
});

function gateway(instance: string, more: Partial<ExportTracesOptions> = {}) {
  const hub = createTurnHub({ now: () => clock, newId });
  const problems: string[] = [];
  const options = {
    hub,
    endpoint,
    headers: 'x-key=a%20b',
    version: '1.2.3',
    instance,
    now: () => clock,
    lastSendMs: 60_000,
    ...more,
  };
  const end = exportTraces({ ...options, onProblem: (problem) => problems.push(problem) });
  return { hub, end, problems };
}

async function runTurn(
  hub: TurnHub,
  id: string,
  events: readonly RunEvent[],
  more: { origin?: string; parentId?: string } = {},
) {
  const facts = { id, sessionKey: 'main', provider: 'stub', ...more };
  await hub.start({
    ...facts,
    signal: new AbortController().signal,
    async *run() {
      for (const event of events) {
        yield event;
        clock += 10;
      }
    },
  });
}

const START: RunEvent = { type: 'run-start', requestId: 'r', turnId: 't', sessionKey: 'main', provider: 'stub' };
const END = { type: 'run-end', result: { stage: 'answered' } } as RunEvent;
const CALL = { id: 'c1', name: 'bash', source: 'model' as const, args: { command: 'secret words' } };
const EVENTS: RunEvent[] = [
  START,
  { type: 'model-start', provider: 'openai', model: 'gpt' },
  { type: 'text-delta', text: 'secret words' },
  {
    type: 'model-end',
    provider: 'openai',
    model: 'gpt',
    usage: { inputTokens: 7, outputTokens: 3, cachedTokens: 5 },
    durationMs: 10,
  },
  { type: 'tool-start', call: CALL },
  {
    type: 'tool-end',
    call: CALL,
    result: { ok: false, text: 'secret words', error: { code: 'execution_error', message: 'secret words' } },
  } as unknown as RunEvent,
  END,
];
const spans = (): Span[] =>
  received.flatMap(({ body }) => body.resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans)));
const attributesOf = (span: Span | undefined): Record<string, string> =>
  Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0] as string]));

it('a turn, its model call and its tool call are spans of one trace, without what was said', async () => {
  const { hub, end } = gateway('one');
  await runTurn(hub, 'turn-1', EVENTS);
  await end();
  const [request] = received;
  expect(request).toMatchObject({
    path: '/v1/traces',
    headers: { 'x-key': 'a b', 'content-type': 'application/json' },
  });
  expect(attributesOf({ attributes: request?.body.resourceSpans[0]?.resource.attributes } as Span)).toEqual({
    'service.name': 'lainclaw',
    'service.version': '1.2.3',
    'service.instance.id': 'one',
  });
  const [model, tool, turn] = spans();
  expect([model, tool, turn].map((span) => span?.name)).toEqual([
    'chat gpt',
    'execute_tool bash',
    'invoke_agent lainclaw',
  ]);
  for (const span of spans()) {
    expect(span.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(span.traceId).toBe(turn?.traceId);
    expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(span.startTimeUnixNano).toMatch(/^\d+000000$/);
  }
  expect([model?.parentSpanId, tool?.parentSpanId, turn?.parentSpanId]).toEqual([
    turn?.spanId,
    turn?.spanId,
    undefined,
  ]);
  expect([model?.startTimeUnixNano, model?.endTimeUnixNano]).toEqual(['1010000000', '1030000000']);
  expect(attributesOf(model)).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt',
    'gen_ai.conversation.id': 'main',
    'gen_ai.usage.input_tokens': '7',
    'gen_ai.usage.cache_read.input_tokens': '5',
    'gen_ai.usage.output_tokens': '3',
  });
  expect(attributesOf(tool)).toMatchObject({ 'gen_ai.tool.name': 'bash', 'error.type': 'execution_error' });
  expect([model?.status.code, tool?.status.code, turn?.status.code]).toEqual([0, 2, 0]);
  expect(JSON.stringify(received)).not.toContain('secret words');
});

it('a turn that another gateway takes up joins the trace of the question', async () => {
  const [one, two] = [gateway('one'), gateway('two')];
  await runTurn(one.hub, 'turn-a', [START, END], { origin: 'question' });
  await runTurn(two.hub, 'turn-b', [START, END], { origin: 'question' });
  await runTurn(two.hub, 'turn-c', [START, END], { origin: 'another' });
  await one.end();
  await two.end();
  const [first, second, third] = spans();
  expect(second?.traceId).toBe(first?.traceId);
  expect(second?.spanId).not.toBe(first?.spanId);
  expect(third?.traceId).not.toBe(first?.traceId);
});

it("a sub-agent's turn is below the turn that waits for it", async () => {
  const { hub, end } = gateway('one');
  await hub.start({
    id: 'turn-1',
    sessionKey: 'main',
    provider: 'stub',
    signal: new AbortController().signal,
    async *run() {
      yield START;
      await runTurn(hub, 'turn-2', [START, END], { parentId: 'turn-1' });
      yield END;
    },
  });
  await end();
  const [below, above] = spans();
  expect(below).toMatchObject({ traceId: above?.traceId, parentSpanId: above?.spanId });
});

it('providers have the names of the conventions, and a tool that a model invented has none', async () => {
  const { hub, end } = gateway('one');
  const call = { ...CALL, name: 'secret words' };
  const result = { ok: false, error: { code: 'tool_not_found', message: 'secret words' } };
  await runTurn(hub, 'turn-1', [
    START,
    ...['mistral', 'xai', 'gemini', 'openai-codex', 'groq'].map(
      (provider): RunEvent => ({ type: 'model-end', provider, durationMs: 1 }),
    ),
    { type: 'tool-end', call, result } as unknown as RunEvent,
    END,
  ]);
  await end();
  expect(spans().map((span) => attributesOf(span)['gen_ai.provider.name'])).toEqual([
    'mistral_ai',
    'x_ai',
    'gcp.gemini',
    'openai',
    'groq',
    undefined,
    'stub',
  ]);
  expect(spans()[5]).toMatchObject({ name: 'execute_tool', status: { code: 2 } });
  expect(JSON.stringify(received)).not.toContain('secret words');
});

it('a span does not end before it began when the clock is set back', async () => {
  const { hub, end } = gateway('one');
  await hub.start({
    id: 'turn-1',
    sessionKey: 'main',
    provider: 'stub',
    signal: new AbortController().signal,
    async *run() {
      yield START;
      clock -= 500;
      yield END;
    },
  });
  await end();
  expect(spans()[0]?.endTimeUnixNano).toBe(spans()[0]?.startTimeUnixNano);
});

it('a collector that refuses is reported once, and the turns go their way', async () => {
  const { hub, end, problems } = gateway('one');
  answer = 503;
  await runTurn(hub, 'turn-1', [START, END]);
  await end();
  expect(problems).toEqual([expect.stringContaining('it answered 503')]);
});

it('a collector that hangs gets one request at a time, and the end waits for it only briefly', async () => {
  const { hub, end, problems } = gateway('one', { sendEveryMs: 1, lastSendMs: 20 });
  answer = undefined;
  await runTurn(hub, 'turn-1', [START, END]);
  await eventually(() => expect(received.length).toBe(1));
  await runTurn(hub, 'turn-2', [START, END]);
  await end();
  expect(received.length).toBe(1);
  expect(problems).toEqual([expect.stringContaining('the gateway ends')]);
});

it('the reason why a collector cannot be reached is named, and neither its password nor its key', async () => {
  collector.closeAllConnections();
  collector.close();
  const address = `${endpoint.replace('//', '//me:hidden@')}?key=hidden`;
  const { hub, end, problems } = gateway('one', { endpoint: address });
  await runTurn(hub, 'turn-1', [START, END]);
  await end();
  expect(problems).toEqual([
    expect.stringMatching(/^spans cannot be sent to http:\/\/127\.0\.0\.1:\d+\/v1\/traces: .*ECONNREFUSED/),
  ]);
  expect(problems.join()).not.toContain('hidden');
});

it('a name and password in the address are sent as Authorization', async () => {
  const { hub, end, problems } = gateway('one', { endpoint: `${endpoint.replace('//', '//me:p%40ss@')}/base/?key=1` });
  await runTurn(hub, 'turn-1', [START, END]);
  await end();
  expect(problems).toEqual([]);
  expect(received[0]?.path).toBe('/base/v1/traces?key=1');
  expect(received[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
});

it.each([
  [{ endpoint: 'collector:4318' }, 'LAINCLAW_OTLP_ENDPOINT'],
  [{ headers: 'hidden' }, 'LAINCLAW_OTLP_HEADERS'],
  [{ headers: 'x-key=%hidden' }, 'LAINCLAW_OTLP_HEADERS'],
])('an address or headers that cannot be used are said at the start: %j', async (more, variable) => {
  const { end, problems } = gateway('one', more);
  expect(problems).toEqual([expect.stringContaining(`no spans are sent: ${variable}`)]);
  expect(problems.join()).not.toContain('hidden');
  await end();
});
