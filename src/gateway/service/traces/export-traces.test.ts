// Spans as a collector of OpenTelemetry gets them.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newId } from '../../../lib/new-id.ts';
import type { RunEvent } from '../../../pipeline/events.ts';
import { createTurnHub, type TurnHub } from '../../turns/turn-hub.ts';
import { exportTraces } from './export-traces.ts';
import type { Span } from './turn-spans.ts';

interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: { resourceSpans: { resource: { attributes: Span['attributes'] }; scopeSpans: { spans: Span[] }[] }[] };
}

let collector: Server;
let endpoint: string;
let received: Received[];
let answer: number;
let clock: number;
beforeEach(async () => {
  received = [];
  answer = 200;
  clock = 1_000;
  collector = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as Received['body'];
    received.push({ path: request.url ?? '', headers: request.headers, body });
    response.writeHead(answer).end('{}');
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterEach(() => void collector.close());

function gateway(instance: string) {
  const hub = createTurnHub({ now: () => clock, newId });
  const problems: string[] = [];
  const options = { hub, endpoint, headers: 'x-key=a%20b', version: '1.2.3', instance, now: () => clock };
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
  { type: 'model-end', provider: 'openai', model: 'gpt', usage: { inputTokens: 7, outputTokens: 3 }, durationMs: 10 },
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
    'gen_ai.usage.input_tokens': '7',
    'gen_ai.usage.output_tokens': '3',
  });
  expect(attributesOf(tool)).toMatchObject({ 'gen_ai.tool.name': 'bash', 'error.type': 'execution_error' });
  expect([model?.status.code, tool?.status.code, turn?.status.code]).toEqual([1, 2, 1]);
  expect(JSON.stringify(received)).not.toContain('secret words');
});

it('a turn that another gateway takes up, and a sub-agent, join the trace of the question', async () => {
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

it('a collector that refuses is reported once, and the turns go their way', async () => {
  const { hub, end, problems } = gateway('one');
  answer = 503;
  await runTurn(hub, 'turn-1', [START, END]);
  await end();
  expect(problems).toEqual([expect.stringContaining('it answered 503')]);
});
