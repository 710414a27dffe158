// Implements the contract of embeddings with a local model. The model lives in a worker thread that starts with the first
// text: loading and running it takes seconds, and the main thread must not block.
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { installCommand } from '../../lib/install-command.ts';
import { MemoryError } from '../memory-error.ts';
import type { ModelManifest } from '../models/manifest.ts';
import { RUNTIME } from '../models/onnx-runtime.ts';
import type { EmbeddingModel } from './embeddings.ts';
import type { WorkerAnswer, WorkerRequest } from './model-worker.ts';

const FEWEST_THREADS = 2;
const MOST_THREADS = 4;

export interface LocalModelOptions {
  folder: string;
  manifest: ModelManifest;
  /** Where the ONNX runtime may be kept, when there is none beside this program. */
  runtimeFolder?: string;
  /** By default as many as `usualThreads` says. */
  threads?: number;
}

interface Waiting {
  resolve(vectors: Float32Array[]): void;
  reject(error: Error): void;
}

export function createLocalModel(options: LocalModelOptions): EmbeddingModel {
  const { folder, manifest, runtimeFolder, threads = usualThreads(availableParallelism()) } = options;
  let running: { worker: Worker; waiting: Map<number, Waiting> } | undefined;
  let lastId = 0;

  function start(): NonNullable<typeof running> {
    const worker = new Worker(workerFile(), {
      workerData: { folder, manifest, threads, runtimeFolder, installCommand: installCommand(RUNTIME) },
      // Arguments of the parent, such as a loader, could change what runs here.
      execArgv: [],
      // Keeps prints of a library away from stdout, which carries the answer.
      stdout: true,
    });
    worker.stdout.resume();
    const waiting = new Map<number, Waiting>();
    const started = { worker, waiting };
    worker.on('message', (answer: WorkerAnswer) => {
      const waiter = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (waiting.size === 0) worker.unref();
      if ('vectors' in answer) return waiter?.resolve(answer.vectors);
      // The next attempt may succeed: the runtime was installed, or the file restored.
      stop(started);
      const said = answer.isExplained ? answer.problem : `the model "${manifest.name}" failed: ${answer.problem}`;
      waiter?.reject(new MemoryError(answer.isRuntimeMissing ? 'MEMORY_RUNTIME' : 'MEMORY_MODEL', said));
    });
    const end = (reason: string): void => {
      if (running === started) running = undefined;
      for (const waiter of waiting.values())
        waiter.reject(new MemoryError('MEMORY_MODEL', `the model "${manifest.name}" stopped: ${reason}`));
      waiting.clear();
    };
    worker.on('error', (error) => end(error.message));
    worker.on('exit', (code) => end(`its thread ended with ${code}`));
    return started;
  }

  function stop(started: typeof running): void {
    if (running === started) running = undefined;
    void started?.worker.terminate();
  }

  return {
    name: `${manifest.name} (${identityOf(manifest)})`,
    async embed(texts, kind, signal) {
      if (texts.length === 0) return [];
      signal?.throwIfAborted();
      running ??= start();
      const { worker, waiting } = running;
      lastId += 1;
      const request: WorkerRequest = { id: lastId, texts, kind };
      const { promise, resolve: answered, reject } = Promise.withResolvers<Float32Array[]>();
      const onAbort = (): void => reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      waiting.set(request.id, { resolve: answered, reject });
      worker.ref();
      worker.postMessage(request);
      try {
        return await promise;
      } finally {
        signal?.removeEventListener('abort', onAbort);
        waiting.delete(request.id);
        if (waiting.size === 0) worker.unref();
      }
    },
    close: () => stop(running),
  };
}

/** Half of the processors, because the rest of the machine has work too; but two where there are two: one needs 1.5 to 1.7 times as long. */
export function usualThreads(processors: number): number {
  const half = Math.floor(processors / 2);
  return Math.min(processors, Math.max(FEWEST_THREADS, Math.min(MOST_THREADS, half)));
}

/** Identifies a model by what makes its vectors: those of another model with the same name must not match. */
export function identityOf({ files, pooling, prompts }: ModelManifest): string {
  const sums = files.map(({ path, sha256 }) => `${path} ${sha256}`).toSorted();
  if (pooling !== undefined) sums.push(`pooling ${pooling}`);
  if (prompts) sums.push(`prompts ${JSON.stringify([prompts.query, prompts.passage])}`);
  return createHash('sha256').update(sums.join('\n')).digest('hex').slice(0, 12);
}

/** The worker is beside this file in the source, at the root of the built program. */
function workerFile(): string {
  return import.meta.filename.endsWith('.ts')
    ? join(import.meta.dirname, 'model-worker.ts')
    : resolve(import.meta.dirname, '..', 'embedding-worker.js');
}
