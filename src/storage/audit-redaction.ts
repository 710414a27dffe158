// What becomes of lines of the audit log when a text or a conversation is forgotten, wherever the log is kept: a star for each letter, so that a line keeps its
// length, its number and the hash that the next line names. A line of the kind `redaction` names them.
import type { AuditEvent } from './audit.ts';
import { type Hash, parseLine, redactedLine } from './audit-line.ts';
import type { Redaction } from './redaction.ts';

const NAMED_AT_ONCE = 40;
/** What somebody said or gave, in a line; the others say who did what, where and when. */
const WORDS = ['about', 'why'] as const;

export interface RedactedLine {
  n: number;
  bytes: Buffer;
  /** The beginning of the hash of what the line is now. */
  mark: string;
}

/** Undefined where the line does not hold the text. */
export function withoutText(json: string, redaction: Redaction, hash: Hash): RedactedLine | undefined {
  return holdsWords(json, redaction) ? redactedLine(json, redaction, hash, WORDS) : undefined;
}

/** Of a conversation, who did what stays; what it was about and why goes. Undefined where it is not a line of it. */
export function withoutSession(json: string, sessionKey: string, hash: Hash): RedactedLine | undefined {
  const whole = { replaced: (text: string, by = (found: string) => found) => by(text) };
  return concerns(json, sessionKey) ? redactedLine(json, whole, hash, WORDS) : undefined;
}

function holdsWords(json: string, redaction: Redaction): boolean {
  const line = json === '' ? undefined : parseLine(json);
  return line !== undefined && WORDS.some((name) => redaction.holds(line[name] ?? ''));
}

/** A line of the session, or of an operation whose input names it. */
function concerns(json: string, sessionKey: string): boolean {
  const line = parseLine(json);
  if (!line) return false;
  if (line.kind !== 'operation') return line.session === sessionKey;
  // The input may be cut.
  return line.about?.includes(`:${JSON.stringify(sessionKey)}`) === true;
}

/** The lines that name them. `what`: the operation. `machine`: where the lines are of the log of another one. */
export function redactionEvents(
  lines: readonly Pick<RedactedLine, 'n' | 'mark'>[],
  what: string,
  machine?: string,
): AuditEvent[] {
  const events: AuditEvent[] = [];
  const owner = machine === undefined ? '' : `${OF_ANOTHER}${machine}: `;
  for (let from = 0; from < lines.length; from += NAMED_AT_ONCE) {
    const some = lines.slice(from, from + NAMED_AT_ONCE);
    const about = owner + some.map(({ n, mark }) => `${n}:${mark}`).join(' ');
    events.push({ kind: 'redaction', who: 'lainclaw', what, about });
  }
  return events;
}

const OF_ANOTHER = 'in the log of ';

export interface NamedLines {
  /** Undefined: the log that says it. */
  machine?: string;
  lines: { n: number; mark: string }[];
}

/** What a line of the kind `redaction` names. */
export function namedLines(about: string): NamedLines {
  const [, machine] = new RegExp(`^${OF_ANOTHER}(\\S+): `).exec(about) ?? [];
  const named = [...about.matchAll(/(\d+):([\da-f]{16})(?= |$)/g)];
  return {
    ...(machine !== undefined && { machine }),
    lines: named.map(([, n, mark]) => ({ n: Number(n), mark: mark ?? '' })),
  };
}
