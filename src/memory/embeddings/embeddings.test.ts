import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testMemory } from '../../../test/support/test-memory.ts';
import { newId } from '../../lib/new-id.ts';
import { OWNER } from '../../vocabulary/memory-scope.ts';
import { createMemory } from '../memory.ts';
import { createEmbeddings, type EmbeddingModel } from './embeddings.ts';
import { createEndpointModel } from './endpoint.ts';

const MEANINGS = [
  ['cat', 'feline', 'kitten', 'murka'],
  ['car', 'vehicle', 'automobile', 'truck'],
  ['bread', 'loaf', 'bakery'],
];

/** A model that knows three meanings: one number each, and noise after them. */
function meaning(text: string, dimension: number): number[] {
  const lower = text.toLowerCase();
  return Array.from({ length: dimension }, (_, index) =>
    index < MEANINGS.length ? (MEANINGS[index]?.some((word) => lower.includes(word)) ? 1 : -0.5) : Math.sin(index) / 50,
  );
}

interface FakeServer {
  baseUrl: string;
  requests: { model: string; input: string[] }[];
}

async function fakeServer(answer: (input: string[]) => { status?: number; body: unknown }): Promise<FakeServer> {
  const requests: FakeServer['requests'] = [];
  const server = createServer(async (request, response) => {
    let source = '';
    for await (const chunk of request) source += chunk;
    const body = JSON.parse(source) as { model: string; input: string[] };
    requests.push(body);
    const { status = 200, body: said } = answer(body.input);
    response.writeHead(request.url === '/v1/embeddings' ? status : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(said));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests };
}

const good = (dimension: number) => (input: string[]) => ({
  // Out of order, as a server may answer.
  body: { data: input.map((text, index) => ({ index, embedding: meaning(text, dimension) })).reverse() },
});

const NOTES = [
  'Murka sleeps all day.',
  'The truck is in the garage.',
  'Fresh loaf on Sunday.',
  'Nothing in particular.',
];

describe('an openai-compatible server', () => {
  it('finds by meaning what shares no word, and says so', async () => {
    const { baseUrl } = await fakeServer(good(40));
    const { memory } = testMemory(createEndpointModel({ baseUrl, model: 'fake' }));
    await memory.saveAll(NOTES.map((content) => ({ content })));
    expect((await memory.search('feline')).note).toContain('nothing has been embedded');
    expect(await memory.embed()).toEqual({ done: 4, total: 4 });
    const found = await memory.search('a feline');
    expect(found.mode).toBe('hybrid');
    expect(found.results[0]).toMatchObject({ text: NOTES[0], why: { vector: expect.any(Number) } });
    expect((await memory.search('my automobile', { fusion: 'reciprocal' })).results[0]?.text).toBe(NOTES[1]);
  });

  it.each([
    ['an error', () => ({ status: 500, body: { error: 'no' } }), '500'],
    ['too few vectors', () => ({ body: { data: [] } }), 'vectors'],
    ['no JSON at all', () => ({ body: 'x' }), 'vectors'],
  ])('that answers with %s leaves full text, with the reason', async (_name, answer, reason) => {
    const { baseUrl } = await fakeServer(answer as () => { status?: number; body: unknown });
    const { memory } = testMemory(createEndpointModel({ baseUrl, model: 'fake' }));
    await memory.save({ content: NOTES[0] ?? '' });
    const found = await memory.search('Murka');
    expect(found.results).toHaveLength(1);
    expect(found.note).toContain(reason);
    await expect(memory.embed()).rejects.toMatchObject({ code: 'MEMORY_EMBEDDING' });
  });

  it('that is not there leaves full text', async () => {
    const model = createEndpointModel({ baseUrl: 'http://127.0.0.1:1/v1', model: 'fake', apiKey: 'sk-secret' });
    const { memory } = testMemory(model);
    await memory.save({ content: NOTES[0] ?? '' });
    const { note, results } = await memory.search('Murka');
    expect(results).toHaveLength(1);
    expect(note).toContain('cannot be reached');
    expect(note).not.toContain('sk-secret');
  });
});

function fakeModel(name: string, dimension: number, onEmbed: () => void = () => {}): EmbeddingModel {
  return {
    name,
    async embed(texts) {
      onEmbed();
      return texts.map((text) => Float32Array.from(meaning(text, dimension)));
    },
    close() {},
  };
}

it('a question is embedded without the names of the speakers it asks about, a turn by its own words', async () => {
  const embedded: string[] = [];
  const { memory } = testMemory({
    name: 'one',
    async embed(texts) {
      embedded.push(...texts);
      return texts.map((text) => Float32Array.from(meaning(text, 40)));
    },
    close() {},
  });
  const turn = { session: 's', source: 'chat' };
  await memory.saveAll([
    { ...turn, content: 'What is new with the garage?', speaker: 'Ines' },
    { ...turn, content: 'I bought a truck.', speaker: 'Karl' },
  ]);
  await memory.embed();
  await memory.search('Which truck did Karl buy?');
  expect(embedded).toEqual(['What is new with the garage?', 'I bought a truck.', 'Which truck did buy?']);
});

describe('changing the model', () => {
  it('re-embeds everything; vectors of the two never meet, and the old ones go last', async () => {
    const { memory, archive, again } = testMemory(fakeModel('one', 40));
    await memory.saveAll(NOTES.map((content) => ({ content })));
    await memory.embed();
    const next = again(fakeModel('two', 64)).memory;
    expect((await next.search('feline')).mode).toBe('full-text');
    expect(await next.embed()).toEqual({ done: 4, total: 4 });
    expect((await next.search('feline')).results[0]?.text).toBe(NOTES[0]);
    expect(await archive.embedded('one')).toEqual({ done: 0, total: 4 });
  });

  it('leaves what has no vector yet in its place by its words', async () => {
    const { memory, archive } = testMemory(fakeModel('one', 40));
    await memory.prepareIndex();
    await memory.saveAll([{ content: 'the garage key' }, { content: 'a truck and a garage and a car' }]);
    const { chunks } = await archive.pending('one', { after: 1, limit: 1 });
    await archive.putVectors('one', [{ id: chunks[0]?.id ?? 0, vector: Float32Array.from(meaning('truck', 40)) }]);
    const found = await memory.search('garage key');
    expect(found).toMatchObject({ mode: 'hybrid', note: 'only 1 of 2 chunks have been embedded yet' });
    expect(found.results[0]?.text).toBe('the garage key');
  });

  it('does not take letters in common for words in common', async () => {
    const { memory } = testMemory(fakeModel('one', 40));
    const notes = ['Murka is our pretty kitten.', 'The lorry wants tyres.', 'Rye loaf on Sunday.'];
    await memory.saveAll(notes.map((content) => ({ content })));
    await memory.embed();
    // "maintenance" and "kitten" share three letters, and nothing else.
    const { results } = await memory.search('vehicle maintenance');
    expect(results[0]).toMatchObject({ text: notes[1], why: { terms: [] } });
    expect(results.find(({ text }) => text === notes[0])?.score).toBeLessThan(0.25);
  });

  it('that is interrupted continues where it was', async () => {
    let batches = 0;
    const stop = new AbortController();
    const model = fakeModel('one', 40, () => {
      batches += 1;
      if (batches === 2) stop.abort();
    });
    const { memory } = testMemory(model);
    await memory.saveAll(Array.from({ length: 100 }, (_, index) => ({ content: `kitten ${index}` })));
    await expect(memory.embed({ signal: stop.signal })).rejects.toThrow();
    const seen: number[] = [];
    expect(await memory.embed({ onProgress: ({ done }) => seen.push(done) })).toEqual({ done: 100, total: 100 });
    expect(seen[0]).toBeGreaterThan(32);
  });

  it('leaves a process that still runs with the old one without a say', async () => {
    let asked = 0;
    const old = testMemory(fakeModel('old', 40, () => (asked += 1)));
    await old.memory.saveAll(NOTES.map((content) => ({ content })));
    await old.memory.embed();
    const next = old.again(fakeModel('new', 64)).memory;
    await next.embed();
    asked = 0;
    // The old vectors are gone; it neither makes them again nor drops the new ones.
    await old.memory.save({ content: 'a new kitten' });
    expect(await old.memory.embed()).toEqual({ done: 0, total: 5 });
    expect(asked).toBe(0);
    expect(await next.embed()).toEqual({ done: 5, total: 5 });
    expect((await next.search('feline')).mode).toBe('hybrid');
    // Started again with the old model, it is the one that was chosen last.
    const again = old.again(fakeModel('old', 40)).memory;
    expect(await again.embed()).toEqual({ done: 5, total: 5 });
    expect(await old.archive.embedded('new')).toEqual({ done: 0, total: 5 });
  });

  it('while the process runs is followed with the next use', async () => {
    const { shared, locks, memory: plain } = testMemory();
    await plain.saveAll(NOTES.map((content) => ({ content })));
    let choice: string | undefined = 'one';
    const closed: string[] = [];
    const embeddings = createEmbeddings({
      choose: async () => choice,
      open: async (name) => ({ ...fakeModel(name, name.length * 20), close: () => closed.push(name) }),
      locks,
    });
    const memory = createMemory({
      archive: shared.archive,
      embeddings,
      now: Date.now,
      timezone: () => 'UTC',
      newId,
    }).as(OWNER);
    expect(await memory.embed()).toEqual({ done: 4, total: 4 });
    choice = 'three';
    expect((await memory.search('feline')).mode).toBe('full-text');
    await memory.embed();
    expect((await memory.search('feline')).results[0]?.text).toBe(NOTES[0]);
    choice = undefined;
    expect((await memory.search('feline')).note).toContain('no embedding model');
    await expect(memory.embed()).rejects.toMatchObject({ code: 'MEMORY_MODEL' });
    expect(closed).toEqual(['one', 'three']);
  });

  it('behind its name is refused, until everything is embedded again', async () => {
    let dimension = 40;
    const model: EmbeddingModel = {
      ...fakeModel('one', 40),
      embed: async (texts) => texts.map((text) => Float32Array.from(meaning(text, dimension))),
    };
    const { memory } = testMemory(model);
    await memory.save({ content: 'a cat' });
    await memory.embed();
    dimension = 41;
    await memory.save({ content: 'a car' });
    await expect(memory.embed()).rejects.toThrow('another model');
    expect(await memory.search('kitten')).toMatchObject({ mode: 'full-text', note: expect.stringContaining('--all') });
    expect(await memory.embed({ all: true })).toEqual({ done: 2, total: 2 });
    expect((await memory.search('kitten')).mode).toBe('hybrid');
  });
});

it('the nearest by bits and bytes are the nearest by numbers', async () => {
  const { archive, memory } = testMemory();
  const count = 2_500;
  const dimension = 96;
  let state = 1;
  const random = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647 - 0.5;
  };
  await memory.saveAll(Array.from({ length: count }, (_, index) => ({ content: `note ${index}` })));
  const vectors = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    vector: Float32Array.from({ length: dimension }, random),
  }));
  for (let from = 0; from < count; from += 700) await archive.putVectors('m', vectors.slice(from, from + 700));
  for (const { id, vector } of [vectors[3], vectors[1_023], vectors[1_024], vectors[2_499]].filter(
    (entry) => entry !== undefined,
  )) {
    const [first] = await archive.nearest('m', vector, 10);
    expect(first?.id).toBe(id);
    expect(first?.similarity).toBeGreaterThan(0.99);
  }
  const [{ id: forgotten = '' } = {}] = (await memory.search('note 3')).results;
  await memory.forget(forgotten);
  expect((await archive.nearest('m', vectors[3]?.vector ?? new Float32Array(), 10)).map(({ id }) => id)).not.toContain(
    4,
  );
  expect(await archive.embedded('m')).toEqual({ done: count - 1, total: count - 1 });
});
