// The log of the gateway, as lines: its newest ones, and those that are added while somebody reads.
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const OLDEST = 3;
const LOOK_EVERY_MS = 200;

/** Where reading has come to. */
export interface LogPosition {
  inode: number;
  offset: number;
}

/** From the file in use, and as many older ones as it takes. */
export async function newestLines(path: string, count: number): Promise<{ lines: string[]; position: LogPosition }> {
  const position = { inode: 0, offset: 0 };
  let lines: string[] = [];
  for (let age = 0; age <= OLDEST && lines.length < count; age += 1) {
    const text = await readFile(age === 0 ? path : `${path}.${age}`, 'utf8').catch(() => undefined);
    if (text === undefined) break;
    if (age === 0) position.offset = Buffer.byteLength(text.slice(0, text.lastIndexOf('\n') + 1));
    lines = [...text.split('\n').filter((line) => line !== ''), ...lines];
  }
  return { lines: lines.slice(-count), position };
}

/** Hands over each line that is added, until the signal fires. */
export async function followLog(
  path: string,
  from: LogPosition,
  onLine: (line: string) => void | Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const position = { ...from };
  while (!signal.aborted) {
    const file = await open(path, 'r').catch(() => undefined);
    if (file) {
      try {
        const { ino, size } = await file.stat();
        // Another file in its place: what the old one still held is in `.1`, at most a moment's worth.
        if (position.inode !== 0 && ino !== position.inode) position.offset = 0;
        position.inode = ino;
        if (size < position.offset) position.offset = 0;
        if (size > position.offset) {
          const bytes = Buffer.alloc(size - position.offset);
          const { bytesRead } = await file.read(bytes, 0, bytes.length, position.offset);
          const whole = bytes.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
          position.offset += whole;
          for (const line of bytes.toString('utf8', 0, whole).split('\n')) if (line !== '') await onLine(line);
        }
      } finally {
        await file.close();
      }
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
