// The worker thread of one read.
import { parentPort, workerData } from 'node:worker_threads';
import { DocumentProblem, type DocumentRequest } from './document.ts';
import { openDocument } from './open-document.ts';
import type { WorkerAnswer } from './read-document.ts';
import { selectText } from './select-text.ts';

const port = parentPort;
if (port) void answer(workerData as DocumentRequest).then((message) => port.postMessage(message));

async function answer(request: DocumentRequest): Promise<WorkerAnswer> {
  try {
    return { ok: true, document: await selectText(await openDocument(request), request) };
  } catch (error) {
    if (error instanceof DocumentProblem) return { ok: false, code: error.code, message: error.message };
    if (isBreakdown(error)) return { ok: false, code: 'stopped', message: BREAKDOWN };
    return { ok: false, message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

const BREAKDOWN = 'it is damaged, or made to exhaust its reader';

/** PDFium gave up, memory could not be had, or the stack was used up: a document can bring that about. */
function isBreakdown(error: unknown): boolean {
  return error instanceof Error && (error instanceof RangeError || error.name === 'RuntimeError');
}
