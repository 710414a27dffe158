// The archive as it grows: how fast it saves, how large it is, how long a search takes, warm and from a cold process;
// then many processes at once, and many deaths while the index is rebuilt.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runEmbedKills } from '../test/support/embed-kills.ts';
import { createHome } from '../test/support/home.ts';
import { seededRandom } from '../test/support/random.ts';
import { createNotes, type Notes } from './archive-notes.ts';
import type { Bench, Figure, Scale } from './bench.ts';
import { cleanEnvironment, LAINCLAW, timeCommands, withTemporaryHome } from './commands.ts';
import { openMemory } from './open-memory.ts';
import { runNode } from './processes.ts';
import { searchTimes } from './search-times.ts';
import { createWordModel } from './word-model.ts';

const BATCH = 1_000;
const SEED = 1;
const P95_LIMITS: Record<number, number> = { 10000: 25, 100000: 25, 1000000: 150 };
const COLD_LIMIT = 3;
const LARGEST_MEGABYTES = 600;

export const archiveScale: Bench = {
  name: 'archive-scale',
  async run(scale) {
    const sizes = scale === 'full' ? [10_000, 100_000, 1_000_000] : [2_000];
    return [
      ...(await withTemporaryHome((home) => growth(home, sizes, scale))),
      await withTemporaryHome((home) => saving(home)),
      await withTemporaryHome((home) => crowd(home, scale)),
      await withTemporaryHome((home) => kills(home, scale)),
      await embedKills(scale),
    ];
  },
};

async function growth(home: string, sizes: readonly number[], scale: Scale): Promise<Figure[]> {
  const notes = createNotes(SEED);
  const { memory, close } = openMemory(home);
  const figures: Figure[] = [];
  let saved = 0;
  try {
    for (const size of sizes) {
      const started = performance.now();
      const before = saved;
      for (; saved < size; saved += BATCH)
        await memory.saveAll(Array.from({ length: BATCH }, () => ({ content: notes.note() })));
      const rate = ((saved - before) / (performance.now() - started)) * 1_000;
      const megabytes = sizeOf(home) / 1e6;
      const warm = await searchTimes(memory, notes, scale === 'full' ? 200 : 20);
      const shown = `${size.toLocaleString('en')} chunks`;
      figures.push({
        name: `${shown}: search p95, warm`,
        value: percentile(warm, 0.95),
        unit: 'ms',
        limit: P95_LIMITS[size] ?? 25,
        detail: `p50 ${percentile(warm, 0.5).toFixed(1)} ms; saved at ${rate.toFixed(0)}/s; ${((megabytes / size) * 1e6).toFixed(0)} bytes a chunk`,
      });
      figures.push({
        name: `${shown}: the file`,
        value: megabytes,
        unit: 'MB',
        limit: LARGEST_MEGABYTES * Math.max(1, size / 1_000_000),
        detail: `process ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`,
      });
      if (size <= 100_000) figures.push(cold(home, notes, shown, scale));
    }
    figures.push(...(await withVectors(home, saved, scale)));
    return figures;
  } finally {
    close();
  }
}

/** The same archive once every chunk has a vector as well, searched by a process that does nothing else. */
async function withVectors(home: string, size: number, scale: Scale): Promise<Figure[]> {
  const { memory, close } = openMemory(home, { model: createWordModel() });
  const started = performance.now();
  await memory.embed();
  const rate = (size / (performance.now() - started)) * 1_000;
  close();
  const worker = join(import.meta.dirname, 'archive-search-worker.ts');
  const said = await runNode(worker, home, String(SEED), scale === 'full' ? '200' : '20');
  const { times, megabytes } = JSON.parse(said) as { times: number[]; megabytes: number };
  const shown = `${size.toLocaleString('en')} chunks with vectors`;
  return [
    {
      name: `${shown}: search p95, warm`,
      value: percentile(times, 0.95),
      unit: 'ms',
      limit: P95_LIMITS[size] ?? 25,
      detail: `p50 ${percentile(times, 0.5).toFixed(1)} ms; kept at ${rate.toFixed(0)}/s; the file ${(sizeOf(home) / 1e6).toFixed(0)} MB`,
    },
    {
      name: `${shown}: memory of a process that searches`,
      value: megabytes,
      unit: 'MB',
      limit: LARGEST_MEGABYTES,
      detail: 'at its highest',
    },
  ];
}

/** With the write-ahead log, which holds what is not in the file yet. */
function sizeOf(home: string): number {
  return ['lainclaw.db', 'lainclaw.db-wal']
    .map((name) => statSync(join(home, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((a, b) => a + b, 0);
}

function cold(home: string, notes: Notes, shown: string, scale: Scale): Figure {
  const env = { LAINCLAW_HOME: home };
  const timings = timeCommands(
    [
      { name: 'floor', args: [LAINCLAW, '--version'], env },
      { name: 'search', args: [LAINCLAW, 'memory', 'search', notes.query()], env },
    ],
    scale === 'full' ? 21 : 3,
  );
  const floor = timings.get('floor')?.ms ?? Number.NaN;
  const ms = timings.get('search')?.ms ?? Number.NaN;
  return {
    name: `${shown}: lainclaw memory search, cold`,
    value: ms / floor,
    unit: '× lainclaw --version',
    limit: COLD_LIMIT,
    detail: `${ms.toFixed(1)} ms, floor ${floor.toFixed(1)} ms`,
  };
}

/** Milliseconds for 1,000 notes, in one batch and with a save each, durable when it is acknowledged. */
async function saving(home: string): Promise<Figure> {
  const notes = createNotes(2);
  const { memory, close } = openMemory(home);
  try {
    await memory.save({ content: 'the first, which makes the tables' });
    const texts = Array.from({ length: 2 * BATCH }, () => notes.note());
    const started = performance.now();
    await memory.saveAll(texts.slice(0, BATCH).map((content) => ({ content })));
    const batch = performance.now() - started;
    await Promise.all(texts.slice(BATCH).map((content) => memory.save({ content })));
    const single = performance.now() - started - batch;
    return {
      name: 'saving 1,000 notes',
      value: batch,
      unit: 'ms',
      limit: 500,
      detail: `${((BATCH / batch) * 1_000).toFixed(0)} notes/s in a batch, ${((BATCH / single) * 1_000).toFixed(0)} a save each`,
    };
  } finally {
    close();
  }
}

async function crowd(home: string, scale: Scale): Promise<Figure> {
  const processes = scale === 'full' ? 10 : 3;
  const milliseconds = scale === 'full' ? 60_000 : 1_000;
  const worker = join(import.meta.dirname, 'archive-worker.ts');
  const members = Array.from({ length: processes }, async (_, member) => {
    const child = spawn(process.execPath, [worker, home, `w${member}`, String(milliseconds)], {
      env: cleanEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    const [code] = (await once(child, 'close')) as [number];
    return { ids: out.trim().split('\n').filter(Boolean), problem: code === 0 ? undefined : err.slice(0, 300) };
  });
  const ended = await Promise.all(members);
  const { memory, close } = openMemory(home);
  const kept = new Set((await memory.list({ limit: 10_000_000 })).map(({ id }) => id));
  close();
  const acknowledged = ended.flatMap(({ ids }) => ids);
  const lost = acknowledged.filter((id) => !kept.has(id)).length;
  const problems = ended.flatMap(({ problem }) => (problem === undefined ? [] : [problem]));
  return {
    name: `${processes} processes saving and searching`,
    value: lost + problems.length,
    unit: 'lost or failed',
    limit: 0,
    detail: problems[0] ?? `${acknowledged.length} saves in ${milliseconds / 1_000} s`,
  };
}

async function kills(home: string, scale: Scale): Promise<Figure> {
  const wanted = scale === 'full' ? 50 : 2;
  const notes = createNotes(3);
  const random = seededRandom(7);
  const size = scale === 'full' ? 20_000 : 2_000;
  const first = openMemory(home);
  for (let done = 0; done < size; done += BATCH)
    await first.memory.saveAll(
      Array.from({ length: BATCH }, (_, index) => ({ content: `${notes.note()} marker${done + index}` })),
    );
  const started = performance.now();
  await first.memory.reindex();
  const whole = performance.now() - started;
  first.close();
  let killed = 0;
  let broken = 0;
  for (let round = 0; killed < wanted && round < wanted * 4; round += 1) {
    const child = spawn(process.execPath, [LAINCLAW, 'memory', 'reindex'], {
      env: cleanEnvironment({ LAINCLAW_HOME: home }),
      stdio: 'ignore',
    });
    const closed = once(child, 'close');
    await Promise.race([sleep(random() * whole), closed]);
    child.kill('SIGKILL');
    const [, signal] = (await closed) as [number, string | null];
    if (signal === 'SIGKILL') killed += 1;
    const { memory, close } = openMemory(home);
    const marker = `marker${Math.floor(random() * size)}`;
    const { results } = await memory.search(marker, { topK: 3 });
    if (!results[0]?.text.endsWith(marker)) broken += 1;
    close();
  }
  const last = openMemory(home);
  const { chunks } = await last.memory.reindex();
  last.close();
  return {
    name: `${killed} kills during reindex`,
    value: broken + (chunks === size ? 0 : 1),
    unit: 'broken',
    limit: 0,
    detail: `${chunks} chunks after the last, a reindex takes ${whole.toFixed(0)} ms`,
  };
}

async function embedKills(scale: Scale): Promise<Figure> {
  const home = createHome();
  try {
    const { killed, embedded, problems } = await runEmbedKills({ home, kills: scale === 'full' ? 50 : 2, seed: 5 });
    return {
      name: `${killed} kills while embedding`,
      value: problems.length,
      unit: 'broken',
      limit: 0,
      detail: problems[0] ?? `${embedded} texts embedded, three models taking turns`,
    };
  } finally {
    home.remove();
  }
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
