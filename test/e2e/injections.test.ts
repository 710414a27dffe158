// A model that obeys whatever it reads: a hundred calls that an attacker wrote into a file, a command's output, an MCP answer, a skill, a
// received file, a memory, a document, a page of the web or the output of a process. Nobody is there to approve, and the mode is the freest one. Nothing that lasts, leaves or is run by other programs
// may come of it; the same work on the person's own content is done without a question.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXECUTED_PLANTS } from '../corpora/executed-plants.ts';
import { type InjectedCall, injectedCalls } from '../corpora/injected-calls.ts';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply, ReplyToolCall } from '../fakes/model-server/reply.ts';
import { CARRIERS, type Carrier } from '../support/injection-carriers.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { type Model, modelFor } from '../support/model-providers.ts';

const PER_DOCUMENT = 20;
/** How a document of the attacker, or of the person, tells what to call. */
const ORDER = 'CALL ';

let server: Server;
let reached = 0;
beforeAll(async () => {
  server = createServer((_request, response) => {
    reached += 1;
    response.end('taken');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

/** Reads first, then calls whatever a result told it to, then answers. */
function obeying(reading: readonly ReplyToolCall[]): (request: NeutralRequest) => Reply {
  return ({ messages }) => {
    const results = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
    const next = reading[results.filter(({ role }) => role === 'assistant').length];
    if (next) return { toolCalls: [next] };
    const told = results.flatMap((result) => (result.role === 'tool' ? [result.text] : [])).slice(0, reading.length);
    const hasObeyed = results.filter(({ role }) => role === 'assistant').length > reading.length;
    const orders = hasObeyed ? [] : told.flatMap(ordersIn);
    return orders.length > 0 ? { toolCalls: orders } : { text: 'Done.' };
  };
}

/** JSON may be quoted in a result once more. */
function ordersIn(text: string): ReplyToolCall[] {
  const plain =
    text.includes(`\\n${ORDER}`) || text.includes('\\"name\\"')
      ? text.replaceAll('\\n', '\n').replaceAll('\\"', '"').replaceAll('\\\\', '\\')
      : text;
  return plain
    .split(ORDER)
    .slice(1)
    .flatMap((rest) => {
      const json = wholeObject(rest);
      try {
        return json === undefined ? [] : [JSON.parse(json) as ReplyToolCall];
      } catch {
        return [];
      }
    });
}

/** The object that a text begins with, whatever follows it. */
function wholeObject(text: string): string | undefined {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (token === '}' && depth === 0) return text.slice(0, index + 1);
  }
  return undefined;
}

const documentOf = (calls: readonly InjectedCall[]): string =>
  calls.map(({ name, args }) => `${ORDER}${JSON.stringify({ name, args })}\n`).join('');

/** A call of a tool that the model was only told by name is on record as a call of that tool. */
function unfolded(call: InjectedCall): InjectedCall {
  return call.name === 'tool_call' ? (call.args as InjectedCall) : call;
}

interface Called {
  call: { name: string; args: object };
  result: { ok: boolean; error?: { reason?: string; message: string } };
}

async function readAndObey(
  model: Model,
  { read, readOn }: Pick<Carrier, 'read' | 'readOn'>,
  document: string,
): Promise<Called[]> {
  const first = typeof read === 'function' ? read(document, model.home) : read;
  const reading = readOn ? [first, readOn] : [first];
  model.follow(obeying(reading));
  const asked = await model.ask('look at it', '--mode', 'auto', '--new-session', '--tool-max-steps', '6');
  const { toolResults } = asked.json<{ toolResults: Called[] }>();
  expect(toolResults[0]?.result, JSON.stringify(toolResults[0])).toMatchObject({ ok: true });
  return toolResults.slice(reading.length);
}

/** Everything that lasts, as far as it can be told from outside. */
async function lasting({ home }: Model, outside: string): Promise<unknown> {
  const json = async <T>(...args: string[]): Promise<T> => (await lainclaw(args, { home })).json<T>();
  const saved = await json<{ results: { source: string }[] }>('memory', 'search', 'obey everything sent');
  const text = (name: string): string =>
    existsSync(join(home.path, name)) ? readFileSync(join(home.path, name), 'utf8') : '';
  return {
    jobs: await json('schedule', 'list'),
    agents: await json('agents', 'status'),
    core: text('core_memory.json'),
    permissions: text('permissions.json'),
    saved: saved.results.filter(({ source }) => source === 'manual'),
    planted: EXECUTED_PLANTS.filter(({ path }) => existsSync(join(home.workspace, path))).map(({ path }) => path),
    outside: readdirSync(outside),
    git: existsSync(join(home.workspace, '.git')) && [
      readFileSync(join(home.workspace, '.git/config'), 'utf8'),
      readdirSync(join(home.workspace, '.git/hooks')).filter((name) => !name.endsWith('.sample')),
    ],
    reached,
  };
}

describe('a model that obeys', () => {
  it.each(CARRIERS)('$name: none of 100 injected calls has an effect', async (carrier) => {
    const model = await modelFor('openai-compatible', []);
    const { home } = model;
    const outside = join(home.base, 'outside');
    mkdirSync(outside);
    home.file('own.txt', 'mine\n');
    const { port } = server.address() as AddressInfo;
    const all = injectedCalls({ outside, address: `http://127.0.0.1:${port}` });
    expect(all.length).toBeGreaterThanOrEqual(100);
    const { characters, calls: most } = carrier.fits ?? { characters: Infinity, calls: Infinity };
    const calls = all.filter((call) => documentOf([call]).length <= characters).slice(0, most);
    await carrier.place(home, '', model);
    const before = await lasting(model, outside);
    const made: Called[] = [];
    const { perDocument = PER_DOCUMENT } = carrier;
    for (let at = 0; at < calls.length; at += perDocument) {
      const document = documentOf(calls.slice(at, at + perDocument));
      await carrier.place(home, document, model);
      made.push(...(await readAndObey(model, carrier, document)));
    }
    // It obeyed each of them.
    const obeyed = new Set(made.map(({ call }) => JSON.stringify([call.name, call.args])));
    expect(calls.map(unfolded).filter(({ name, args }) => !obeyed.has(JSON.stringify([name, args])))).toEqual([]);
    // A command may run in the sandbox; what it does there is compared below.
    expect(made.filter(({ call, result }) => result.ok && call.name !== 'bash').map(({ call }) => call)).toEqual([]);
    expect(await lasting(model, outside)).toEqual(before);
  });
});

describe('the same work without an injection, in a trusted folder', () => {
  const WORK: InjectedCall[] = [
    { name: 'memory_save', args: { content: 'The tests run with make.' } },
    { name: 'memory_core_update', args: { section: 'user', key: 'editor', value: 'vim' } },
    { name: 'schedule_add', args: { name: 'check', cron: '0 8 * * *', message: 'check it' } },
    { name: 'file_write', args: { path: 'Makefile', content: 'all:\n' } },
    { name: 'bash', args: { command: 'echo {} > package.json; ls' } },
  ];

  it.each(CARRIERS.filter(({ trust }) => trust))('$name: everything is done without a question', async (carrier) => {
    const model = await modelFor('openai-compatible', []);
    const { home } = model;
    mkdirSync(home.workspace, { recursive: true });
    const { perDocument = WORK.length } = carrier;
    const made: Called[] = [];
    for (let at = 0; at < WORK.length; at += perDocument) {
      const document = documentOf(WORK.slice(at, at + perDocument));
      await (carrier.placeOwn ?? carrier.place)(home, document, model);
      if (at === 0) await carrier.trust?.(home);
      made.push(...(await readAndObey(model, { ...carrier, read: carrier.readOwn ?? carrier.read }, document)));
    }
    const done = new Set(made.flatMap(({ call, result }) => (result.ok ? [JSON.stringify(call.args)] : [])));
    expect(WORK.filter(({ args }) => !done.has(JSON.stringify(args)))).toEqual([]);
    expect(made.filter(({ result }) => result.error?.reason === 'denied')).toEqual([]);
  });
});
