import type { Step } from './step.ts';

/** What the agent changed in files. Contents are stored once each under their SHA-256. */
export const undoStep: Step = {
  name: 'undo',
  oldestProgram: 5,
  sql: `
    CREATE TABLE lainclaw.undo_contents (
      sha256 text COLLATE "C" PRIMARY KEY,
      bytes bigint NOT NULL,
      encoding text NOT NULL,
      data bytea NOT NULL
    );
    -- They are compressed already.
    ALTER TABLE lainclaw.undo_contents ALTER COLUMN data SET STORAGE EXTERNAL;
    CREATE TABLE lainclaw.undo_turns (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      session_id text COLLATE "C" NOT NULL,
      turn_id text COLLATE "C" NOT NULL,
      root text NOT NULL,
      recorded_at bigint NOT NULL,
      undoes text,
      UNIQUE (session_id, turn_id)
    );
    CREATE INDEX ON lainclaw.undo_turns (recorded_at);
    CREATE TABLE lainclaw.undo_changes (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      turn bigint NOT NULL REFERENCES lainclaw.undo_turns (number) ON DELETE CASCADE,
      kind text NOT NULL,
      tool text NOT NULL,
      path text NOT NULL,
      before_sha256 text COLLATE "C",
      before_mode integer,
      after_sha256 text COLLATE "C",
      after_mode integer
    );
    CREATE INDEX ON lainclaw.undo_changes (turn);
    CREATE INDEX ON lainclaw.undo_changes (after_sha256) WHERE after_sha256 IS NOT NULL;
    CREATE INDEX ON lainclaw.undo_changes (before_sha256) WHERE before_sha256 IS NOT NULL;
  `,
};
