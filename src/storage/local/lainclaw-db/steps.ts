// The steps of lainclaw.db. Never change one that was released: add another, and count it in schema.ts.
import type { DatabaseSync } from 'node:sqlite';
import { createIndex } from '../archive/tables.ts';
import type { Migration } from '../open-database.ts';

export const STEPS: readonly Migration[] = [
  begin,
  claimMessages,
  scopeArchive,
  keepFacts,
  nameMessages,
  continueRebuild,
];

/** The tables when versions began to be kept; files from before have some of them, or all, with fewer columns. */
function begin(db: DatabaseSync): void {
  db.exec(RESULTS);
  db.exec(ARCHIVE);
  db.exec(JOBS);
  db.exec(MAILBOX);
  db.exec(AGENT_RUNS);
  addMissingColumn(db, 'schedule_letters', 'asker TEXT');
  addMissingColumn(db, 'outbox', 'waits_since INTEGER NOT NULL DEFAULT 0');
  addMissingColumn(db, 'agent_runs', 'asker TEXT');
  addMissingColumn(db, 'agent_runs', 'untold INTEGER NOT NULL DEFAULT 0');
  if (db.prepare('SELECT 1 FROM archive_state').get()) return;
  createIndex(db, 1);
  db.exec('INSERT INTO archive_state VALUES (1, 1, NULL, NULL, NULL, 0, 0)');
}

/** Messages are claimed by the holder of a lock: its name and its token. */
function claimMessages(db: DatabaseSync): void {
  db.exec('ALTER TABLE inbox ADD COLUMN owner TEXT; ALTER TABLE inbox ADD COLUMN owner_token INTEGER');
}

/** Whose a document is. Everything from before is the owner's; the same text may be kept once in each scope. */
function scopeArchive(db: DatabaseSync): void {
  db.exec(`
    CREATE TABLE archive_documents_scoped (
      key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, source TEXT NOT NULL, title TEXT, date TEXT NOT NULL,
      speaker TEXT, session TEXT, hash TEXT NOT NULL, superseded_by TEXT, UNIQUE (source, hash, scope));
    INSERT INTO archive_documents_scoped
      SELECT key, id, 'owner', source, title, date, speaker, session, hash, superseded_by FROM archive_documents;
    DROP TABLE archive_documents;
    ALTER TABLE archive_documents_scoped RENAME TO archive_documents;
    CREATE INDEX archive_documents_scope ON archive_documents (scope, key);
  `);
}

/** Facts are documents with a kind. Their sources and the journal name turns and documents, and hold no text. */
function keepFacts(db: DatabaseSync): void {
  db.exec(`
    ALTER TABLE archive_documents ADD COLUMN kind TEXT;
    ALTER TABLE archive_documents ADD COLUMN valid_from TEXT;
    ALTER TABLE archive_documents ADD COLUMN valid_until TEXT;
    CREATE INDEX archive_documents_kind ON archive_documents (kind) WHERE kind IS NOT NULL;
    CREATE TABLE fact_waiting (
      session TEXT NOT NULL, turn TEXT NOT NULL, session_key TEXT NOT NULL, scope TEXT NOT NULL, tainted INTEGER NOT NULL,
      ended_at INTEGER NOT NULL, hurried INTEGER NOT NULL DEFAULT 0, not_before INTEGER NOT NULL DEFAULT 0,
      given_up INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (session, turn));
    CREATE TABLE fact_sources (
      document TEXT NOT NULL, session TEXT NOT NULL, turn TEXT NOT NULL, said_at TEXT NOT NULL, extraction INTEGER NOT NULL,
      PRIMARY KEY (document, session, turn)) WITHOUT ROWID;
    CREATE INDEX fact_sources_session ON fact_sources (session, turn);
    CREATE INDEX fact_sources_extraction ON fact_sources (extraction);
    CREATE TABLE fact_extractions (
      number INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, session_key TEXT NOT NULL, scope TEXT NOT NULL,
      first_turn TEXT NOT NULL, last_turn TEXT NOT NULL, turns INTEGER NOT NULL, at INTEGER NOT NULL, model TEXT, usage TEXT,
      tokens INTEGER NOT NULL, problem TEXT, undone_at INTEGER);
    CREATE INDEX fact_extractions_at ON fact_extractions (at);
    CREATE TABLE fact_changes (
      extraction INTEGER NOT NULL, position INTEGER NOT NULL, relation TEXT NOT NULL, kind TEXT NOT NULL, document TEXT, other TEXT,
      PRIMARY KEY (extraction, position)) WITHOUT ROWID;
    CREATE TABLE fact_proposals (
      number INTEGER PRIMARY KEY AUTOINCREMENT, extraction INTEGER NOT NULL, position INTEGER NOT NULL, scope TEXT NOT NULL,
      session TEXT NOT NULL, session_key TEXT NOT NULL, turn TEXT NOT NULL, said_at TEXT NOT NULL, valid_from TEXT NOT NULL,
      text TEXT NOT NULL, kind TEXT NOT NULL, why TEXT NOT NULL, other TEXT);
  `);
}

/** By the hash of the archived message that said a fact. What was replaced is found by what replaced it. */
function nameMessages(db: DatabaseSync): void {
  db.exec(`
    ALTER TABLE fact_sources ADD COLUMN message TEXT;
    ALTER TABLE fact_proposals ADD COLUMN topic TEXT;
    CREATE INDEX archive_documents_superseded ON archive_documents (superseded_by) WHERE superseded_by IS NOT NULL;
  `);
}

/** The version of the terms in an index under construction: a rebuild that was interrupted continues. */
function continueRebuild(db: DatabaseSync): void {
  addMissingColumn(db, 'archive_state', 'building_version TEXT');
}

function addMissingColumn(db: DatabaseSync, table: string, column: string): void {
  const [name = ''] = column.split(' ');
  const found = db.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, name);
  if (!found) db.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`);
}

const RESULTS = `
  CREATE TABLE IF NOT EXISTS tool_results (scope TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (scope, key));
`;

const ARCHIVE = `
  CREATE TABLE IF NOT EXISTS archive_documents (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, source TEXT NOT NULL, title TEXT, date TEXT NOT NULL, speaker TEXT,
    session TEXT, hash TEXT NOT NULL, superseded_by TEXT, UNIQUE (source, hash));
  CREATE TABLE IF NOT EXISTS archive_chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL, position INTEGER NOT NULL, session TEXT,
    length INTEGER NOT NULL, context TEXT NOT NULL, text TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS archive_chunks_document ON archive_chunks (document);
  CREATE INDEX IF NOT EXISTS archive_chunks_session ON archive_chunks (session, id) WHERE session IS NOT NULL;
  CREATE TABLE IF NOT EXISTS archive_state (
    only INTEGER PRIMARY KEY CHECK (only = 1), generation INTEGER NOT NULL, building INTEGER, built_to INTEGER,
    version TEXT, chunks INTEGER NOT NULL, length INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS archive_models (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS archive_vectors (
    model INTEGER NOT NULL, chunk INTEGER NOT NULL, block INTEGER NOT NULL, place INTEGER NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY (model, chunk)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS archive_vector_blocks (
    model INTEGER NOT NULL, block INTEGER NOT NULL, size INTEGER NOT NULL, ids BLOB NOT NULL, bits BLOB NOT NULL,
    PRIMARY KEY (model, block)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS archive_wanted_model (only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS archive_vector_counts (model INTEGER PRIMARY KEY, count INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS archive_vector_changes (model INTEGER PRIMARY KEY, count INTEGER NOT NULL);
  INSERT OR IGNORE INTO archive_vector_counts SELECT model, count(*) FROM archive_vectors GROUP BY model;
`;

/** `due_at` is null while the job is due for nobody: paused, done, or with an unfinished run. */
const JOBS = `
  CREATE TABLE IF NOT EXISTS schedule_jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL, status TEXT NOT NULL, reason TEXT,
    failures INTEGER NOT NULL, last_slot INTEGER, next_slot INTEGER, next_due INTEGER, due_at INTEGER, run_id INTEGER);
  CREATE INDEX IF NOT EXISTS schedule_jobs_due ON schedule_jobs (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS schedule_jobs_done ON schedule_jobs (id) WHERE status = 'done';
  CREATE INDEX IF NOT EXISTS schedule_jobs_last ON schedule_jobs (last_slot);
  CREATE TABLE IF NOT EXISTS schedule_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, job_id INTEGER NOT NULL, status TEXT NOT NULL, trigger TEXT NOT NULL, slot INTEGER,
    last_slot INTEGER, count INTEGER NOT NULL, late INTEGER NOT NULL, owner TEXT, started_at INTEGER, finished_at INTEGER,
    answer TEXT, reason TEXT, delivery TEXT NOT NULL);
  CREATE UNIQUE INDEX IF NOT EXISTS schedule_runs_slot ON schedule_runs (job_id, slot) WHERE slot IS NOT NULL;
  CREATE INDEX IF NOT EXISTS schedule_runs_job ON schedule_runs (job_id, id);
  CREATE INDEX IF NOT EXISTS schedule_runs_open ON schedule_runs (status) WHERE status IN ('queued', 'running');
  CREATE TABLE IF NOT EXISTS schedule_letters (
    key TEXT PRIMARY KEY, run_id INTEGER NOT NULL, chat TEXT NOT NULL, text TEXT NOT NULL, is_answer INTEGER NOT NULL,
    asker TEXT);
`;

const MAILBOX = `
  CREATE TABLE IF NOT EXISTS inbox (
    seq INTEGER PRIMARY KEY, channel TEXT NOT NULL, account TEXT NOT NULL, chat TEXT NOT NULL, id TEXT NOT NULL,
    position REAL NOT NULL, received_at INTEGER NOT NULL, body TEXT NOT NULL, turn TEXT, finished_at INTEGER,
    UNIQUE (channel, account, id));
  CREATE INDEX IF NOT EXISTS inbox_unfinished ON inbox (channel, account, chat, position, seq) WHERE finished_at IS NULL;
  CREATE INDEX IF NOT EXISTS inbox_finished ON inbox (finished_at) WHERE finished_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, channel TEXT NOT NULL, account TEXT NOT NULL,
    chat TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER NOT NULL,
    last_error TEXT, message_id TEXT, ended_at INTEGER, waits_since INTEGER NOT NULL DEFAULT 0);
  CREATE INDEX IF NOT EXISTS outbox_waiting ON outbox (channel, account, chat, seq, due_at) WHERE state = 'waiting';
  CREATE INDEX IF NOT EXISTS outbox_ended ON outbox (state, ended_at) WHERE state <> 'waiting';
  CREATE TABLE IF NOT EXISTS chat_choices (
    channel TEXT NOT NULL, account TEXT NOT NULL, chat TEXT NOT NULL, choices TEXT NOT NULL,
    PRIMARY KEY (channel, account, chat)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS chat_people (
    channel TEXT NOT NULL, account TEXT NOT NULL, chat TEXT NOT NULL, person TEXT NOT NULL, chat_kind TEXT NOT NULL,
    PRIMARY KEY (channel, account, chat, person)) WITHOUT ROWID;
`;

const AGENT_RUNS = `
  CREATE TABLE IF NOT EXISTS agent_runs (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, message TEXT NOT NULL, inject_into TEXT,
    request TEXT NOT NULL, state TEXT NOT NULL, created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER,
    cancel_requested INTEGER NOT NULL DEFAULT 0, result TEXT, error TEXT, session_id TEXT, asker TEXT,
    untold INTEGER NOT NULL DEFAULT 0);
  CREATE INDEX IF NOT EXISTS agent_runs_state ON agent_runs (state, key);
`;
