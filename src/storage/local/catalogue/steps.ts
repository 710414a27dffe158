// The steps of sessions.db. Never change one that was released: add another, and count it in schema.ts.
import type { Migration } from '../open-database.ts';

/** `slot`: where the entry begins in sessions.json, and how many bytes are its own there. */
const BEGIN = `
  CREATE TABLE sessions (
    key TEXT PRIMARY KEY, updated_at TEXT NOT NULL, entry TEXT NOT NULL, slot INTEGER, slot_bytes INTEGER NOT NULL DEFAULT 0)
    WITHOUT ROWID;
  CREATE INDEX sessions_newest ON sessions (updated_at DESC, key);
  CREATE INDEX sessions_slot ON sessions (slot);
  CREATE TABLE index_file (
    only INTEGER PRIMARY KEY CHECK (only = 1), fingerprint TEXT NOT NULL, end INTEGER NOT NULL, free INTEGER NOT NULL);
`;

/** The sessions of a workspace, the last used first. */
const BY_WORKSPACE = `
  CREATE INDEX sessions_workspace ON sessions (json_extract(entry, '$.workspace'), updated_at DESC, key);
`;

export const STEPS: readonly Migration[] = [(db) => db.exec(BEGIN), (db) => db.exec(BY_WORKSPACE)];
