// The files of the audit log: `audit/audit-<number of its first line>.jsonl`, and apart from them `audit-head.json` with the last
// line, by which a removal at the end is seen. The head has a fixed length and is written in place after the lines, so a kill leaves it
// a few lines behind and never ahead.
import { constants, fstatSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openPrivateSync, storageError } from '../../private-files.ts';
import { newerVersion } from '../../storage.ts';

export const AUDIT_FOLDER = 'audit';
export const AUDIT_HEAD = 'audit-head.json';
const VERSION = 1;
const HEAD_BYTES = 320;
const SEGMENT = /^audit-(\d{12,15})\.jsonl$/;

export interface AuditHead {
  /** The name of the file that has the last line, and how long it is. */
  segment: string;
  bytes: number;
  n: number;
  hash: string;
  /** Names the start of the system during which it was written: after a power cut lines may be missing. */
  boot: string;
}

export interface AuditPlaces {
  folder: string;
  head: string;
}

export function auditPlaces(home: string): AuditPlaces {
  return { folder: join(home, AUDIT_FOLDER), head: join(home, AUDIT_HEAD) };
}

export function segmentName(firstLine: number): string {
  return `audit-${String(firstLine).padStart(12, '0')}.jsonl`;
}

export function firstLineOf(segment: string): number {
  return Number(SEGMENT.exec(segment)?.[1] ?? Number.NaN);
}

/** Names, in the order of their lines. */
export async function listSegments(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw storageError(folder, error);
  });
  return names.filter((name) => SEGMENT.test(name)).toSorted((one, other) => firstLineOf(one) - firstLineOf(other));
}

/** A file that stays open while it is the file of its name: another process may have replaced it. */
export interface HeldFile {
  path: string;
  file: number;
  inode: number;
}

export function isCurrent({ path, inode }: HeldFile): boolean {
  return statSync(path, { throwIfNoEntry: false })?.ino === inode;
}

export function holdFile(path: string): HeldFile {
  const file = openPrivateSync(path, constants.O_RDWR | constants.O_CREAT);
  return { path, file, inode: fstatSync(file).ino };
}

export function writeHead(file: number, head: AuditHead): void {
  const text = JSON.stringify({ version: VERSION, ...head });
  writeSync(file, `${text.padEnd(HEAD_BYTES - 1)}\n`, 0);
}

const buffer = Buffer.alloc(HEAD_BYTES);

/** Undefined when it is empty or damaged. */
export function readHeldHead({ file, path }: HeldFile): AuditHead | undefined {
  return parseHead(buffer.toString('latin1', 0, readSync(file, buffer, 0, HEAD_BYTES, 0)), path);
}

/** For readers, who make no file. */
export function readHead(path: string): AuditHead | undefined {
  if (!statSync(path, { throwIfNoEntry: false })) return undefined;
  const text = readFileSync(path, 'latin1');
  return text.length === HEAD_BYTES && text.endsWith('\n') ? parseHead(text, path) : undefined;
}

function parseHead(text: string, path: string): AuditHead | undefined {
  let head: Partial<AuditHead> & { version?: unknown };
  try {
    head = JSON.parse(text) as typeof head;
  } catch {
    return undefined;
  }
  if (typeof head?.version === 'number' && head.version > VERSION) throw newerVersion(path, head.version, VERSION);
  const { segment = '', bytes = -1, n = -1, hash = '', boot = '' } = head ?? {};
  const isRight = SEGMENT.test(segment) && bytes >= 0 && n >= 0 && /^[\da-f]{64}$/.test(hash);
  return isRight ? { segment, bytes, n, hash, boot } : undefined;
}

/** Empty where the system does not tell. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
}
