// The gateway's log: one JSON object a line, in a file of bounded size with a few older ones beside it. Secrets in use, and
// what looks like one, are taken out of every line. A disk that is full costs lines, never the gateway.
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { redact } from '../../lib/redact.ts';

export interface LogEntry {
  level: 'info' | 'warn' | 'error';
  /** What happened, as a short name: `message-received`. */
  event: string;
  channel?: string;
  account?: string;
  /** In words, where the name does not say it all. */
  message?: string;
  [detail: string]: unknown;
}

export type Log = (entry: LogEntry) => void;

export interface ServiceLog {
  write: Log;
  close(): void;
}

export interface ServiceLogOptions {
  path: string;
  /** Never to be in a line. */
  secrets(): readonly string[];
  now(): number;
  /** Each line as it is written. */
  onLine?(line: string): void;
  maxBytes?: number;
  /** How many older files are kept. */
  keep?: number;
}

const LONGEST_LINE = 8_192;

/** The directory of the path must exist. */
export function createServiceLog(options: ServiceLogOptions): ServiceLog {
  const { path, secrets, now, onLine, maxBytes = 5 * 1024 * 1024, keep = 3 } = options;
  const open = (): number => openSync(path, 'a', 0o600);
  let file = open();
  let size = fstatSync(file).size;
  let isClosed = false;

  function rotate(): void {
    closeSync(file);
    for (let age = keep - 1; age >= 0; age -= 1) rename(age === 0 ? path : `${path}.${age}`, `${path}.${age + 1}`);
    file = open();
    size = 0;
  }

  return {
    write(entry) {
      const line = formatEntry(entry, now(), secrets());
      try {
        onLine?.(line);
      } catch {
        // The reader is gone, or has no room.
      }
      if (isClosed) return;
      const bytes = Buffer.from(`${line}\n`);
      try {
        if (size > 0 && size + bytes.length > maxBytes) rotate();
        size += writeSync(file, bytes);
      } catch {
        // There is nobody left to tell.
      }
    },
    close() {
      // Its number may be another file's from here on.
      isClosed = true;
      closeSync(file);
    },
  };
}

function formatEntry(
  { level, channel, account, event, message, ...details }: LogEntry,
  now: number,
  secrets: readonly string[],
): string {
  const time = new Date(now).toISOString();
  const clean = (value: unknown): string => redact(JSON.stringify(value) ?? 'null', secrets.map(inJson));
  const line = clean({ time, level, channel, account, event, message, ...details });
  if (line.length <= LONGEST_LINE) return line;
  const shortened = `${(message ?? line).slice(0, LONGEST_LINE / 4)}…`;
  return clean({ time, level, channel, account, event, message: shortened });
}

/** As the secret stands inside a JSON text. */
function inJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

function rename(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
