// What can be wrong with a file of the home, and what a repair did: the English of each. It follows the path of the file.
import { fillIn, type Values, type Worded } from '../vocabulary/worded.ts';

export const FILE_PROBLEMS = {
  empty: 'is empty',
  unreadable: 'cannot be read: {detail}',
  'missing-conversation': 'is missing: the conversation "{sessionKey}"',
  'folder-closed': 'is a folder that you cannot use (mode {mode})',
  'file-closed': 'is a file that you cannot use (mode {mode})',
  'folder-open': 'is a folder that others can use (mode {mode})',
  'file-open': 'is a file that others can use (mode {mode})',
  'audit-log': 'is not the log as it was written: {detail}',
  'record-changed': 'was changed: {detail}',
  'record-missing': 'is missing: lainclaw backup --automatic writes it',
  'backup-missing': 'is missing',
  'other-bytes': 'has other bytes since the backup of {since}, and no program has written it',
  shorter: 'is shorter than it was in the backup of {since}',
  'older-lines': 'has older lines that were changed since the backup of {since}',
  'is-folder': 'is a folder now',
  missing: 'is missing since the backup of {since}',
  'newer-version': 'is of version {version}, this Lainclaw understands {understood}',
  'other-version': 'has the version {version}',
  'not-checked': 'cannot be checked now: {detail}',
  'not-a-database': 'is not a database: {detail}',
  structure: 'has a damaged structure: {detail}',
  'missing-rows': 'has {count:row that names|rows that name} rows that are missing',
  'no-tables': 'has no tables',
  'no-table': 'has no table {table}',
  'other-database': 'holds another database',
  'search-index': 'has a damaged search index {index}: {detail}',
  'log-cut': 'has a write-ahead log that is cut off',
  'log-without-header': 'has a write-ahead log without a header',
  'log-header': 'has a write-ahead log whose header was changed',
  'log-frame': 'has a write-ahead log that was changed in frame {frame}: what follows is lost',
  'session-entry': 'holds an entry of "{sessionKey}" that was changed',
  'some-entry': 'has an entry that was changed',
  content: 'holds the content {hash}…, which was changed',
  'not-utf8': 'is not UTF-8',
  'not-text': 'holds bytes that are not text',
  'not-json': 'is not JSON: {detail}',
  'not-object': 'is not a JSON object',
  'line-not-json': 'has a line that is not JSON: line {line}',
  'line-of-another': 'has a line that belongs in another file: line {line}',
  'lock-not-empty': 'is not empty, as a lock must be',
  'backup-unusable': 'cannot be used: {detail}',
  'cut-line': 'ends in the middle of line {line}',
  'no-first-line': 'does not begin with the line that names its session',
  'before-last-turn': 'ends before its last turn: the index knows of one at {at}',
  'changed-lines': 'has {count:line that is|lines that are} not what was written ({lines})',
  'correctable-lines':
    'has {count:line that is|lines that are} not what was written ({lines}); the checksum says what it was',
} as const;

export type FileProblemCode = keyof typeof FILE_PROBLEMS;
export type FileProblem = Worded<FileProblemCode>;

export function fileProblem(code: FileProblemCode, values: Values = {}): FileProblem {
  return { code, values };
}

export function fileProblemText({ code, values }: FileProblem): string {
  return fillIn(FILE_PROBLEMS[code], values);
}

export const REPAIRS = {
  indexes: 'its indexes were made again, and the sound part of its log was kept',
  'made-again': 'set aside; the next command makes it again from the transcripts',
  'set-aside': 'set aside',
  'set-aside-no-backup': 'set aside: no backup has it',
  'left-for-upgrade': 'left as it is: upgrade lainclaw',
  'left-for-you': 'left as it is: look at it yourself',
  'left-no-backup': 'left as it is: no backup has it',
  'left-sound': 'left as it is: its lines are sound',
  'no-backup': 'no backup has it',
  restored: 'restored from the backup of {createdAt}',
  'held-outgoing': 'held back, because it may have been sent since: {count:outgoing message}',
  'held-incoming': 'held back, because it may have been answered since: {count:incoming message}',
  'held-runs': 'held back, because it may have been done since: {count:run of a job|runs of jobs}',
  'held-job-messages': 'held back, because it may have been sent since: {count:message of a job|messages of jobs}',
  'held-jobs': 'held back, because it may have been done since: {count:scheduled job}',
  'held-agents': 'held back, because it may have been done since: {count:sub-agent run}',
  'older-part': 'its older part was restored from the backup of {createdAt}',
  'corrected-lines': '{count:line was|lines were} corrected from the checksum',
  'left-out-lines': '{count:line was|lines were} left out: {lines}',
  'last-line-ended': 'its last line was ended',
  private: 'made private to you',
  'not-private': 'its permissions cannot be set: {detail}',
  failed: 'not repaired: {detail}',
} as const;

export type RepairCode = keyof typeof REPAIRS;
export type RepairStep = Worded<RepairCode>;

export function repairStep(code: RepairCode, values: Values = {}): RepairStep {
  return { code, values };
}

export function repairText(steps: readonly RepairStep[]): string {
  return steps.map(({ code, values }) => fillIn(REPAIRS[code], values)).join('; ');
}
