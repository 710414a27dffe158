// Acting on the machine: search, edits, commands, and what must never happen.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from './bench.ts';
import { measureEdit } from './machine-edit.ts';
import { measureClassification, measureRaces } from './machine-judgement.ts';
import { measureSearch } from './machine-search.ts';
import { measureForkBomb, measureGigabyte, measureSandbox, measureSurvivors } from './machine-shell.ts';
import { type Bed, createBed } from './machine-tools.ts';

export const machine: Bench = {
  name: 'machine',
  async run(scale) {
    return [
      ...(await withBed((bed) => measureSearch(bed, scale))),
      await withBed((bed) => measureEdit(bed, scale)),
      await withBed((bed) => measureSandbox(bed, scale)),
      await withBed(async (_, base) => measureGigabyte(base, scale)),
      await withBed(measureSurvivors),
      await withBed((bed) => measureForkBomb(bed, scale)),
      ...(await measureClassification()),
      ...(await measureRaces(scale)),
    ];
  },
};

async function withBed<T>(use: (bed: Bed, base: string) => Promise<T>): Promise<T> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'lainclaw-bench-machine-')));
  try {
    return await use(await createBed(base), base);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
