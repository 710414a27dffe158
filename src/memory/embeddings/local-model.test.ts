import { copyFileSync, cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRealModel, openRealModel, realModelFolder } from '../../../test/support/embedding-model.ts';
import { temporaryHome, testMemory } from '../../../test/support/test-memory.ts';
import { openTinyModel, writeTinyModel } from '../../../test/support/tiny-model.ts';
import { createLocks } from '../../storage/local/locks.ts';
import { createOwnerFiles } from '../../storage/local/owner-files.ts';
import { createModelStore } from '../models/model-store.ts';
import { RUNTIME } from '../models/onnx-runtime.ts';
import type { EmbeddingModel } from './embeddings.ts';
import { createLocalModel, usualThreads } from './local-model.ts';
import { type Pooling, pool } from './pool.ts';

/** A model is loaded and run many times here, on whatever machine. */
const PATIENCE_MS = 240_000;

interface TestModel {
  open(): EmbeddingModel;
  folder(): string;
  file: string;
}
const TINY: TestModel = {
  open: () => openTinyModel(join(mkdtempSync(join(tmpdir(), 'lainclaw-tiny-')), 'tiny')),
  folder: () => writeTinyModel(join(temporaryHome(), 'tiny')),
  file: 'model.safetensors',
};
const REAL: TestModel = { open: openRealModel, folder: realModelFolder, file: 'onnx/model_q4.onnx' };
/** The small one of our own always; a real one where it is installed (npm run test:onnx). */
const MODELS: [string, TestModel][] = [
  ['static model', TINY],
  ...(hasRealModel() ? [['real ONNX model', REAL] as [string, TestModel]] : []),
];

const likeness = (a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()): number =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

function newStore() {
  const home = temporaryHome();
  const locks = createLocks(join(home, 'locks'));
  const store = createModelStore({
    directory: join(home, 'models'),
    cwd: home,
    locks,
    files: createOwnerFiles(home, locks),
    hasEndpoint: false,
    fetch,
    runNpm: async () => '',
    runtimeFolder: join(home, 'runtime'),
    now: Date.now,
    newId: (prefix) => `${prefix}1`,
    openModel: createLocalModel,
  });
  return { home, store };
}

describe('the usual number of threads', () => {
  it.each([
    [1, 1],
    [2, 2],
    [3, 2],
    [6, 3],
    [64, 4],
  ])('of %i processors is %i', (processors, threads) => {
    expect(usualThreads(processors)).toBe(threads);
  });
});

describe.each(MODELS)('a %s', { timeout: PATIENCE_MS }, (_name, { open, folder, file }) => {
  let model: EmbeddingModel;
  beforeAll(() => {
    model = open();
  });
  afterAll(() => model.close());

  it('gives texts of one meaning like vectors, of length one', async () => {
    const [cat, feline, market] = await model.embed(
      ['A cat sleeps on the sofa.', 'The kitten is napping on the couch.', 'Share prices fell sharply today.'],
      'passage',
    );
    expect(likeness(cat, cat)).toBeCloseTo(1, 4);
    expect(likeness(cat, feline)).toBeGreaterThan(0.6);
    expect(likeness(cat, market)).toBeLessThan(0.2);
  });

  it('gives a text the same vector in any company and order', async () => {
    const texts = ['a cat', 'a question that is a good deal longer than the cat beside it', 'bread 猫 🐈'];
    const together = await model.embed(texts, 'passage');
    const reversed = (await model.embed(texts.toReversed(), 'passage')).toReversed();
    for (const [index, text] of texts.entries()) {
      const [alone] = await model.embed([text], 'passage');
      expect(likeness(alone, together[index])).toBeGreaterThan(0.999);
      expect(likeness(alone, reversed[index])).toBeGreaterThan(0.999);
    }
  });

  it('takes a text of any length; only its beginning counts', async () => {
    const beginning = 'The harvest of olives in Crete begins in November. '.repeat(60);
    const [whole, longer] = await model.embed([beginning, `${beginning}${'Prices. '.repeat(2_000)}`], 'passage');
    expect(likeness(whole, longer)).toBeGreaterThan(0.999);
  });

  it('answers a query before a batch that was asked for earlier', async () => {
    const order: string[] = [];
    const batch = model
      .embed(
        Array.from({ length: 130 }, (_, index) => `${index} ${'some words of a longer text '.repeat(8)}`),
        'passage',
      )
      .then(() => order.push('batch'));
    const query = model.embed(['a question'], 'query').then(() => order.push('query'));
    await Promise.all([batch, query]);
    expect(order).toEqual(['query', 'batch']);
  });

  it('leaves the main thread free while it is loaded and while it works', async () => {
    const another = open();
    let turns = 0;
    let isWorking = true;
    const count = (): void => {
      turns += 1;
      if (isWorking) setImmediate(count);
    };
    count();
    await another.embed(['one', 'two'], 'passage');
    isWorking = false;
    another.close();
    expect(turns).toBeGreaterThan(100);
  });

  it('that is stopped rejects with the reason, and works again', async () => {
    const stop = new AbortController();
    const stopped = model.embed(['a', 'b'], 'passage', stop.signal);
    stop.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    const another = open();
    const closed = another.embed(['a'], 'passage');
    another.close();
    await expect(closed).rejects.toMatchObject({ code: 'MEMORY_MODEL' });
    expect(await another.embed(['a'], 'passage')).toHaveLength(1);
    another.close();
  });

  it('finds by meaning what shares no word', async () => {
    const { memory } = testMemory(model);
    const notes = ['Murka is our kitten.', 'The lorry needs new tyres.', 'We buy rye loaves on Sunday.'];
    await memory.saveAll(notes.map((content) => ({ content })));
    expect(await memory.embed()).toEqual({ done: 3, total: 3 });
    expect((await memory.search('feline pet')).results[0]?.text).toBe(notes[0]);
    expect((await memory.search('vehicle maintenance')).results[0]?.text).toBe(notes[1]);
    expect((await memory.search('bakery')).results[0]?.text).toBe(notes[2]);
  });

  async function addModel() {
    const { store, home } = newStore();
    await store.add(folder(), { name: 'real', pooling: 'mean' });
    return { store, added: join(home, 'models/real') };
  }

  it('that was added is refused when a file of it has changed, and accepted when it is put back', async () => {
    const { store, added } = await addModel();
    const opened = createLocalModel(await store.get('real'));
    const path = join(added, 'tokenizer.json');
    const whole = readFileSync(path, 'utf8');
    writeFileSync(path, whole.replace('[UNK]', '[unk]'));
    await expect(opened.embed(['x'], 'passage')).rejects.toThrow(
      /tokenizer\.json has changed.*memory model remove real/s,
    );
    writeFileSync(path, whole);
    expect(await opened.embed(['x'], 'passage')).toHaveLength(1);
    opened.close();
  });

  it.each(['tokenizer.json', file])('with a %s of another kind is not added', async (path) => {
    const home = temporaryHome();
    cpSync(folder(), join(home, 'broken'), { recursive: true });
    copyFileSync(join(home, 'broken/config.json'), join(home, 'broken', path));
    const { store } = await addModel();
    await expect(store.add(join(home, 'broken'))).rejects.toMatchObject({ code: 'MEMORY_MODEL' });
    expect(await store.list()).toHaveLength(1);
  });
});

const describeReal = hasRealModel() ? describe : undefined;
describeReal?.('a model whose files do not say how it pools', { timeout: PATIENCE_MS }, () => {
  it('is refused until a person says it', async () => {
    const { store } = newStore();
    await expect(store.add(realModelFolder())).rejects.toThrow(/no 1_Pooling\/config\.json.*--pooling mean/s);
    expect(await store.add(realModelFolder(), { pooling: 'mean' })).toMatchObject({ pooling: 'mean', dimension: 384 });
  });
});

it('the runtime to install is the one this was made with', () => {
  const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    peerDependencies: Record<string, string>;
  };
  expect(RUNTIME).toBe(`onnxruntime-web@${peerDependencies['onnxruntime-web']}`);
});

it.each<[Pooling, number[]]>([
  ['mean', [3, 4]],
  ['cls', [1, 0]],
  ['max', [2, 4]],
  ['last', [2, 4]],
])('%s pooling leaves padding out', (pooling, direction) => {
  const data = Float32Array.of(1, 0, 2, 4, 99, 99);
  const [vector] = pool({ data, texts: 1, tokens: 3, dimension: 2, lengths: [2] }, pooling);
  const length = Math.hypot(...direction);
  expect(vector?.[0]).toBeCloseTo((direction[0] ?? 0) / length, 5);
  expect(vector?.[1]).toBeCloseTo((direction[1] ?? 0) / length, 5);
});
