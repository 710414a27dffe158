// The worker thread of a local model. It runs texts in small groups of similar length and looks for new messages between
// groups, so that a person's query never waits for a whole background batch.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { MissingRuntime, ModelProblem, type ModelSession, type ModelSessionOptions } from './model-session.ts';
import { openModelSession } from './open-session.ts';

export interface WorkerRequest {
  id: number;
  texts: readonly string[];
  kind: 'query' | 'passage';
}

export type WorkerAnswer =
  | { id: number; vectors: Float32Array[] }
  /** `isExplained`: the message tells a person what to do. */
  | { id: number; problem: string; isExplained: boolean; isRuntimeMissing: boolean };

interface Job extends WorkerRequest {
  vectors: Float32Array[];
  /** Indexes of the texts that are not done, the shortest text first. */
  left: number[];
}

if (parentPort) serve(parentPort, workerData as ModelSessionOptions);

function serve(port: MessagePort, options: ModelSessionOptions): void {
  const jobs: Job[] = [];
  let session: Promise<ModelSession> | undefined;
  let isRunning = false;

  port.on('message', (request: WorkerRequest) => {
    const left = request.texts.map((_, place) => place);
    left.sort((a, b) => (request.texts[a]?.length ?? 0) - (request.texts[b]?.length ?? 0));
    jobs.push({ ...request, vectors: [], left });
    if (!isRunning) void work();
  });

  async function work(): Promise<void> {
    isRunning = true;
    for (;;) {
      const job = jobs.find(({ kind }) => kind === 'query') ?? jobs[0];
      if (!job) break;
      try {
        session ??= openModelSession(options);
        await runGroup(await session, job);
        if (job.left.length === 0) finish(job, { id: job.id, vectors: job.vectors });
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        const isRuntimeMissing = error instanceof MissingRuntime;
        finish(job, { id: job.id, problem, isExplained: error instanceof ModelProblem, isRuntimeMissing });
      }
      await nextTurn();
    }
    isRunning = false;
  }

  function finish(job: Job, answer: WorkerAnswer): void {
    jobs.splice(jobs.indexOf(job), 1);
    port.postMessage(answer);
  }
}

async function runGroup(model: ModelSession, job: Job): Promise<void> {
  const texts = job.left.map((place) => job.texts[place] ?? '');
  const places = job.left.splice(0, model.fitting(texts));
  const vectors = await model.run(texts.slice(0, places.length), job.kind);
  for (const [index, place] of places.entries()) job.vectors[place] = vectors[index] ?? new Float32Array();
}
