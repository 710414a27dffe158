// Why something was allowed or refused, as the audit log says it and as a person is asked. Every sentence of policy is in this table, so
// that a sentence of the log can be read back into its code and values: the log holds one English sentence, also in old lines, and the
// console words it in its own language (web/src/language/audit).
//
// In a sentence, `{reasons}` are others of the table, joined by "; ", and `{because}` is one of them. They are read back after the
// sentence that they belong to. What is not of the table stays text.
import { fillIn, type Values } from './worded.ts';

export const REASONS = {
  // What allowed a call
  'session-answer': 'a person allowed it for this session',
  'only-reads': 'it only reads',
  'needs-none': 'the tool needs no permission',
  rule: 'a rule allows it',
  mode: 'the mode {mode} allows it',
  'mode-edits': 'the mode accept-edits allows edits',
  approved: 'a person approved it',
  'approved-after': 'a person approved it (asked because {reasons})',
  // What refused it
  denied: '{tool} is denied: {reasons}',
  'unusable-permissions': 'permissions.json cannot be used, so nothing is allowed: {detail}',
  'mode-never': '{tool} needs permission, and the mode never refuses it',
  'not-approved': '{tool} was not approved',
  'nobody-for-plan': 'nobody is there to approve the plan: give it as your answer',
  'no-person': "{tool} needs a person's approval, and nobody is there to give it. Ways out: {ways}",
  'no-person-after': "{tool} needs a person's approval ({reasons}), and nobody is there to give it. Ways out: {ways}",
  'no-permission': '{tool} needs permission and nobody is there to give it: {ways}',
  'no-permission-after': '{tool} needs permission ({reasons}) and nobody is there to give it: {ways}',
  'no-tool': 'there is no tool "{tool}" here',
  // Why it was asked about or denied
  'needs-permission': '{tool} needs permission',
  'asks-each-time': '{tool} asks a person each time',
  'rule-denies': 'the rule "{rule}" denies it',
  'rule-asks': 'the rule "{rule}" asks',
  tainted: 'this turn has content from outside ({sources}), so a person must approve it',
  'plan-only-reads':
    'plan mode only reads: finish the plan and hand it to plan_ready, or write it as your answer. Nothing is changed before a person approves it',
  'outside-workspace': 'it is outside the workspace',
  'runs-outside': 'it runs outside the workspace',
  'sent-by-others': 'files that other people have sent are not for this conversation',
  'own-home': '{path} belongs to Lainclaw itself',
  'own-home-change': '{path} belongs to Lainclaw itself: a tool may not change its own permissions',
  protected: '{path} is protected: {because}',
  'not-judged': 'it cannot be judged: {detail}',
  'typed-into-command': 'a running command receives it',
  'not-known-to-read': '{program}: is not known to only read',
  'writes-to': '{program}: writes to {path}',
  'name-unknown': '{program}: its name is only known when it runs',
  'sets-variable': '{program}: sets {variable} for the command',
  'private-host': '{host} is on this machine or in a private network',
  reaches: 'it reaches {hosts}',
  unfiltered: 'there is no sandbox here, so nothing filters: it can reach any host',
  // Why a path is protected
  'starts-programs': 'it can start programs',
  'names-programs': 'it names programs that run',
  'git-commands': 'git runs hooks and commands named in there',
  'git-decides': 'it decides which commands git runs',
  'git-repository': 'git takes a directory with it for a repository, and runs commands named there',
  'git-hooks': 'git hooks run from there',
  'git-hook': 'git runs it as a hook',
  'git-program': 'git runs it, because its settings name it',
  'shell-start': 'a shell or session reads it at its start',
  'session-start': 'it is read at the start of a session',
  'log-in': 'it decides who may log in and as whom',
  credentials: 'it holds credentials',
  'keys-or-credentials': 'it holds keys or credentials',
  'private-key': 'it is a private key',
  'process-secrets': 'it shows the secrets of a process',
  'on-entering': 'it runs when the directory is entered',
  'package-managers': 'package managers take commands and registries from it',
  'editor-tasks': 'the editor runs tasks from it',
  'editor-or-debugger': 'an editor or a debugger runs it',
  'agents-commands': 'agents take commands and permissions from it',
  'scheduled-turns': 'it makes scheduled turns',
  'in-ci': 'it runs in CI, with the secrets of CI',
  'package-scripts': 'package managers run the scripts in it',
  'build-commands': 'a build runs the commands in it',
  'build-or-test': 'a build or test run executes it',
  'development-tools': 'development tools run it',
  'other-settings': 'other programs take settings from it',
  'assistants-follow': 'assistants follow it in later conversations',
  // What a person was asked and answered
  once: 'once',
  session: 'session',
  always: 'always',
  no: 'no',
  // Why an operation was allowed
  'from-machine': '{because}: it was asked for on this machine',
  'from-owner': '{because}: the owner asked for it',
  'concerns-asker': '{because}: it concerns only the person or chat that asked',
  read: 'read',
  change: 'change',
  danger: 'danger',
  // Messages
  'first-attempt': 'it was in the outbox, and the chat may receive it',
  'later-attempt': 'attempt {number}',
} as const;

export type ReasonCode = keyof typeof REASONS;

export interface Reason {
  code: ReasonCode;
  values: Values;
  /** What follows says why. */
  leads: boolean;
}

export function reasonText(code: ReasonCode, values: Values = {}): string {
  return fillIn(REASONS[code], values);
}

/** Text that no sentence of the table fits is the only thing left of it. */
export type SaidReason = Reason | { text: string };

/** A longer text has a name in it that others chose, perhaps one that holds the words of sentences many times over. */
const LONGEST = 4_000;

/** Undefined where the text as a whole is not of the table, or is too long. */
export function readReasons(text: string): SaidReason[] | undefined {
  if (text.length > LONGEST) return undefined;
  const one = readReason(text);
  if (one) return one;
  const parts = text.split(BETWEEN);
  if (parts.length === 1) return undefined;
  const found = parts.map(readReason);
  return found.every((each) => each !== undefined) ? found.flat() : undefined;
}

const BETWEEN = '; ';

function readReason(text: string): SaidReason[] | undefined {
  for (const { code, pattern, names } of patterns()) {
    const found = pattern.exec(text)?.slice(1);
    if (!found) continue;
    const values = Object.fromEntries(names.map((name, index) => [name, found[index] ?? '']));
    const { reasons, because, ...own } = values;
    const inner = reasons === undefined ? (because === undefined ? [] : [because]) : reasons.split(BETWEEN);
    const read = inner.flatMap((each): SaidReason[] => readReason(each) ?? [{ text: each }]);
    return [{ code, values: own, leads: read.length > 0 }, ...read];
  }
  return undefined;
}

interface Pattern {
  code: ReasonCode;
  pattern: RegExp;
  names: readonly string[];
}

let known: readonly Pattern[] | undefined;

/** The sentence with the most words of its own first. */
function patterns(): readonly Pattern[] {
  known ??= (Object.entries(REASONS) as [ReasonCode, string][])
    .map(([code, text]) => ({ code, pieces: text.split(/\{(\w+)\}/) }))
    .toSorted((one, other) => ownLength(other.pieces) - ownLength(one.pieces))
    .map(({ code, pieces }) => ({
      code,
      names: pieces.filter((_, index) => index % 2 === 1),
      pattern: new RegExp(
        `^${pieces.map((piece, index) => (index % 2 === 1 ? '(.+?)' : escaped(piece))).join('')}$`,
        's',
      ),
    }));
  return known;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function ownLength(pieces: readonly string[]): number {
  return pieces.filter((_, index) => index % 2 === 0).join('').length;
}
