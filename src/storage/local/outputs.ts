import { join } from 'node:path';
import { newId } from '../../lib/new-id.ts';
import { ensureDirectory, writeAtomically } from '../private-files.ts';
import type { Outputs } from '../storage.ts';

const LONGEST_NAME = 80;

export function createOutputs(root: string): Outputs {
  async function place(scope: string, name: string): Promise<string> {
    const directory = join(root, scope);
    await ensureDirectory(directory);
    // The name comes from a model: it may not choose the path, and small servers give every call the same one.
    return join(directory, `${newId(name.replace(/[^\w.-]/g, '_').slice(0, LONGEST_NAME))}.txt`);
  }
  return {
    place,
    async keep(scope, name, text) {
      const path = await place(scope, name);
      await writeAtomically(path, text);
      return path;
    },
  };
}
