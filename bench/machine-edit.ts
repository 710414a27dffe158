// An edit of a large file, with the copy for undo that the program makes of it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from '../src/lib/new-id.ts';
import { createLocks } from '../src/storage/local/locks.ts';
import { createOwnerFiles } from '../src/storage/local/owner-files.ts';
import { createLocalUndoRecords } from '../src/storage/local/undo/local-undo-records.ts';
import { createEditFileTool } from '../src/tools/fs/edit-file.ts';
import type { Changes } from '../src/undo/changes.ts';
import { createUndo } from '../src/undo/undo.ts';
import { createUnfinishedUndos } from '../src/undo/unfinished-undos.ts';
import { createWorkspace } from '../src/workspace/confined.ts';
import { createFileAccess, LARGEST_KEPT_BYTES } from '../src/workspace/file-access.ts';
import { type Figure, median, type Scale } from './bench.ts';
import { type Bed, succeeded } from './machine-tools.ts';

export async function measureEdit(bed: Bed, scale: Scale): Promise<Figure> {
  const { home, workspace } = bed;
  const tool = createEditFileTool();
  const locks = createLocks(join(home, 'locks'));
  const undo = createUndo({
    records: createLocalUndoRecords({ home, locks, now: Date.now }),
    locks,
    unfinished: createUnfinishedUndos(createOwnerFiles(home, locks)),
    openFiles: async (root) => createFileAccess(await createWorkspace({ root }), LARGEST_KEPT_BYTES),
    newId,
    warn() {},
  });
  const lines = Array.from({ length: 16_384 }, (_, index) => `${String(index).padStart(6, '0')} ${'x'.repeat(56)}`);
  writeFileSync(join(workspace, 'large.txt'), `${lines.join('\n')}\n`);
  const times: number[] = [];
  for (let round = 0; round < (scale === 'full' ? 41 : 2); round += 1) {
    const oldText = round === 0 ? '008000 x' : `edit-${round - 1} x`;
    const scope = { sessionId: 'bench', turnId: `turn-${round}`, root: workspace };
    const changes: Changes = {
      record: (change) => undo.record(scope, [change]),
      async recordMade() {},
      applyTogether: async () => ({ ok: true }),
    };
    const started = performance.now();
    succeeded(await bed.call(tool, { path: 'large.txt', oldText, newText: `edit-${round} x` }, changes));
    times.push(performance.now() - started);
  }
  const ms = median(times);
  return {
    name: 'file_edit, 1 MB',
    value: ms,
    unit: 'ms',
    limit: 15,
    detail: `slowest ${Math.max(...times).toFixed(1)} ms`,
  };
}
