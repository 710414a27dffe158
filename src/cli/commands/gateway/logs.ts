import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { localTime } from '../../../lib/local-time.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import { colorsFor } from '../../colors.ts';
import { type OutputFlags, type Terminal, wantsJson, warn } from '../../terminal.ts';
import { logLine } from './log-line.ts';

export interface LogsFlags extends OutputFlags {
  follow?: boolean;
  lines?: number;
}

const SHOWN_BY_DEFAULT = 50;
const OLDEST = 3;
const LOOK_EVERY_MS = 200;

/** For a program, lines of JSON as they are in the file. */
export async function logs(runtime: Runtime, flags: LogsFlags, terminal: Terminal): Promise<void> {
  const { logPath } = (await runtime.gatewayAdmin()).states;
  const colors = colorsFor(terminal.out, terminal);
  const asJson = wantsJson(terminal, flags);
  let day = '';
  const show = (line: string): void => {
    if (asJson) return void terminal.out.write(`${line}\n`);
    const [, time] = /"time":"([^"]+)"/.exec(line) ?? [];
    const today = time === undefined ? day : localTime(time).slice(0, 10);
    // Lines have the time only: they may be of last week.
    if (today !== day) terminal.out.write(`${colors.dim(today)}\n`);
    day = today;
    terminal.out.write(logLine(line, colors));
  };
  const position = { inode: 0, offset: 0 };
  const newest = await newestLines(logPath, flags.lines ?? SHOWN_BY_DEFAULT, position);
  if (newest.length === 0) warn(terminal, `there is no log yet: ${logPath}`);
  for (const line of newest) show(line);
  if (flags.follow) await follow(logPath, position, show, terminal.signal);
}

/** From the file in use, and as many older ones as it takes. */
async function newestLines(
  path: string,
  count: number,
  position: { inode: number; offset: number },
): Promise<string[]> {
  let lines: string[] = [];
  for (let age = 0; age <= OLDEST && lines.length < count; age += 1) {
    const text = await readFile(age === 0 ? path : `${path}.${age}`, 'utf8').catch(() => undefined);
    if (text === undefined) break;
    if (age === 0) position.offset = Buffer.byteLength(text.slice(0, text.lastIndexOf('\n') + 1));
    lines = [...text.split('\n').filter((line) => line !== ''), ...lines];
  }
  return lines.slice(-count);
}

async function follow(
  path: string,
  position: { inode: number; offset: number },
  show: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
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
          for (const line of bytes.toString('utf8', 0, whole).split('\n')) if (line !== '') show(line);
        }
      } finally {
        await file.close();
      }
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
