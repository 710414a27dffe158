import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryHome } from '../../../test/support/test-memory.ts';
import { writeTinyModel } from '../../../test/support/tiny-model.ts';
import { newId } from '../../lib/new-id.ts';
import { createLocks } from '../../storage/local/locks.ts';
import { createOwnerFiles } from '../../storage/local/owner-files.ts';
import type { EmbeddingModel } from '../embeddings/embeddings.ts';
import { identityOf } from '../embeddings/local-model.ts';
import type { ModelManifest } from './manifest.ts';
import { createModelStore } from './model-store.ts';

const FILES: Record<string, string> = {
  'tokenizer.json': '{"model":{}}',
  'config.json': '{}',
  'onnx/model.onnx': 'exact',
  'onnx/model.onnx_data': 'weights',
  'onnx/model_quantized.onnx': 'small',
  '1_Pooling/config.json': '{"pooling_mode_cls_token":true}',
  'README.md': 'not part of a model',
};

function setUp({ hasEndpoint = false, broken = false } = {}) {
  const base = temporaryHome();
  const home = join(base, 'home');
  const locks = createLocks(join(home, 'locks'));
  const tried: { folder: string; manifest: ModelManifest }[] = [];
  const openModel = (options: { folder: string; manifest: ModelManifest }): EmbeddingModel => {
    tried.push(options);
    const vector = broken ? new Float32Array() : Float32Array.of(0.6, 0.8);
    return { name: 'tried', embed: async (texts) => texts.map(() => vector), close() {} };
  };
  const files = createOwnerFiles(home, locks);
  const dependencies = {
    directory: join(home, 'models'),
    cwd: base,
    locks,
    files,
    hasEndpoint,
    fetch,
    runNpm: async () => '',
    runtimeFolder: join(home, 'runtime'),
    newId,
    openModel,
  };
  const store = createModelStore({ ...dependencies, now: () => Date.UTC(2026, 0, 1) });
  const folder = join(base, 'my-model');
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const left = (): string[] => (existsSync(join(home, 'models')) ? readdirSync(join(home, 'models')) : []);
  return { base, home, folder, store, tried, left };
}

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const pathsOf = ({ files }: ModelManifest): string[] => files.map(({ path }) => path).toSorted();

describe('adding a model', () => {
  it('from a folder copies what belongs to it, private, with the sum of each file', async () => {
    const { home, store, tried, left } = setUp();
    const added = await store.add('my-model');
    expect(pathsOf(added)).toEqual([
      '1_Pooling/config.json',
      'config.json',
      'onnx/model.onnx',
      'onnx/model.onnx_data',
      'tokenizer.json',
    ]);
    expect(added).toMatchObject({
      name: 'my-model',
      dimension: 2,
      file: 'onnx/model.onnx',
      addedAt: '2026-01-01T00:00:00.000Z',
    });
    expect(added.files.find(({ path }) => path === 'onnx/model.onnx')).toEqual({
      path: 'onnx/model.onnx',
      bytes: 5,
      sha256: createHash('sha256').update('exact').digest('hex'),
    });
    expect(added.pooling).toBe('cls');
    expect(tried[0]?.manifest).toEqual({ ...added, dimension: 0 });
    expect(left()).toEqual(['my-model']);
    expect(statSync(join(home, 'models/my-model')).mode & 0o777).toBe(0o700);
    expect(statSync(join(home, 'models/my-model/onnx/model.onnx')).mode & 0o777).toBe(0o600);
    expect(await store.list()).toMatchObject([{ ok: true, name: 'my-model' }]);
    expect((await store.get('my-model')).manifest).toEqual(added);
  });

  it('takes the graph and the name that are asked for, and follows links', async () => {
    const { base, folder, store } = setUp();
    symlinkSync(folder, join(base, 'linked'));
    const added = await store.add('linked', { name: 'small', file: 'onnx/model_quantized.onnx' });
    expect(added).toMatchObject({ name: 'small', file: 'onnx/model_quantized.onnx' });
    expect(pathsOf(added)).not.toContain('onnx/model.onnx_data');
  });

  it('keeps what a person says of its vectors, and that its files do not say it', async () => {
    const { folder, store, tried } = setUp();
    rmSync(join(folder, '1_Pooling'), { recursive: true });
    const prompts = { query: 'query: ', passage: 'passage: ' };
    expect(await store.add('my-model', { name: 'told', pooling: 'last', prompts })).toMatchObject({
      pooling: 'last',
      prompts,
    });
    expect(await store.add('my-model', { name: 'untold' })).toMatchObject({ pooling: 'unknown' });
    expect(tried.map(({ manifest }) => identityOf(manifest)).map((id, at, all) => all.indexOf(id) === at)).toEqual([
      true,
      true,
    ]);
  });

  it('with a checksum that must hold refuses other bytes', async () => {
    const { store, left } = setUp();
    const sums = { 'onnx/model.onnx': 'a'.repeat(64) };
    await expect(store.add('my-model', { sums })).rejects.toThrow('onnx/model.onnx of');
    expect(left()).toEqual([]);
  });

  it('from an archive finds a static model too', async () => {
    const { base, store } = setUp();
    writeTinyModel(join(base, 'tiny'));
    execFileSync('tar', ['-czf', join(base, 'tiny.tgz'), '-C', base, 'tiny']);
    expect(await store.add('tiny.tgz')).toMatchObject({ name: 'tiny', file: 'model.safetensors' });
  });

  it.each(['my-model.tar.gz', 'my-model.tgz'])('from %s finds the model inside', async (name) => {
    const { base, store, left } = setUp();
    execFileSync('tar', ['-czf', join(base, name), '-C', base, 'my-model']);
    const added = await store.add(name);
    expect(added).toMatchObject({ name: 'my-model', from: join(base, name), file: 'onnx/model.onnx' });
    expect(left()).toEqual(['my-model']);
  });

  it('from an address fetches each file, following a redirect', async () => {
    const { folder, store } = setUp();
    const address = await serve((request, response) => {
      const path = new URL(request.url ?? '', 'http://x').pathname;
      if (path.startsWith('/from/')) return response.writeHead(302, { location: path.replace('/from/', '/to/') }).end();
      const file = join(folder, path.replace('/to/org/my-model/', ''));
      if (!existsSync(file)) return response.writeHead(404).end();
      response.end(readFileSync(file));
    });
    const added = await store.add(`${address}/from/org/my-model?token=secret`);
    expect(added).toMatchObject({ name: 'my-model', from: `${address}/from/org/my-model`, file: 'onnx/model.onnx' });
    expect(JSON.stringify(await store.list())).not.toContain('secret');
  });

  it('from the address of an archive unpacks it as it arrives', async () => {
    const { base, store } = setUp();
    execFileSync('tar', ['-czf', join(base, 'a.tgz'), '-C', base, 'my-model']);
    const address = await serve((_request, response) => void response.end(readFileSync(join(base, 'a.tgz'))));
    expect(await store.add(`${address}/a.tgz`)).toMatchObject({ name: 'my-model', from: `${address}/a.tgz` });
  });

  it.each([
    ['a folder that is not there', 'absent', 'give a folder'],
    ['a folder without a model', 'home', 'holds no tokenizer.json'],
    ['plain http', 'http://example.com/model', 'https://'],
    ['another protocol', 'file:///etc', 'https://'],
    ['an address with a password', 'https://me:hidden@example.com/model', 'without it'],
  ])('from %s is refused, and nothing is left', async (_name, source, said) => {
    const { home, store, left } = setUp();
    mkdirSync(home, { recursive: true });
    const refused = await store.add(source).catch((error: Error) => error);
    expect(refused).toMatchObject({ code: 'MEMORY_MODEL', message: expect.stringContaining(said) });
    expect((refused as Error).message).not.toContain('hidden');
    expect(left()).toEqual([]);
  });

  it.each([
    [
      'an answer that is an error',
      (_: IncomingMessage, response: ServerResponse) => response.writeHead(500).end(),
      '500',
    ],
    [
      'a redirect to plain http elsewhere',
      (_: IncomingMessage, response: ServerResponse) =>
        response.writeHead(302, { location: 'http://example.com/x' }).end(),
      'not followed',
    ],
    [
      'redirects without end',
      (request: IncomingMessage, response: ServerResponse) =>
        response.writeHead(302, { location: `${request.url}x` }).end(),
      'too often',
    ],
    [
      'a connection that breaks',
      (_: IncomingMessage, response: ServerResponse) => {
        response.writeHead(200, { 'content-length': '1000' }).write('half');
        setTimeout(() => response.destroy(), 20);
      },
      'broke off',
    ],
  ])('over %s fails, and nothing is left', async (_name, answer, said) => {
    const { store, left } = setUp();
    const address = await serve(answer as (request: IncomingMessage, response: ServerResponse) => void);
    await expect(store.add(`${address}/model`)).rejects.toThrow(said);
    expect(left()).toEqual([]);
  });

  it.each([
    ['no archive at all', Buffer.from('nothing of the kind'), 'not a .tar.gz'],
    ['one that ends early', gzipSync(Buffer.alloc(700, 'x')), 'does not add up'],
  ])('from %s says so', async (_name, bytes, said) => {
    const { base, store, left } = setUp();
    writeFileSync(join(base, 'bad.tgz'), bytes);
    await expect(store.add('bad.tgz')).rejects.toThrow(said);
    expect(left()).toEqual([]);
  });

  it('from an archive whose paths lead away writes nothing there', async () => {
    const { base, store, left } = setUp();
    mkdirSync(join(base, 'deep/er'), { recursive: true });
    writeFileSync(join(base, 'evil.json'), 'evil');
    execFileSync('tar', [
      '-czPf',
      join(base, 'evil.tgz'),
      '-C',
      join(base, 'deep/er'),
      '../../evil.json',
      join(base, 'evil.json'),
    ]);
    await expect(store.add('evil.tgz')).rejects.toThrow('holds no tokenizer.json');
    expect([left(), existsSync(join(base, 'home/evil.json'))]).toEqual([[], false]);
  });

  it('that gives no vectors when it is tried is refused', async () => {
    const { store, left } = setUp({ broken: true });
    await expect(store.add('my-model')).rejects.toThrow('no usable vectors');
    expect(left()).toEqual([]);
  });

  it('under a name that is taken is refused; what a killed one left is cleared', async () => {
    const { home, store, left } = setUp();
    await store.add('my-model');
    mkdirSync(join(home, 'models/.adding-dead/model'), { recursive: true });
    await expect(store.add('my-model')).rejects.toThrow('--name');
    expect(left()).toEqual(['my-model']);
    await expect(store.add('my-model', { name: 'none' })).rejects.toThrow('not a valid name of a model');
    await expect(store.add('my-model', { name: '../up' })).rejects.toThrow('not a valid name of a model');
  });

  it('that is stopped leaves nothing', async () => {
    const { store, left } = setUp();
    const stop = new AbortController();
    const onFile = (): void => stop.abort(new Error('changed my mind'));
    await expect(store.add('my-model', { signal: stop.signal, onFile })).rejects.toThrow('changed my mind');
    expect(left()).toEqual([]);
  });
});

describe('the models there are', () => {
  it('one in use is not removed; another is', async () => {
    const { store, left } = setUp();
    await store.add('my-model', { name: 'one' });
    expect(await store.chosen()).toBeUndefined();
    await store.use('one');
    expect(await store.chosen()).toBe('one');
    await expect(store.remove('one')).rejects.toThrow('in use');
    await store.use('none');
    await store.remove('one');
    expect(left()).toEqual([]);
    await expect(store.remove('one')).rejects.toThrow('no model "one"');
  });

  it('only what is there can be chosen', async () => {
    const { store } = setUp();
    await expect(store.use('absent')).rejects.toThrow('no model "absent"');
    await expect(store.use('endpoint')).rejects.toThrow('embeddingBaseUrl');
    const { store: other } = setUp({ hasEndpoint: true });
    await other.use('endpoint');
    expect(await other.chosen()).toBe('endpoint');
  });

  it('a damaged record is reported, and can be removed', async () => {
    const { home, store } = setUp();
    await store.add('my-model');
    writeFileSync(join(home, 'models/my-model/model.json'), '{"version":1,"files":[{"path":"../../x","sha256":""}]}');
    expect(await store.list()).toMatchObject([
      { ok: false, name: 'my-model', reason: expect.stringContaining('damaged') },
    ]);
    await expect(store.get('my-model')).rejects.toThrow('add it again');
    await store.remove('my-model');
    expect(await store.list()).toEqual([]);
  });

  it('a damaged choice is reported with what repairs it', async () => {
    const { home, store } = setUp();
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'memory-model.json'), '{"use":"../x"}');
    await expect(store.chosen()).rejects.toThrow('memory model use');
    await store.use('none');
    expect(await store.chosen()).toBe('none');
  });
});
