import type { Step } from './step.ts';

/** Sessions and what belongs to the owner. Texts that may hold a zero byte are bytea: PostgreSQL's text takes none. */
export const sessionsStep: Step = {
  name: 'sessions',
  oldestProgram: 2,
  sql: `
    CREATE TABLE lainclaw.transcripts (
      session_id text COLLATE "C" PRIMARY KEY,
      -- Another one after lines were changed in place.
      generation uuid NOT NULL DEFAULT gen_random_uuid(),
      -- Lines that a sync has confirmed.
      synced bigint NOT NULL DEFAULT 0
    );
    CREATE TABLE lainclaw.transcript_lines (
      session_id text COLLATE "C" NOT NULL,
      number bigint NOT NULL,
      json text NOT NULL,
      PRIMARY KEY (session_id, number)
    );
    CREATE TABLE lainclaw.sessions (
      session_key text COLLATE "C" PRIMARY KEY,
      session_id text NOT NULL,
      updated_at text COLLATE "C" NOT NULL,
      workspace text,
      entry text NOT NULL
    );
    CREATE INDEX ON lainclaw.sessions (updated_at DESC, session_key);
    CREATE INDEX ON lainclaw.sessions (workspace, updated_at DESC, session_key) WHERE workspace IS NOT NULL;
    CREATE TABLE lainclaw.session_notes (
      session_key text COLLATE "C" PRIMARY KEY,
      content bytea NOT NULL
    );
    -- Encrypted with a key that is not in the database.
    CREATE TABLE lainclaw.owner_files (
      name text COLLATE "C" PRIMARY KEY,
      content bytea NOT NULL,
      written uuid NOT NULL
    );
    CREATE TABLE lainclaw.store_key (
      only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
      fingerprint text NOT NULL
    );
    -- The sum of one process on one day, written again with each addition: a repeated write adds nothing.
    CREATE TABLE lainclaw.spending (
      day text NOT NULL,
      process text NOT NULL,
      tokens double precision NOT NULL,
      cost_usd double precision NOT NULL,
      PRIMARY KEY (day, process)
    );
  `,
};
