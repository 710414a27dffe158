// The audit log as files. Whatever is waiting is written together: lock, look where the log ends, one write of lines, one of the
// head, unlock. So the chain holds over any number of processes, and a kill leaves at most one torn line, which was never acknowledged.
//
// Durability: a line is handed to the system before its effect begins, so it survives the death of this process; the disk has it about
// a second later, in one sync for all lines of that second, and when the storage is closed. After a power cut the last lines can be
// missing. Waiting for the disk before each effect would double what a call waits for: the transcript is synced there already.
import { closeSync, existsSync, fdatasync, ftruncateSync, writeSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Audit, AuditEvent } from '../../audit.ts';
import { encodeLine, sha256Hex } from '../../audit-line.ts';
import type { Locks } from '../../locks.ts';
import { ensureDirectory, storageError, syncDirectory } from '../../private-files.ts';
import {
  auditPlaces,
  bootId,
  firstLineOf,
  type HeldFile,
  holdFile,
  isCurrent,
  listSegments,
  readHeldHead,
  segmentName,
  writeHead,
} from './audit-files.ts';
import { endAtHead, findEnd, type LogEnd } from './find-end.ts';
import type { RedactedAuditLine } from './redact-audit.ts';

const SEGMENT_BYTES = 16 * 1024 * 1024;
const SYNC_AFTER_MS = 1_000;
const syncData = promisify(fdatasync);

export interface LocalAuditOptions {
  home: string;
  locks: Pick<Locks, 'acquire'>;
  now(): number;
  /** What must not be written, besides whatever looks like a secret. */
  secrets(): readonly string[];
  /** The oldest files are removed when the log is larger. */
  keptBytes: number;
  segmentBytes?: number;
}

interface Waiting {
  events: readonly AuditEvent[];
  resolve(): void;
  reject(error: unknown): void;
}

export function createLocalAudit(options: LocalAuditOptions): Audit {
  const { home, locks, now, segmentBytes = SEGMENT_BYTES } = options;
  const { folder, head: headPath } = auditPlaces(home);
  const hash = sha256Hex();
  const boot = bootId();
  let head: HeldFile | undefined;
  let segment: HeldFile | undefined;
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let isDirty = false;
  let isFolderSynced = true;
  let syncing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Everything that waits, until nothing does: the look and the end are one step, so nothing comes between them. */
  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const lock = await locks.acquire('audit').catch((error: unknown) => failAll(error));
      if (!lock) continue;
      const batch = waiting;
      waiting = [];
      try {
        await write(batch.flatMap(({ events }) => events));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(storageError(folder, error));
      } finally {
        await lock.release();
      }
    }
    writing = undefined;
  }

  function failAll(error: unknown): undefined {
    const failed = waiting;
    waiting = [];
    for (const { reject } of failed) reject(error);
  }

  async function write(events: readonly AuditEvent[]): Promise<void> {
    if (!head || !isCurrent(head)) await ensureDirectory(folder);
    head = await hold(head, headPath);
    const known = readHeldHead(head);
    let end = endAtHead(known, folder) ?? (await findEnd(known, folder, hash));
    // Before the first line: a head that is missing where there are lines would mean that somebody removed it.
    if (!known && end.n === 0 && end.repairs.length === 0) writeHead(head.file, { ...headAt(end), boot });
    const begins = end.bytes >= segmentBytes;
    if (begins) end = { ...end, segment: segmentName(end.n + 1), bytes: 0 };
    const outdated = begins ? await outdatedSegments() : [];
    const removal = outdated.length > 0 ? [await retention(outdated.length, end)] : [];
    segment = await hold(segment, join(folder, end.segment));
    const after = appendLines(segment.file, end, [...end.repairs, ...removal, ...events]);
    writeHead(head.file, { ...after, boot });
    isDirty = true;
    timer ??= setTimeout(() => void sync().catch(() => {}), SYNC_AFTER_MS).unref();
    if (outdated.length === 0) return;
    // The lines that are removed are named by one that is on the disk.
    await sync();
    for (const name of outdated) await unlink(join(folder, name));
  }

  function appendLines(file: number, end: LogEnd, events: readonly AuditEvent[]): Omit<LogEnd, 'repairs'> {
    const at = new Date(now()).toISOString();
    const secrets = options.secrets();
    let { n, hash: newest } = end;
    let text = '';
    for (const event of events) {
      n += 1;
      const line = encodeLine(event, { n, prev: newest, at, secrets, hash });
      newest = line.hash;
      text += `${line.text}\n`;
    }
    const bytes = Buffer.from(text);
    try {
      for (let done = 0; done < bytes.length; )
        done += writeSync(file, bytes, done, bytes.length - done, end.bytes + done);
    } catch (error) {
      leaveWhole(file, end.bytes);
      throw error;
    }
    return { segment: end.segment, bytes: end.bytes + bytes.length, n, hash: newest };
  }

  /** Another file only after the one before is on the disk and nothing waits for its descriptor. */
  async function hold(held: HeldFile | undefined, path: string): Promise<HeldFile> {
    if (held?.path === path && isCurrent(held)) return held;
    if (held) {
      await sync();
      closeSync(held.file);
    }
    isFolderSynced = false;
    return holdFile(path);
  }

  /** The files that are too many once another one is begun. */
  async function outdatedSegments(): Promise<string[]> {
    const names = await listSegments(folder);
    const kept = Math.max(1, Math.floor(options.keptBytes / segmentBytes) - 1);
    return names.slice(0, Math.max(0, names.length - kept));
  }

  async function retention(count: number, end: LogEnd): Promise<AuditEvent> {
    const through = firstLineOf((await listSegments(folder))[count] ?? end.segment) - 1;
    const about = `the lines up to ${through} were removed: the log is larger than auditMegabytes`;
    return { kind: 'retention', who: 'lainclaw', what: String(through), about };
  }

  /** One at a time; what is written meanwhile is for the next. */
  async function sync(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    await syncing;
    if (!isDirty) return;
    isDirty = false;
    syncing = syncFiles().finally(() => {
      syncing = undefined;
    });
    await syncing;
  }

  async function syncFiles(): Promise<void> {
    await Promise.all([segment, head].map((held) => held && syncData(held.file)));
    if (isFolderSynced) return;
    isFolderSynced = true;
    await Promise.all([syncDirectory(folder), syncDirectory(home)]);
  }

  /** Names the lines first, then overwrites them. */
  async function overwrite(lines: readonly RedactedAuditLine[], what: string): Promise<void> {
    const [{ overwriteLines }, { redactionEvents }] = await Promise.all([
      import('./redact-audit.ts'),
      import('../../audit-redaction.ts'),
    ]);
    await audit.append(redactionEvents(lines, what));
    await sync();
    const lock = await locks.acquire('audit');
    try {
      overwriteLines(folder, lines);
    } finally {
      await lock.release();
    }
  }

  const audit: Audit = {
    append(events, { beginsNone = false } = {}) {
      if (events.length === 0 || (beginsNone && !writing && !existsSync(home))) return Promise.resolve();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ events, resolve, reject });
      writing ??= writeAll();
      return promise;
    },
    async verify(request = {}) {
      await writing;
      return (await import('./verify-audit.ts')).verifyAudit(home, request);
    },
    async newest(limit, filter) {
      await writing;
      return (await import('./read-audit.ts')).newestLines(folder, limit, filter);
    },
    async *read(filter) {
      await writing;
      yield* (await import('./read-audit.ts')).readLines(folder, filter);
    },
    async redact(redaction, mode) {
      await writing;
      const { linesToRedact } = await import('./redact-audit.ts');
      const found = await linesToRedact(folder, redaction, hash);
      if (found.length === 0) return [];
      if (mode === 'remove') await overwrite(found, 'memory.forgetEverywhere');
      return [{ place: 'line of the audit log', name: '', count: found.length }];
    },
    async forgetSession(sessionKey) {
      await writing;
      const { linesOfSession } = await import('./redact-audit.ts');
      const found = await linesOfSession(folder, sessionKey, hash);
      if (found.length > 0) await overwrite(found, 'sessions.delete');
    },
    async close() {
      await writing;
      await sync();
      for (const held of [segment, head]) if (held) closeSync(held.file);
      segment = undefined;
      head = undefined;
    },
  };
  return audit;
}

/** Where even that fails, the next writer cuts it off. */
function leaveWhole(file: number, bytes: number): void {
  try {
    ftruncateSync(file, bytes);
  } catch {
    // The disk refuses everything.
  }
}

function headAt({ segment, bytes, n, hash }: LogEnd): Omit<LogEnd, 'repairs'> {
  return { segment, bytes, n, hash };
}
