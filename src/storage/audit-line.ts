// A line of the audit log: `{"hash":"…","prev":"…","n":7,"at":"…","kind":"…",…}`. The hash is the SHA-256 of the bytes from
// `"prev"` up to the closing brace, so `cut -c76- | tr -d '\n' | sha256sum` on one line gives it too. The places of the first
// fields are fixed: checking a line needs no parser.
import { redact } from '../lib/redact.ts';
import { wholeCharacters } from '../lib/whole-characters.ts';
import type { AuditEvent, AuditLine } from './audit.ts';
import type { Redaction } from './redaction.ts';

export const NO_LINE = '0'.repeat(64);

const OPENING = Buffer.from('{"hash":"');
const CLOSING = Buffer.from('","prev":"');
const HASH_AT = OPENING.length;
/** Where the bytes begin that the hash covers. */
const COVERED_AT = HASH_AT + 64 + '",'.length;
const PREV_AT = COVERED_AT + '"prev":"'.length;
const NUMBER_AT = PREV_AT + 64 + '","n":'.length;
const SHORTEST = NUMBER_AT + 2;
const MOST_CHARACTERS = { who: 200, what: 200, about: 2_000, why: 1_000, session: 200, turn: 100, call: 200 } as const;
/** Secrets are looked for in this much of a text. */
const READ_CHARACTERS = 20_000;

const MARK_LENGTH = 16;

export type Hash = (bytes: Uint8Array | string) => string;

export function sha256Hex(): Hash {
  const { hash } = process.getBuiltinModule('node:crypto');
  return (bytes) => hash('sha256', bytes, 'hex');
}

/** The line without its newline, and its hash. */
export function encodeLine(
  event: AuditEvent,
  { n, prev, at, secrets, hash }: { n: number; prev: string; at: string; secrets: readonly string[]; hash: Hash },
): { text: string; hash: string } {
  const covered = JSON.stringify({ prev, n, at, ...cleaned(event, secrets) }).slice(1);
  const own = hash(covered);
  return { text: `{"hash":"${own}",${covered}`, hash: own };
}

function cleaned({ kind, outcome, ...texts }: AuditEvent, secrets: readonly string[]): AuditEvent {
  const clean = { kind, ...(outcome && { outcome }) } as AuditEvent;
  for (const name of ['who', 'what', 'about', 'why', 'session', 'turn', 'call'] as const) {
    const text = texts[name];
    if (text !== undefined)
      clean[name] = bounded(redact(text.slice(0, READ_CHARACTERS), secrets), MOST_CHARACTERS[name]);
  }
  return clean;
}

function bounded(text: string, most: number): string {
  return text.length > most ? `${wholeCharacters(text.slice(0, most - 1))}…` : text;
}

export interface LineHead {
  hash: string;
  prev: string;
  n: number;
  /** The stored hash is the hash of the stored bytes. */
  isWhole: boolean;
  isRetention: boolean;
  isRepair: boolean;
  isRedaction: boolean;
  /** The beginning of the hash of the stored bytes. */
  mark: string;
}

/** Undefined where the bytes have not the shape of a line. */
export function readLineHead(bytes: Buffer, from: number, to: number, hash: Hash): LineHead | undefined {
  if (to - from < SHORTEST || bytes[to - 1] !== 0x7d) return undefined;
  if (OPENING.compare(bytes, from, from + HASH_AT) !== 0) return undefined;
  if (CLOSING.compare(bytes, from + HASH_AT + 64, from + PREV_AT) !== 0) return undefined;
  let n = 0;
  let at = from + NUMBER_AT;
  for (let digit = bytes[at]; digit !== undefined && digit >= 0x30 && digit <= 0x39; digit = bytes[at]) {
    n = n * 10 + digit - 0x30;
    at += 1;
  }
  if (n === 0 || bytes[at] !== 0x2c) return undefined;
  const stored = bytes.toString('latin1', from + HASH_AT, from + HASH_AT + 64);
  const own = hash(bytes.subarray(from + COVERED_AT, to));
  // After `,"at":"2026-11-16T12:00:00.000Z","kind":"`.
  const kindAt = at + ',"at":"'.length + 24 + '","kind":"'.length;
  return {
    hash: stored,
    prev: bytes.toString('latin1', from + PREV_AT, from + PREV_AT + 64),
    n,
    isWhole: stored === own,
    mark: own.slice(0, MARK_LENGTH),
    isRetention: bytes[kindAt + 2] === 0x74 && bytes.toString('latin1', kindAt, kindAt + 10) === 'retention"',
    isRepair: bytes[kindAt + 2] === 0x70 && bytes.toString('latin1', kindAt, kindAt + 7) === 'repair"',
    isRedaction: bytes[kindAt + 2] === 0x64 && bytes.toString('latin1', kindAt, kindAt + 10) === 'redaction"',
  };
}

/** The same line with a star for each byte of the text in these fields; undefined where it is not a line of the log. */
export function redactedLine(
  json: string,
  redaction: Pick<Redaction, 'replaced'>,
  hash: Hash,
  fields: readonly (keyof AuditLine)[],
): { n: number; bytes: Buffer; mark: string } | undefined {
  const line = parseLine(json);
  if (!line) return undefined;
  const { hash: stored, ...covered } = line;
  // As many as JSON writes it with.
  const stars = (found: string): string => '*'.repeat(Buffer.byteLength(JSON.stringify(found)) - 2);
  const isMeant = (name: string): boolean => fields.some((field) => field === name);
  const redacted = Object.fromEntries(
    Object.entries(covered).map(([name, value]) => [
      name,
      typeof value === 'string' && isMeant(name) ? redaction.replaced(value, stars) : value,
    ]),
  );
  const text = JSON.stringify(redacted).slice(1);
  return { n: line.n, bytes: Buffer.from(`{"hash":"${stored}",${text}`), mark: hash(text).slice(0, MARK_LENGTH) };
}

export function parseLine(json: string): AuditLine | undefined {
  try {
    const line = JSON.parse(json) as AuditLine;
    return typeof line.n === 'number' && typeof line.kind === 'string' ? line : undefined;
  } catch {
    return undefined;
  }
}
