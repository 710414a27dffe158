// Which files of the home hold a text in their bytes: what forgetting is verified with. SQLite files and logs are read like any other.
import { open, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Redaction } from '../redaction.ts';

const BLOCK_BYTES = 4 * 1024 * 1024;
/** A text across two blocks is found in the second one, also where it is written with more blanks and escapes than it was given with. */
const LEAST_OVERLAP = 16 * 1024;
const MORE_CHARACTERS = 3;
/** Binaries of models, which hold nobody's words. */
const LEFT_OUT = new Set(['models', 'locks']);

/** Relative to the home, sorted. */
export async function filesHolding(home: string, redaction: Redaction): Promise<string[]> {
  const found: string[] = [];
  for (const path of await filesUnder(home)) if (await holds(path, redaction)) found.push(relative(home, path));
  return found.sort();
}

async function filesUnder(directory: string, depth = 0): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const found: string[] = [];
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isFile()) found.push(path);
    else if (entry.isDirectory() && !(depth === 0 && LEFT_OUT.has(entry.name)))
      found.push(...(await filesUnder(path, depth + 1)));
  }
  return found;
}

async function holds(path: string, redaction: Redaction): Promise<boolean> {
  const handle = await open(path, 'r').catch(() => undefined);
  if (!handle) return false;
  try {
    const block = Buffer.allocUnsafe(BLOCK_BYTES);
    const overlap = Math.max(LEAST_OVERLAP, redaction.length * MORE_CHARACTERS);
    let before = '';
    for (let position = 0; ; ) {
      const { bytesRead } = await handle.read(block, 0, BLOCK_BYTES, position);
      if (bytesRead === 0) return false;
      const text = before + block.toString('utf8', 0, bytesRead);
      // Quotes as JSON writes them.
      if (redaction.holds(text) || redaction.holds(text.replaceAll('\\"', '"').replaceAll('\\n', '\n'))) return true;
      before = text.slice(-overlap);
      position += bytesRead;
    }
  } finally {
    await handle.close();
  }
}
