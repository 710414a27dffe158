// The first page of a PDF of a thousand, read as file_read of the built program does: in a thread of its own, from a file. The floor is a
// thread that does nothing.
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { DocumentRequest } from '../src/documents/document.ts';
import type { WorkerAnswer } from '../src/documents/read-document.ts';
import { makePdf } from '../test/support/make-pdf.ts';
import { type Bench, median } from './bench.ts';

const LIMIT_MS = 300;
const LIMIT_MB = 150;

export const documents: Bench = {
  name: 'documents',
  async run(scale) {
    const folder = mkdtempSync(join(tmpdir(), 'lainclaw-bench-'));
    const path = join(folder, 'long.pdf');
    const pageCount = scale === 'quick' ? 20 : 1_000;
    writeFileSync(path, makePdf(Array.from({ length: pageCount }, (_, index) => pageOf(index))));
    const fd = openSync(path, 'r');
    try {
      const source = { fd, size: statSync(path).size };
      const firstPage = () =>
        readInThread({ kind: 'pdf', source, pages: '1', maxCharacters: 30_000, pictures: 'without-text' });
      const rounds = scale === 'quick' ? 1 : 7;
      const times: number[] = [];
      const walls: number[] = [];
      const floors: number[] = [];
      const before = process.memoryUsage().rss;
      let most = 0;
      for (let round = 0; round < rounds; round += 1) {
        floors.push((await timed(emptyThread)).processor);
        const watch = setInterval(() => {
          most = Math.max(most, process.memoryUsage().rss - before);
        }, 5);
        const { processor, wall } = await timed(firstPage);
        clearInterval(watch);
        times.push(processor);
        walls.push(wall);
      }
      const [time, floor] = [median(times), median(floors)];
      return [
        {
          name: `the first of ${pageCount} pages`,
          value: time,
          unit: 'ms of the processor',
          limit: LIMIT_MS,
          detail: `${(time / floor).toFixed(1)} × a thread that does nothing; ${median(walls).toFixed(0)} ms on the clock`,
        },
        {
          name: 'memory that it takes',
          value: Math.max(0, most) / 1024 ** 2,
          unit: 'MB',
          limit: LIMIT_MB,
          detail: `a file of ${(source.size / 1024 ** 2).toFixed(1)} MB`,
        },
      ];
    } finally {
      closeSync(fd);
      rmSync(folder, { recursive: true });
    }
  },
};

function pageOf(index: number): { lines: string[] } {
  return { lines: Array.from({ length: 50 }, (_, line) => `Page ${index + 1}, line ${line + 1}: words of a report.`) };
}

/** The worker of the built program: from the source, most of the time is the compiler's. */
async function readInThread(request: DocumentRequest): Promise<void> {
  const worker = new Worker(resolve('dist/document-worker.js'), { workerData: request, execArgv: [] });
  const [answer] = (await once(worker, 'message')) as [WorkerAnswer];
  await worker.terminate();
  if (!answer.ok) throw new Error(`the document was not read: ${answer.message}`);
}

async function emptyThread(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  new Worker('', { eval: true, execArgv: [] }).once('exit', () => resolve());
  return promise;
}

/** In milliseconds. The clock of a busy machine says little; the processor's time includes every thread of this process. */
async function timed(run: () => Promise<unknown>): Promise<{ processor: number; wall: number }> {
  const started = performance.now();
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return { processor: (user + system) / 1_000, wall: performance.now() - started };
}
