// Importing a folder again that has not changed, in processor time, because the clock of a busy machine says little. Reading and hashing its files and
// nothing else is the floor.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createNotes } from './archive-notes.ts';
import type { Bench, Figure, Scale } from './bench.ts';
import { withTemporaryHome } from './commands.ts';
import { openMemory } from './open-memory.ts';

const FOLDERS = 50;
const LIMIT_SECONDS = 3;

export const archiveImport: Bench = {
  name: 'archive-import',
  run: async (scale) => [await withTemporaryHome((home) => unchanged(home, scale))],
};

async function unchanged(home: string, scale: Scale): Promise<Figure> {
  const size = scale === 'full' ? 10_000 : 500;
  const folder = join(home, 'notes');
  const notes = createNotes(4);
  for (let index = 0; index < size; index += 1) {
    const inside = join(folder, `f${index % FOLDERS}`);
    mkdirSync(inside, { recursive: true });
    writeFileSync(join(inside, `${index}.md`), `# Note ${index}\n\n${notes.note()}\n`);
  }
  const { memory, close } = openMemory(home);
  try {
    await memory.importFolder(folder);
    const floor = await timed(() => readAndHash(folder));
    const took = await timed(async () => {
      const report = await memory.importFolder(folder);
      if (report.unchanged !== size) throw new Error(`${report.unchanged} of ${size} files were seen as unchanged`);
    });
    return {
      name: `importing ${size.toLocaleString('en')} unchanged files`,
      value: took.processor / 1_000,
      unit: 's of processor time',
      limit: LIMIT_SECONDS,
      detail: `${(took.processor / floor.processor).toFixed(1)} × reading and hashing them; ${(took.clock / 1_000).toFixed(2)} s on the clock`,
    };
  } finally {
    close();
  }
}

async function readAndHash(folder: string): Promise<void> {
  for (const inside of readdirSync(folder)) {
    const names = readdirSync(join(folder, inside));
    await Promise.all(
      names.map(async (name) =>
        createHash('sha256')
          .update(await readFile(join(folder, inside, name)))
          .digest(),
      ),
    );
  }
}

/** In milliseconds. */
async function timed(work: () => Promise<void>): Promise<{ processor: number; clock: number }> {
  const [started, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { processor: (user + system) / 1_000, clock: performance.now() - started };
}
