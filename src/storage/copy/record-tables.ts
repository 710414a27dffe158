// The tables that are copied row by row. The columns have the same names in every database.
import type { CopiedRecord, FieldValue } from './record-set.ts';

export type ColumnType = 'text' | 'integer' | 'real' | 'bytes';

export interface RecordTable {
  kind: string;
  table: string;
  /** Locally, its name in undo.db; the other tables are in lainclaw.db. */
  undoTable?: string;
  /** Rows are read, and so added, in the order of these columns. `localOrder`: where they have other names. */
  order: readonly string[];
  localOrder?: readonly string[];
  /** Columns that are unique together. The first ones name the record. */
  unique: readonly (readonly string[])[];
  columns: Readonly<Record<string, ColumnType>>;
  /** The column whose numbers other rows use, so they stay the same: the database must give higher ones from then on. */
  numbered?: string;
  /** Rows that are handled at once; contents of files are large. */
  page: number;
}

const PAGE = 200;
const CHAT = { channel: 'text', account: 'text', chat: 'text' } as const;

/** What a row refers to comes before it. Who had claimed a message is left out: the locks of the source mean nothing in the target. */
export const RECORD_TABLES: readonly RecordTable[] = [
  {
    kind: 'jobs',
    table: 'schedule_jobs',
    order: ['id'],
    unique: [['id'], ['name']],
    numbered: 'id',
    page: PAGE,
    columns: {
      id: 'integer',
      name: 'text',
      definition: 'text',
      status: 'text',
      reason: 'text',
      failures: 'integer',
      last_slot: 'integer',
      next_slot: 'integer',
      next_due: 'integer',
      due_at: 'integer',
      run_id: 'integer',
    },
  },
  {
    kind: 'runs of jobs',
    table: 'schedule_runs',
    order: ['id'],
    unique: [['id'], ['job_id', 'slot']],
    numbered: 'id',
    page: PAGE,
    columns: {
      id: 'integer',
      job_id: 'integer',
      status: 'text',
      trigger: 'text',
      slot: 'integer',
      last_slot: 'integer',
      count: 'integer',
      late: 'integer',
      owner: 'text',
      started_at: 'integer',
      finished_at: 'integer',
      answer: 'text',
      reason: 'text',
      delivery: 'text',
    },
  },
  {
    kind: 'answers of jobs to send',
    table: 'schedule_letters',
    order: ['seq'],
    localOrder: ['rowid'],
    unique: [['key']],
    page: PAGE,
    columns: { key: 'text', run_id: 'integer', chat: 'text', text: 'text', is_answer: 'integer', asker: 'text' },
  },
  {
    kind: 'runs of sub-agents',
    table: 'agent_runs',
    order: ['key'],
    unique: [['id']],
    page: PAGE,
    columns: {
      id: 'text',
      name: 'text',
      message: 'text',
      inject_into: 'text',
      request: 'text',
      state: 'text',
      created_at: 'integer',
      started_at: 'integer',
      ended_at: 'integer',
      cancel_requested: 'integer',
      result: 'text',
      error: 'text',
      session_id: 'text',
      asker: 'text',
      untold: 'integer',
    },
  },
  {
    kind: 'messages of chats',
    table: 'inbox',
    order: ['seq'],
    unique: [['channel', 'account', 'id']],
    page: PAGE,
    columns: {
      ...CHAT,
      id: 'text',
      position: 'real',
      received_at: 'integer',
      body: 'text',
      turn: 'text',
      finished_at: 'integer',
    },
  },
  {
    kind: 'messages to chats',
    table: 'outbox',
    order: ['seq'],
    unique: [['key']],
    page: PAGE,
    columns: {
      ...CHAT,
      key: 'text',
      body: 'text',
      state: 'text',
      attempts: 'integer',
      due_at: 'integer',
      waits_since: 'integer',
      last_error: 'text',
      message_id: 'text',
      ended_at: 'integer',
    },
  },
  {
    kind: 'choices for chats',
    table: 'chat_choices',
    order: ['channel', 'account', 'chat'],
    unique: [['channel', 'account', 'chat']],
    page: PAGE,
    columns: { ...CHAT, choices: 'text' },
  },
  {
    kind: 'people of chats',
    table: 'chat_people',
    order: ['channel', 'account', 'chat', 'person'],
    unique: [['channel', 'account', 'chat', 'person']],
    page: PAGE,
    columns: { ...CHAT, person: 'text', chat_kind: 'text' },
  },
  {
    kind: 'turns to extract facts from',
    table: 'fact_waiting',
    order: ['seq'],
    localOrder: ['rowid'],
    unique: [['session', 'turn']],
    page: PAGE,
    columns: {
      session: 'text',
      turn: 'text',
      session_key: 'text',
      scope: 'text',
      tainted: 'integer',
      ended_at: 'integer',
      hurried: 'integer',
      not_before: 'integer',
      given_up: 'integer',
    },
  },
  {
    kind: 'extractions of facts',
    table: 'fact_extractions',
    order: ['number'],
    unique: [['number']],
    numbered: 'number',
    page: PAGE,
    columns: {
      number: 'integer',
      session: 'text',
      session_key: 'text',
      scope: 'text',
      first_turn: 'text',
      last_turn: 'text',
      turns: 'integer',
      at: 'integer',
      model: 'text',
      usage: 'text',
      tokens: 'integer',
      problem: 'text',
      undone_at: 'integer',
    },
  },
  {
    kind: 'changes of facts',
    table: 'fact_changes',
    order: ['extraction', 'position'],
    unique: [['extraction', 'position']],
    page: PAGE,
    columns: {
      extraction: 'integer',
      position: 'integer',
      relation: 'text',
      kind: 'text',
      document: 'text',
      other: 'text',
    },
  },
  {
    kind: 'sources of facts',
    table: 'fact_sources',
    order: ['document', 'session', 'turn'],
    unique: [['document', 'session', 'turn']],
    page: PAGE,
    columns: {
      document: 'text',
      session: 'text',
      turn: 'text',
      said_at: 'text',
      extraction: 'integer',
      message: 'text',
    },
  },
  {
    kind: 'proposed facts',
    table: 'fact_proposals',
    order: ['number'],
    unique: [['number']],
    numbered: 'number',
    page: PAGE,
    columns: {
      number: 'integer',
      extraction: 'integer',
      position: 'integer',
      scope: 'text',
      session: 'text',
      session_key: 'text',
      turn: 'text',
      said_at: 'text',
      valid_from: 'text',
      text: 'text',
      kind: 'text',
      why: 'text',
      other: 'text',
      topic: 'text',
    },
  },
  {
    kind: 'contents for undo',
    table: 'undo_contents',
    undoTable: 'contents',
    order: ['sha256'],
    unique: [['sha256']],
    page: 8,
    columns: { sha256: 'text', bytes: 'integer', encoding: 'text', data: 'bytes' },
  },
  {
    kind: 'turns for undo',
    table: 'undo_turns',
    undoTable: 'turns',
    order: ['number'],
    unique: [['number'], ['session_id', 'turn_id']],
    numbered: 'number',
    page: PAGE,
    columns: {
      number: 'integer',
      session_id: 'text',
      turn_id: 'text',
      root: 'text',
      recorded_at: 'integer',
      undoes: 'text',
    },
  },
  {
    kind: 'changes for undo',
    table: 'undo_changes',
    undoTable: 'changes',
    order: ['number'],
    unique: [['number']],
    numbered: 'number',
    page: PAGE,
    columns: {
      number: 'integer',
      turn: 'integer',
      kind: 'text',
      tool: 'text',
      path: 'text',
      before_sha256: 'text',
      before_mode: 'integer',
      after_sha256: 'text',
      after_mode: 'integer',
    },
  },
];

type Row = Readonly<Record<string, unknown>>;

/** PostgreSQL's text takes no zero character, so that none is part of the record. */
export function recordOf({ columns, unique }: RecordTable, row: Row): CopiedRecord {
  const fields = Object.fromEntries(
    Object.keys(columns).map((name) => {
      const value = (row[name] ?? null) as FieldValue;
      return [name, typeof value === 'string' ? value.replaceAll('\0', '') : value];
    }),
  );
  return { key: keyOf(unique[0] ?? [], fields), fields };
}

/** The rows by the key of the record whose place they have. */
export function placesOf(
  { unique }: RecordTable,
  records: readonly CopiedRecord[],
  found: readonly CopiedRecord[],
): Map<string, CopiedRecord[]> {
  const places = new Map<string, Map<string, CopiedRecord>>();
  for (const names of unique) {
    const byKey = new Map(found.map((each) => [keyOf(names, each.fields), each]));
    for (const { key, fields } of records) {
      const there = isWhole(names, fields) ? byKey.get(keyOf(names, fields)) : undefined;
      if (there) places.set(key, (places.get(key) ?? new Map<string, CopiedRecord>()).set(there.key, there));
    }
  }
  return new Map([...places].map(([key, there]) => [key, [...there.values()]]));
}

/** Nothing is unique about what is not there. */
export function isWhole(names: readonly string[], fields: CopiedRecord['fields']): boolean {
  return names.every((name) => fields[name] !== null);
}

function keyOf(names: readonly string[], fields: CopiedRecord['fields']): string {
  const values = names.map((name) => String(fields[name]));
  return values.length === 1 ? values.join('') : JSON.stringify(values);
}
