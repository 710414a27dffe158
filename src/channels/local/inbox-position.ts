// How far the inbox has been read: which file, up to where, and what was right before that place. A file that was
// replaced, cut or written again is noticed by any of the three.
import { readFile } from 'node:fs/promises';
import { writeAtomically } from '../../storage/private-files.ts';

export interface InboxPosition {
  /** The file's inode, as a text. */
  file: string;
  offset: number;
  /** The last bytes before the offset, in base64. */
  before: string;
  /** Lines read so far, over all files: the order of messages that tell none. */
  lines: number;
}

export const TAIL_BYTES = 64;

export async function readPosition(path: string): Promise<InboxPosition | undefined> {
  try {
    const value = JSON.parse(await readFile(path, 'utf8')) as InboxPosition;
    const isWhole =
      typeof value?.file === 'string' &&
      typeof value.before === 'string' &&
      Number.isSafeInteger(value.offset) &&
      Number.isSafeInteger(value.lines);
    return isWhole ? value : undefined;
  } catch {
    // Reading from the start again is harmless: what was received is known by its id.
    return undefined;
  }
}

export function writePosition(path: string, position: InboxPosition): Promise<void> {
  return writeAtomically(path, `${JSON.stringify(position)}\n`);
}
