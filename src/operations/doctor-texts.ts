// What `doctor` can say: the English of each finding, and of what to do about it. The console has them in its other languages
// (web/src/language/doctor).
import { ConfigError } from '../config/config-error.ts';
import { FILE_PROBLEMS, type FileProblemCode } from '../storage/file-problems.ts';
import type { Remedy } from '../storage/home-check.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { fillIn, type Values, type Worded } from '../vocabulary/worded.ts';

const FINDINGS = {
  'files-sound': '{files:file}, none damaged',
  'more-files': 'and {count} more',
  'no-backup': 'there is no automatic backup',
  'newest-backup': 'the newest automatic backup is of {createdAt}',
  'store-read-only': '{address}: it is read-only',
  'store-tables': '{address}: its tables do not fit',
  'store-records': 'the records are in {address}: the checks and backups of files cover the home alone',
  'store-memory': 'the memory of this home ({texts:text}) is not in the database, where it is searched',
  bucket: '{address} stores, returns and removes objects',
  config: 'provider {provider}, language {language}',
  'memory-model': '{model}, {dimensions:dimension}',
  node: 'Node {version}',
  home: '{home}',
  'home-to-come': 'the first question makes {home}',
  'home-closed': '{path} cannot be written: {detail}',
  sessions: '{sessions:session}, the index is readable',
  workspace: '{root}, confined by descriptors',
  'workspace-by-path': '{root} is confined by checked paths only: /proc is not usable here',
  'killed-command': '{detail}',
  'sandbox-hosts': '{sandbox}: commands reach only the hosts that you permit, the system is read-only',
  'sandbox-hosts-unlimited':
    '{sandbox}: commands reach only the hosts that you permit, the system is read-only; the number of processes is not limited',
  'sandbox-closed': '{sandbox}: commands have no network, the system is read-only',
  'sandbox-closed-unlimited':
    '{sandbox}: commands have no network, the system is read-only; the number of processes is not limited',
  'sandbox-off':
    'none, it is switched off: bash runs with your own rights after you approve, code_execute does not run',
  'sandbox-fails':
    'none, bubblewrap does not work here ({detail}): bash runs with your own rights after you approve, code_execute does not run',
  provider: '{provider}',
  'no-provider': 'there is no provider "{provider}"',
  'signed-in': '{profiles}',
  'signed-out': 'nobody is signed in: only the offline stub answers',
  'key-beside-profile': '{variable} is in the environment, and the sign-in {profile} is used instead',
  'key-unused': '{variable} is in the environment, and {provider} answers: it is not used',
  server: '{label} is running with {models}: {command}',
  'server-without-model': '{label} is running, without a model',
  /** What an error says; `error` is its code, where it has one. */
  error: '{detail}',
} as const;

/** What is wrong with a file begins with its path. */
export type FindingCode = keyof typeof FINDINGS | `file.${FileProblemCode}`;

const FIXES = {
  restore: 'lainclaw doctor --fix restores it from the automatic backup, or sets it aside where none has it',
  lines: 'lainclaw doctor --fix repairs it from its checksums and the automatic backup',
  'in-place': 'lainclaw doctor --fix makes its indexes again and keeps the sound part of its log; its rows stay',
  rebuild: 'lainclaw doctor --fix makes it again from other files',
  'set-aside': 'lainclaw doctor --fix sets it aside',
  private: 'lainclaw doctor --fix makes it private to you',
  upgrade: 'upgrade lainclaw',
  look: 'look at it yourself; lainclaw restore <backup> --path <file> shows what a backup has',
  /** The same in every language. */
  command: '{command}',
  backup: 'lainclaw backup --automatic; the gateway does it every day',
  'dump-database': 'back the database up with pg_dump (docs/store.md)',
  'store-status': 'lainclaw store status says what to do',
  'follow-message': 'follow the message, then run this again',
  'follow-store-page': 'follow the message; "Files" in docs/store.md',
  'edit-file': 'edit {file} in the home',
  'correct-variable': 'give the variable a value that is accepted, or unset it',
  'memory-model': 'lainclaw memory model use none, or add the model again',
  'other-home': 'set LAINCLAW_HOME to a directory you can write to',
  'other-workspace': 'set --workspace or LAINCLAW_WORKSPACE',
  'mount-proc': 'mount /proc, so that each step of a path is opened by descriptor',
  'killed-command':
    'nothing to do where it was put back or taken away; otherwise look at the file before you use git or an editor there',
  sandbox: '{detail}',
  'sandbox-setting': 'change "sandbox" in config.json, or repair the sandbox',
  'sign-in': 'lainclaw auth login openai-codex, or lainclaw auth login <provider> --api-key-stdin',
  'choose-provider': 'choose one of {providers}',
} as const satisfies Record<Remedy, string> & Record<string, string>;

export type FixCode = keyof typeof FIXES;

export const FINDING_TEXTS: Readonly<Record<FindingCode, string>> = {
  ...FINDINGS,
  ...(Object.fromEntries(
    Object.entries(FILE_PROBLEMS).map(([code, text]) => [`file.${code}`, `{path} ${text}`]),
  ) as Record<`file.${FileProblemCode}`, string>),
};
export const FIX_TEXTS: Readonly<Record<FixCode, string>> = FIXES;

export interface Check {
  name: string;
  /** `advice`: it works, and could work better. */
  state: 'ok' | 'advice' | 'problem';
  finding: Worded<FindingCode>;
  /** The finding in English. */
  message: string;
  advice?: Worded<FixCode>;
  /** What to do about it, in English. */
  fix?: string;
}

/** `['code', { name: value }]`; the values may be left out. */
export type Said<Code> = readonly [code: Code, values?: Values];

export function checkOf(
  name: string,
  state: Check['state'],
  [code, values = {}]: Said<FindingCode>,
  fix?: Said<FixCode>,
): Check {
  const finding = { code, values };
  const check: Check = { name, state, finding, message: fillIn(FINDING_TEXTS[code], values) };
  if (!fix) return check;
  const [fixCode, fixValues = {}] = fix;
  return {
    ...check,
    advice: { code: fixCode, values: fixValues },
    fix: fillIn(FIX_TEXTS[fixCode], fixValues),
  };
}

/** What an error says, with its code where it has one. */
export function saidBy(error: unknown): Said<'error'> {
  const detail = messageOf(error);
  const isCoded = error instanceof CodedError || error instanceof ConfigError;
  return ['error', isCoded ? { detail, error: error.code } : { detail }];
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
