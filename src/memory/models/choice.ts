// The owner's choice of a model: <home>/memory-model.json.
import type { OwnerFiles } from '../../storage/storage.ts';
import { MemoryError } from '../memory-error.ts';
import { isModelName } from './model-name.ts';

const CHOICE_FILE = 'memory-model.json';

/** The choice made with "lainclaw memory model use"; undefined when nobody chose. */
export async function readChoice(files: Pick<OwnerFiles, 'read'>): Promise<string | undefined> {
  const text = await files.read(CHOICE_FILE);
  if (text === undefined) return undefined;
  try {
    const { use } = JSON.parse(text) as { use?: unknown };
    if (typeof use === 'string' && (use === 'none' || use === 'endpoint' || isModelName(use))) return use;
  } catch {
    // Reported below, like any other damage.
  }
  throw new MemoryError(
    'MEMORY_MODEL',
    `${CHOICE_FILE} is damaged: "lainclaw memory model use <name>" writes it again`,
  );
}

export async function writeChoice(files: OwnerFiles, use: string): Promise<void> {
  await files.update(CHOICE_FILE, () => `${JSON.stringify({ version: 1, use }, undefined, 2)}\n`);
}
