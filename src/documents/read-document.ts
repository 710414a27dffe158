// Reads a document in a worker thread of its own, which ends with the read: with it goes all that a hostile file has allocated. The
// engine's heap is limited here, what is unpacked in `zip.ts`, PDFium's memory in `pdfium.ts`, and the caller's signal limits the time.
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DocumentProblem, type DocumentProblemCode, type DocumentRequest, type DocumentText } from './document.ts';

const HEAP_MB = 384;

export type WorkerAnswer =
  | { ok: true; document: DocumentText }
  /** Without a code it is a defect of a reader. */
  | { ok: false; code?: DocumentProblemCode; message: string };

/** Resolves or rejects only after the thread has ended: then the file can be closed. */
export async function readDocument(request: DocumentRequest, signal: AbortSignal): Promise<DocumentText> {
  signal.throwIfAborted();
  const worker = new Worker(workerFile(), {
    workerData: request,
    // Arguments of the parent, such as a loader, could change what runs here.
    execArgv: [],
    // What a library prints must not come between the answer on stdout.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const { promise, resolve: answered, reject } = Promise.withResolvers<WorkerAnswer>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  worker.once('message', answered);
  worker.once('error', (error: NodeJS.ErrnoException) => reject(asProblem(error)));
  worker.once('exit', () => reject(new DocumentProblem('stopped', 'its reader ended without an answer')));
  try {
    const answer = await promise;
    if (answer.ok) return answer.document;
    throw answer.code ? new DocumentProblem(answer.code, answer.message) : new Error(answer.message);
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

function asProblem(error: NodeJS.ErrnoException): Error {
  if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  return new DocumentProblem('too_large', `reading it takes more than ${HEAP_MB} MB of memory`, error);
}

/** The worker is beside this file in the source, at the root of the built program. */
function workerFile(): string {
  return import.meta.filename.endsWith('.ts')
    ? join(import.meta.dirname, 'document-worker.ts')
    : resolve(import.meta.dirname, '..', 'document-worker.js');
}
