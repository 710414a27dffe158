// Says where a log is not as it was written, wherever it is kept. Each line is checked by itself (its hash) and against the one before (its number, and the hash
// that it names); the last one against the head. After a fault the check continues with the next line, so that each fault is found once and in its place.
import type { AuditAnchor, AuditProblem, AuditReport } from './audit.ts';
import { NO_LINE, parseLine, readLineHead, sha256Hex } from './audit-line.ts';
import { type NamedLines, namedLines } from './audit-redaction.ts';

const MOST_PROBLEMS = 100;
const MOST_NOTES = 20;

/** The last line as it is named apart from the log. */
export interface NamedEnd extends AuditAnchor {
  /** Where that line is. */
  file: string;
  /** The system was restarted since. */
  mayLackLines: boolean;
}

export interface AuditEnd {
  head: NamedEnd | undefined;
  hasLines: boolean;
  anchor?: AuditAnchor;
}

/** `wanted`: lines whose hashes are compared at the end. `headName`: where the last line is named. */
export function createAuditCheck(wanted: readonly (AuditAnchor | undefined)[], { headName }: { headName: string }) {
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
  /** Lines of other logs that this one says were overwritten. */
  const elsewhere: NamedLines[] = [];
  let torn: { file: string; bytes: number } | undefined;
  /** Lines that are not as they were written, and may have been overwritten by rule. */
  const changed = new Map<number, { mark: string; hash: string; problem: AuditProblem }>();

  function tell(problem: AuditProblem['problem'], number: number, message: string, through?: number): AuditProblem {
    const at = file === '' ? headName : file;
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
    if (!read) return;
    const named = namedLines(read.about ?? '');
    if (named.machine !== undefined) elsewhere.push(named);
    else excuseLines(named, `line ${read.n}, ${read.at}`);
  }

  function excuseLines({ lines: those }: NamedLines, by: string): void {
    const excused = those.filter(({ n: number, mark }) => changed.get(number)?.mark === mark);
    for (const { n: number } of excused) {
      const { hash: stored, problem } = changed.get(number) ?? {};
      if (!problem) continue;
      changed.delete(number);
      problemCount -= 1;
      if (problems.includes(problem)) problems.splice(problems.indexOf(problem), 1);
      if (found.has(number) && stored !== undefined) found.set(number, stored);
    }
    if (excused.length > 0) note(`${by}: a text was forgotten in ${excused.length} lines`);
  }

  function explain(json: string): void {
    const read = parseLine(json);
    if (!read) return;
    if (read.kind === 'retention') removedThrough = Math.max(removedThrough, Number(read.what) || 0);
    note(`line ${read.n}, ${read.at}: ${read.about ?? ''}`);
  }

  function end({ head, hasLines, anchor }: AuditEnd): void {
    if (first !== undefined && first > removedThrough + 1) {
      [file, lineInFile] = ['', 0];
      missing(removedThrough + 1, first - 1);
    }
    if (!head && hasLines) {
      [file, lineInFile] = ['', 0];
      tell('no-head', n, `${headName} is missing or damaged: a removal at the end cannot be excluded`);
    }
    if (head && head.n > n) missingEnd(head);
    else if (head && found.get(head.n) !== '' && found.get(head.n) !== head.hash)
      tell('replaced', head.n, `line ${head.n} is not the one that ${headName} names`);
    if (torn)
      note(
        `${torn.file} ends with ${torn.bytes} bytes of a line that is being written, or whose writer was stopped: the next line repairs it`,
      );
    if (anchor) checkAnchor(anchor);
  }

  function missingEnd(head: NamedEnd): void {
    file = head.file;
    missing(n + 1, head.n);
    const last = problems.at(-1);
    if (!last || last.n !== n + 1) return;
    last.message += ` at the end of the log: ${headName} names line ${head.n}`;
    if (head.mayLackLines)
      last.message += '. The system was restarted since: after a power cut the last second can be missing';
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
    /** `firstLine`: the number that its first line should have. */
    beginFile(name: string, firstLine: number): void {
      file = name;
      lineInFile = 0;
      if (first !== undefined && firstLine <= n) note(`${name} begins with a line that an earlier file has`);
    },
    line,
    end,
    elsewhere: (): readonly NamedLines[] => elsewhere,
    excuseLines,
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
