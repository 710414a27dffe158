import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestOf } from '../../../test/conformance/adapter-subject.ts';
import { memoryOwnerFiles } from '../../../test/support/memory-owner-files.ts';
import type { Adapter, ModelMessage } from '../adapter.ts';
import type { HttpPartsFetch } from '../http-fetch.ts';
import { createModelLimits } from '../model-limits.ts';
import { findProvider } from '../providers/all.ts';
import { createPiAdapter } from './pi-adapter.ts';

const ANSWER = 'data: {"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

/** An adapter whose service answers everything alike, and the bodies of its requests. */
function adapterAt(baseUrl: string): { adapter: Adapter; bodies: string[] } {
  const provider = findProvider('openai-compatible');
  if (!provider) throw new Error('no provider openai-compatible');
  const bodies: string[] = [];
  const http: HttpPartsFetch = async (_url, { body = '' } = {}) => {
    bodies.push(typeof body === 'string' ? body : Buffer.concat(body.map((part) => Buffer.from(part))).toString());
    const read = async (): Promise<string> => ANSWER;
    const bytes = async function* () {
      yield new TextEncoder().encode(ANSWER);
    };
    return { ok: true, status: 200, headers: { get: () => null }, body: bytes(), text: read, json: read };
  };
  const adapter = createPiAdapter({
    provider,
    endpoint: async () => ({ ok: true, provider, baseUrl }),
    limits: createModelLimits({ files: memoryOwnerFiles(), now: Date.now }),
    windows: { known: async () => ({ isOpen: false }), lookUp: async () => undefined },
    credentials: {
      credential: async () => ({ ok: true, kind: 'api-key', secret: 'key' }),
      profileFor: async () => undefined,
      baseUrlFor: async () => undefined,
    },
    defaultModel: async () => ({ id: 'fake' }),
    fetch: async () => Promise.reject(new Error('not over fetch')),
    http,
    now: Date.now,
  });
  return { adapter, bodies };
}

async function send(adapter: Adapter, messages: ModelMessage[], model: string): Promise<void> {
  const request = { ...requestOf(...messages), model, turnNote: `Note ${messages.length}.` };
  for await (const event of adapter.stream(request, new AbortController().signal))
    if (event.type === 'failure') throw new Error(event.failure.message);
}

const images = [{ mimeType: 'image/png', data: 'iVBORw0KGgo=' }];
const text = fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom('', ' ', '你好 "x"', '\ud83d', '🌧\n'));
const round = fc.record({ said: text, result: text, seen: fc.boolean(), steered: fc.option(text) });
const turn = fc.record({
  question: text,
  hasPicture: fc.boolean(),
  rounds: fc.array(round, { maxLength: 2 }),
  answer: text,
});
type TestTurn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

let calls = 0;

/** The messages of a turn, made once, as a session makes them; the question and each round end a request. */
function messagesOf({ question, hasPicture, rounds, answer }: TestTurn): ModelMessage[][] {
  const asked: ModelMessage = { role: 'user', text: question, ...(hasPicture && { images }) };
  const steps = rounds.map(({ said, result, seen, steered }): ModelMessage[] => {
    calls += 1;
    const id = `call-${calls}|item`;
    return [
      { role: 'assistant', text: said, toolCalls: [{ id, name: 'weather', args: { city: said } }] },
      { role: 'tool', callId: id, toolName: 'weather', text: result, isError: false, ...(seen && { images }) },
      ...(steered === null ? [] : [{ role: 'user' as const, text: steered }]),
    ];
  });
  return [[asked], ...steps, [{ role: 'assistant', text: answer, toolCalls: [] }]];
}

const summary = (): ModelMessage[] => [
  { role: 'user', text: 'Before this: nothing.' },
  { role: 'assistant', text: 'I continue.', toolCalls: [] },
];

const action = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('turn' as const), turn, remade: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeat' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewind' as const), turns: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('model' as const), other: fc.boolean() }) },
);

const services = fc.constantFrom(
  ['http://127.0.0.1:1/v1', 'fake', 'other'],
  ['https://openrouter.ai/api/v1', 'anthropic/claude-sonnet-4.5', 'openai/gpt-5'],
  ['https://api.deepseek.com', 'deepseek-v4-pro', 'deepseek-v4-flash'],
);

test('a request has the same content, whatever was sent before', async () => {
  await fc.assert(
    fc.asyncProperty(
      services,
      fc.boolean(),
      fc.array(action, { maxLength: 12 }),
      async (service, isSummarised, actions) => {
        const [baseUrl = '', first = '', second = ''] = service;
        const lasting = adapterAt(baseUrl);
        let model = first;
        let turns: ModelMessage[][] = [];
        const check = async (messages: ModelMessage[]): Promise<void> => {
          const fresh = adapterAt(baseUrl);
          const sent = [...(isSummarised ? summary() : []), ...messages];
          await send(lasting.adapter, sent, model);
          await send(fresh.adapter, sent, model);
          expect(JSON.parse(lasting.bodies.at(-1) ?? '')).toEqual(JSON.parse(fresh.bodies.at(-1) ?? ''));
        };
        for (const each of actions) {
          if (each.kind === 'rewind') turns = turns.slice(0, Math.max(0, turns.length - each.turns));
          else if (each.kind === 'model') model = each.other ? second : first;
          else if (each.kind === 'repeat') await check([...turns.flat(), { role: 'user', text: 'Again?' }]);
          else {
            const steps = messagesOf(each.turn);
            for (let count = 1; count < steps.length; count += 1)
              await check([...turns.flat(), ...steps.slice(0, count).flat()]);
            // A session makes the messages of a turn that has ended again.
            turns = [...turns, each.remade ? structuredClone(steps.flat()) : steps.flat()];
          }
        }
      },
    ),
  );
});

test('the messages of earlier requests are not written again', async () => {
  const { adapter, bodies } = adapterAt('http://127.0.0.1:1/v1');
  let readings = 0;
  const watched = (message: ModelMessage): ModelMessage =>
    new Proxy(message, {
      get(target, name) {
        if (name === 'text') readings += 1;
        return Reflect.get(target, name) as unknown;
      },
    });
  const said = Array.from({ length: 50 }, (_, index): ModelMessage[] => [
    watched({ role: 'user', text: `Question ${index}` }),
    watched({ role: 'assistant', text: `Answer ${index}`, toolCalls: [] }),
  ]).flat();
  const question: ModelMessage = { role: 'user', text: 'And now?' };
  await send(adapter, [...said, question], 'fake');
  expect(readings).toBeGreaterThanOrEqual(said.length);
  readings = 0;
  await send(adapter, [...said, question], 'fake');
  expect(readings).toBe(0);
  expect(bodies[1]).toContain('"Answer 49"');
});
