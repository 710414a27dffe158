// Reads the whole log and says where it is not as it was written. Each line is checked by itself (its hash) and against the one before
// (its number, and the hash that it names); the last one against the head. After a fault the check continues with the
// next line, so that each fault is found once and in its place.
//
// It takes no lock. Lines may be appended meanwhile: the head is read first, so that the files have at least what it names.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { AuditAnchor, AuditProblem, AuditReport } from '../../audit.ts';
import { storageError } from '../../private-files.ts';
import { AUDIT_HEAD, type AuditHead, auditPlaces, bootId, firstLineOf, listSegments, readHead } from './audit-files.ts';
import { NO_LINE, parseLine, readLineHead, sha256Hex } from './audit-line.ts';

const BLOCK_BYTES = 1024 * 1024;
const MOST_PROBLEMS = 100;
const MOST_NOTES = 20;
const NEWLINE = 0x0a;

interface VerifyOptions {
  anchor?: AuditAnchor;
  signal?: AbortSignal;
}

export async function verifyAudit(home: string, { anchor, signal }: VerifyOptions = {}): Promise<AuditReport> {
  const { folder, head: headPath } = auditPlaces(home);
  const head = readHead(headPath);
  const segments = await listSegments(folder);
  const check = createCheck([head, anchor]);
  for (const segment of segments) {
    check.beginFile(segment);
    try {
      await readLines(join(folder, segment), check.line, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw storageError(join(folder, segment), error);
    }
  }
  check.end({ head, hasFiles: segments.length > 0, anchor });
  return check.report();
}

/** `take` gets each line without its newline, and the last one also where it has none. */
async function readLines(
  path: string,
  take: (bytes: Buffer, from: number, to: number, isTorn: boolean) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const block of createReadStream(path, { highWaterMark: BLOCK_BYTES, signal })) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, block as Buffer]) : (block as Buffer);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      take(bytes, start, end, false);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
  if (rest.length > 0) take(rest, 0, rest.length, true);
}

function createCheck(wanted: readonly (AuditAnchor | undefined)[]) {
  const hash = sha256Hex();
  const problems: AuditProblem[] = [];
  const notes: string[] = [];
  /** Ranges of numbers that did not come in their place; `at` is the place of the problem in `problems`. */
  const gaps: { from: number; to: number; problem: AuditProblem }[] = [];
  const found = new Map(wanted.filter((each) => each !== undefined).map(({ n }) => [n, '']));
  let problemCount = 0;
  let file = '';
  let lineInFile = 0;
  let lines = 0;
  let bytes = 0;
  let first: number | undefined;
  let removedThrough = 0;
  let n = 0;
  let newest = NO_LINE;
  /** The line before was found wrong: its hash proves nothing about the next. */
  let isBroken = false;
  /** Lines since the last one with a number. */
  let unreadable = 0;
  let torn: { file: string; bytes: number } | undefined;
  /** Lines that are not as they were written, and may have been overwritten by rule. */
  const changed = new Map<number, { mark: string; hash: string; problem: AuditProblem }>();

  function tell(problem: AuditProblem['problem'], number: number, message: string, through?: number): AuditProblem {
    const at = file === '' ? AUDIT_HEAD : file;
    const told: AuditProblem = {
      problem,
      n: number,
      ...(through !== undefined && through > number && { through }),
      file: at,
      line: lineInFile,
      message,
    };
    problemCount += 1;
    if (problems.length < MOST_PROBLEMS) problems.push(told);
    return told;
  }

  function note(text: string): void {
    if (notes.length < MOST_NOTES) notes.push(text);
  }

  function line(buffer: Buffer, from: number, to: number, isTorn: boolean): void {
    lineInFile += 1;
    bytes += to - from + (isTorn ? 0 : 1);
    const read = readLineHead(buffer, from, to, hash);
    if (isTorn && !read?.isWhole) {
      torn = { file, bytes: to - from };
      return;
    }
    torn = undefined;
    if (!read) {
      unreadable += 1;
      const number = n + unreadable;
      tell('changed', number, `what is in the place of line ${number} is not a line of the log`);
      return;
    }
    lines += 1;
    if (!read.isWhole) damaged(read);
    else whole(read);
    if (read.isWhole && (read.isRetention || read.isRepair)) explain(buffer.toString('utf8', from, to));
    if (read.isWhole && read.isRedaction) excuse(buffer.toString('utf8', from, to));
  }

  function damaged(read: { hash: string; mark: string }): void {
    // Its own number may be what was changed.
    const number = n + unreadable + 1;
    unreadable = 0;
    const problem = tell('changed', number, `line ${number} was changed after it was written`);
    changed.set(number, { ...read, problem });
    first ??= number;
    n = number;
    newest = read.hash;
    isBroken = true;
  }

  function whole(read: { n: number; hash: string; prev: string }): void {
    if (found.has(read.n)) found.set(read.n, read.hash);
    first ??= read.n;
    if (lines === 1) n = read.n - 1;
    if (lines === 1 && read.n === 1 && read.prev !== NO_LINE) tell('replaced', 1, 'line 1 does not begin a log');
    const follows = lines === 1 || read.prev === newest;
    const after = n + 1 + (read.prev === newest ? 0 : unreadable);
    if (read.n <= n) {
      outOfOrder(read.n);
      return;
    }
    if (read.n > after) missing(after, read.n - 1);
    else if (!follows && !isBroken && unreadable === 0)
      tell('replaced', n, `line ${n} is not the one that line ${read.n} was written after`);
    n = read.n;
    newest = read.hash;
    isBroken = false;
    unreadable = 0;
  }

  function missing(from: number, to: number): void {
    const what = from === to ? `line ${from} is missing` : `lines ${from} to ${to} are missing`;
    const problem = tell('missing', from, what, to);
    gaps.push({ from, to, problem });
  }

  function outOfOrder(number: number): void {
    const gap = gaps.find(({ from, to }) => number >= from && number <= to);
    const message = gap
      ? `line ${number} was moved: it comes after line ${n}`
      : `a second line ${number} comes after line ${n}`;
    if (gap && gap.from === gap.to) {
      // The line is there: what looked like a removal is this move.
      Object.assign(gap.problem, { problem: 'moved', message, file, line: lineInFile });
      gaps.splice(gaps.indexOf(gap), 1);
    } else tell(gap ? 'moved' : 'foreign', number, message);
  }

  /** Lines that are as this line says were overwritten when their text was forgotten. */
  function excuse(json: string): void {
    const read = parseLine(json);
    const excused = [...(read?.about ?? '').matchAll(/(\d+):([\da-f]{16})/g)].filter(
      ([, number, mark]) => changed.get(Number(number))?.mark === mark,
    );
    for (const [, number] of excused) {
      const { hash: stored, problem } = changed.get(Number(number)) ?? {};
      if (!problem) continue;
      changed.delete(Number(number));
      problemCount -= 1;
      if (problems.includes(problem)) problems.splice(problems.indexOf(problem), 1);
      if (found.has(Number(number)) && stored !== undefined) found.set(Number(number), stored);
    }
    if (read && excused.length > 0) note(`line ${read.n}, ${read.at}: a text was forgotten in ${excused.length} lines`);
  }

  function explain(json: string): void {
    const read = parseLine(json);
    if (!read) return;
    if (read.kind === 'retention') removedThrough = Math.max(removedThrough, Number(read.what) || 0);
    note(`line ${read.n}, ${read.at}: ${read.about ?? ''}`);
  }

  function end({
    head,
    hasFiles,
    anchor,
  }: {
    head: AuditHead | undefined;
    hasFiles: boolean;
    anchor?: AuditAnchor;
  }): void {
    if (first !== undefined && first > removedThrough + 1) {
      [file, lineInFile] = ['', 0];
      missing(removedThrough + 1, first - 1);
    }
    if (!head && hasFiles) {
      [file, lineInFile] = ['', 0];
      tell('no-head', n, `${AUDIT_HEAD} is missing or damaged: a removal at the end cannot be excluded`);
    }
    if (head && head.n > n) missingEnd(head);
    else if (head && found.get(head.n) !== '' && found.get(head.n) !== head.hash)
      tell('replaced', head.n, `line ${head.n} is not the one that ${AUDIT_HEAD} names`);
    if (torn)
      note(
        `${torn.file} ends with ${torn.bytes} bytes of a line that is being written, or whose writer was stopped: the next line repairs it`,
      );
    if (anchor) checkAnchor(anchor);
  }

  function missingEnd(head: AuditHead): void {
    const restarted = head.boot !== '' && head.boot !== bootId();
    file = head.segment;
    missing(n + 1, head.n);
    const last = problems.at(-1);
    if (!last || last.n !== n + 1) return;
    last.message += ` at the end of the log: ${AUDIT_HEAD} names line ${head.n}`;
    if (restarted) last.message += '. The system was restarted since: after a power cut the last second can be missing';
  }

  function checkAnchor({ n: number, hash: expected }: AuditAnchor): void {
    const actual = found.get(number);
    if (actual === expected) return;
    const message =
      actual === '' || actual === undefined
        ? `the log has no whole line ${number}`
        : `line ${number} has the hash ${actual}`;
    tell('wrong-anchor', number, `${message}; the anchor names ${expected}`);
  }

  return {
    beginFile(name: string): void {
      file = name;
      lineInFile = 0;
      if (first !== undefined && firstLineOf(name) <= n) note(`${name} begins with a line that an earlier file has`);
    },
    line,
    end,
    report: (): AuditReport => ({
      isSound: problemCount === 0,
      lines,
      bytes,
      anchor: n > 0 ? { n, hash: newest } : undefined,
      problems,
      problemCount,
      notes,
    }),
  };
}
