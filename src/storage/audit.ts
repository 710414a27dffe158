// The contract of the audit log: who did what, and why it was allowed. Each line names the one before it by its hash, so an edit,
// a removal and a change of order are found. Somebody who has the rights of this user can write the whole log again; an anchor that
// is kept elsewhere (`AuditReport.anchor`) shows also that.

import type { RedactedPlace, Redaction, RedactionMode } from './redaction.ts';

export type AuditKind =
  /** A tool is about to run, or was refused. */
  | 'tool-call'
  | 'tool-result'
  /** A person was asked about a call. */
  | 'approval'
  /** A message is about to leave for a chat. */
  | 'message'
  /** Something that a person does: a setting, a permission, trust, pairing. */
  | 'operation'
  /** The log itself: a torn line was cut off, or something was missing. */
  | 'repair'
  /** The oldest lines were removed by the setting `auditMegabytes`. */
  | 'retention'
  /** A text was forgotten everywhere: names the lines that held it, and what they are now. */
  | 'redaction';

export interface AuditEvent {
  kind: AuditKind;
  /** `owner`, the name of a chat, `mcp client`. */
  who: string;
  /** The tool, the operation or the chat. */
  what: string;
  /** The command, the paths, the input. It is shortened, and secrets are replaced, when it is written. */
  about?: string;
  outcome?: 'allowed' | 'denied' | 'ok' | 'failed';
  /** Why it was allowed or refused, or how it failed. */
  why?: string;
  /** The key of the session. */
  session?: string;
  turn?: string;
  call?: string;
}

export interface AuditLine extends AuditEvent {
  /** 1, 2, 3, … over the whole life of the log. */
  n: number;
  /** ISO 8601. */
  at: string;
  /** SHA-256 of the line from `"prev"` on. */
  hash: string;
  /** The hash of the line before it. */
  prev: string;
  /** The machine whose log it is of, where several share a store. */
  machine?: string;
}

export interface TailLine extends Pick<AuditLine, 'n' | 'at' | 'hash'> {
  /** As it is stored. */
  json: string;
}

/** The lines of this machine's log after a number, at most so many. */
export type AuditTail = (after: number, limit: number) => Promise<TailLine[]>;

export interface AuditProblem {
  problem: 'changed' | 'replaced' | 'missing' | 'moved' | 'foreign' | 'no-head' | 'wrong-anchor';
  /** The first line that it concerns, and the last one where there are several. */
  n: number;
  through?: number;
  /** The file and the line in it where it was found. */
  file: string;
  line: number;
  message: string;
}

/** A line of the log, as it can be kept elsewhere. */
export interface AuditAnchor {
  n: number;
  hash: string;
}

export interface AuditReport {
  isSound: boolean;
  lines: number;
  bytes: number;
  /** The last line; undefined for an empty log. */
  anchor: AuditAnchor | undefined;
  /** At most 100; `problemCount` counts all. */
  problems: AuditProblem[];
  problemCount: number;
  /** What was repaired or removed by rule, in words: nothing to worry about. */
  notes: string[];
}

export interface AuditFilter {
  kinds?: readonly AuditKind[];
  /** The beginning of `what`. */
  what?: string;
  who?: string;
  session?: string;
  outcome?: AuditEvent['outcome'];
  /** ISO 8601: from then on, and before then. */
  since?: string;
  until?: string;
}

/** What those who only write need of the log. */
/** `beginsNone`: these lines are not worth making a home where there is none. */
export type AppendAudit = (events: readonly AuditEvent[], options?: { beginsNone?: boolean }) => Promise<void>;

export interface Audit {
  /**
   * Resolves when the lines would survive the death of this process. They survive a power cut about a second later, and when
   * the storage is closed.
   */
  append: AppendAudit;
  /** Reads every line. Needs no lock: others may append meanwhile. */
  verify(options?: { anchor?: AuditAnchor; signal?: AbortSignal }): Promise<AuditReport>;
  /** The newest lines that fit, oldest of them first. Lines that cannot be read are left out. */
  newest(limit: number, filter?: AuditFilter): Promise<AuditLine[]>;
  /** Every line that fits, oldest first, as it is stored. */
  read(filter?: AuditFilter): AsyncIterable<{ json: string; line: AuditLine }>;
  /** Finds or overwrites a text. The chain stays whole, and says which lines were overwritten. */
  redact(redaction: Redaction, mode: RedactionMode): Promise<RedactedPlace[]>;
  /** Overwrites what the lines of a deleted conversation were about. Who did what, and when, stays. */
  forgetSession(sessionKey: string): Promise<void>;
  /** Resolves when everything is written and would survive a power cut. */
  close(): Promise<void>;
}
