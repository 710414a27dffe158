// Rows of the tables of facts, whose columns have the same names in every database.
import type { FactKind, ProposalReason } from '../vocabulary/fact.ts';
import type { MemoryScope } from '../vocabulary/memory-scope.ts';
import type { Usage } from '../vocabulary/usage.ts';
import type { Extraction, KnownFact, LoggedChange, Proposal, WaitingConversation } from './facts.ts';

type Row = Readonly<Record<string, unknown>>;

export function extractionOf(row: Row, changes: LoggedChange[]): Extraction {
  return {
    number: Number(row.number),
    sessionId: String(row.session),
    sessionKey: String(row.session_key),
    scope: row.scope as MemoryScope,
    firstTurn: String(row.first_turn),
    lastTurn: String(row.last_turn),
    turns: Number(row.turns),
    at: Number(row.at),
    ...(row.model !== null && { model: String(row.model) }),
    ...(row.usage !== null && { usage: JSON.parse(String(row.usage)) as Usage }),
    ...(row.problem !== null && { problem: String(row.problem) }),
    ...(row.undone_at !== null && { undoneAt: Number(row.undone_at) }),
    changes,
  };
}

export function changeOf(row: Row): LoggedChange {
  return {
    relation: row.relation as LoggedChange['relation'],
    kind: row.kind as FactKind,
    ...(row.document !== null && { id: String(row.document) }),
    ...(row.text !== null && { text: String(row.text) }),
    ...(row.other !== null && { other: String(row.other) }),
    ...(row.other_text !== null && { otherText: String(row.other_text) }),
  };
}

export function proposalOf(row: Row): Proposal {
  return {
    number: Number(row.number),
    scope: row.scope as MemoryScope,
    sessionKey: String(row.session_key),
    sessionId: String(row.session),
    turnId: String(row.turn),
    text: String(row.text),
    kind: row.kind as FactKind,
    why: row.why as ProposalReason,
    saidAt: String(row.said_at),
    validFrom: String(row.valid_from),
    extraction: Number(row.extraction),
    ...(row.topic !== null && { topic: String(row.topic) }),
    ...(row.other !== null && { other: String(row.other) }),
    ...(row.other_text !== null && { otherText: String(row.other_text) }),
  };
}

export function knownFactOf(row: Row): KnownFact {
  return {
    id: String(row.id),
    text: String(row.text),
    kind: row.kind as FactKind,
    saidAt: String(row.date),
    validFrom: String(row.valid_from),
  };
}

/** In one session there may be several conversations: its turns by scope and taint. `rows`: its waiting turns, oldest first. */
export function conversationsOf(sessionId: string, rows: readonly Row[]): WaitingConversation[] {
  const groups = new Map<string, WaitingConversation>();
  for (const row of rows) {
    const name = `${row.scope} ${row.tainted}`;
    const group = groups.get(name) ?? {
      sessionId,
      sessionKey: String(row.session_key),
      scope: row.scope as MemoryScope,
      tainted: row.tainted === 1,
      turnIds: [],
    };
    group.turnIds.push(String(row.turn));
    groups.set(name, group);
  }
  return [...groups.values()];
}
