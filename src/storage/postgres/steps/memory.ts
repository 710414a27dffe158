import type { Step } from './step.ts';

/** The memory archive with its facts, and the same tables again for the index of past conversations, which needs no facts of its own. */
export const memoryStep: Step = {
  name: 'memory',
  // Older gateways keep their memory in their homes meanwhile.
  oldestProgram: 5,
  sql: `
    ${archive('archive_')}
    ${facts('')}
    ${archive('history_')}
    ${facts('history_')}
    -- How far each transcript was read into the index of past conversations.
    CREATE TABLE lainclaw.history_sessions (
      session text COLLATE "C" PRIMARY KEY,
      revision text NOT NULL,
      is_whole integer NOT NULL,
      turn_ends bigint NOT NULL,
      is_left_out integer NOT NULL
    );
  `,
};

function archive(prefix: string): string {
  const table = `lainclaw.${prefix}`;
  return `
    CREATE TABLE ${table}documents (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      scope text COLLATE "C" NOT NULL,
      source text COLLATE "C" NOT NULL,
      title text,
      date text COLLATE "C" NOT NULL,
      speaker text,
      session text COLLATE "C",
      hash text COLLATE "C" NOT NULL,
      superseded_by text COLLATE "C",
      kind text,
      valid_from text COLLATE "C",
      valid_until text COLLATE "C"
    );
    -- A source may be longer than an index takes.
    CREATE UNIQUE INDEX ON ${table}documents (hash, scope, md5(source));
    CREATE INDEX ON ${table}documents (left(source, 200) COLLATE "C");
    CREATE INDEX ON ${table}documents (scope, key);
    CREATE INDEX ON ${table}documents (session) WHERE session IS NOT NULL;
    CREATE INDEX ON ${table}documents (scope, kind) WHERE kind IS NOT NULL;
    CREATE INDEX ON ${table}documents (superseded_by) WHERE superseded_by IS NOT NULL;
    CREATE TABLE ${table}chunks (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      document bigint NOT NULL,
      position integer NOT NULL,
      session text COLLATE "C",
      scope text COLLATE "C" NOT NULL,
      length integer NOT NULL,
      context text NOT NULL,
      text text NOT NULL
    );
    CREATE INDEX ON ${table}chunks (document, position);
    CREATE INDEX ON ${table}chunks (session, id) WHERE session IS NOT NULL;
    -- The terms of each chunk in each generation of the index: what removes a chunk from it.
    CREATE TABLE ${table}terms (
      generation integer NOT NULL,
      chunk bigint NOT NULL,
      terms text[] COLLATE "C" NOT NULL,
      PRIMARY KEY (chunk, generation)
    );
    -- The index of terms. A reader's scopes are part of the key: what others wrote is not even read.
    CREATE TABLE ${table}postings (
      generation integer NOT NULL,
      term text COLLATE "C" NOT NULL,
      scope text COLLATE "C" NOT NULL,
      chunk bigint NOT NULL,
      PRIMARY KEY (generation, term, scope, chunk)
    );
    CREATE TABLE ${table}state (
      only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
      generation integer NOT NULL,
      building integer,
      building_version text,
      built_to bigint,
      version text,
      wanted_model text
    );
    INSERT INTO ${table}state (generation) VALUES (1);
    -- Sums, by scope: of chunks and their length (model 0), and of the vectors of each model. Several rows each, so that writers seldom wait for each other.
    CREATE TABLE ${table}totals (
      model integer NOT NULL,
      scope text COLLATE "C" NOT NULL,
      slot integer NOT NULL,
      chunks bigint NOT NULL,
      length bigint NOT NULL,
      PRIMARY KEY (model, scope, slot)
    );
    CREATE TABLE ${table}models (
      key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text COLLATE "C" NOT NULL UNIQUE,
      dimension integer NOT NULL,
      -- Counts every change of its vectors.
      changes bigint NOT NULL DEFAULT 0
    );
    -- A vector as one bit a dimension and as one byte a dimension.
    CREATE TABLE ${table}vectors (
      model integer NOT NULL,
      chunk bigint NOT NULL,
      scope text COLLATE "C" NOT NULL,
      bits bytea NOT NULL,
      vector bytea NOT NULL,
      PRIMARY KEY (model, chunk)
    );
    CREATE INDEX ON ${table}vectors (model, scope);
    CREATE INDEX ON ${table}vectors (chunk);
  `;
}

/** Sources and the journal name turns and documents, and hold no text. */
function facts(prefix: string): string {
  const table = `lainclaw.${prefix}fact_`;
  return `
    CREATE TABLE ${table}waiting (
      seq bigint GENERATED ALWAYS AS IDENTITY,
      session text COLLATE "C" NOT NULL,
      turn text COLLATE "C" NOT NULL,
      session_key text NOT NULL,
      scope text COLLATE "C" NOT NULL,
      tainted integer NOT NULL,
      ended_at bigint NOT NULL,
      hurried integer NOT NULL DEFAULT 0,
      not_before bigint NOT NULL DEFAULT 0,
      given_up integer NOT NULL DEFAULT 0,
      PRIMARY KEY (session, turn)
    );
    CREATE TABLE ${table}sources (
      document text COLLATE "C" NOT NULL,
      session text COLLATE "C" NOT NULL,
      turn text COLLATE "C" NOT NULL,
      said_at text NOT NULL,
      extraction bigint NOT NULL,
      message text COLLATE "C",
      PRIMARY KEY (document, session, turn)
    );
    CREATE INDEX ON ${table}sources (session, turn);
    CREATE INDEX ON ${table}sources (extraction);
    CREATE TABLE ${table}extractions (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      session text COLLATE "C" NOT NULL,
      session_key text NOT NULL,
      scope text COLLATE "C" NOT NULL,
      first_turn text NOT NULL,
      last_turn text NOT NULL,
      turns bigint NOT NULL,
      at bigint NOT NULL,
      model text,
      usage text,
      tokens bigint NOT NULL,
      problem text,
      undone_at bigint
    );
    CREATE INDEX ON ${table}extractions (at);
    CREATE INDEX ON ${table}extractions (scope, number);
    CREATE TABLE ${table}changes (
      extraction bigint NOT NULL,
      position integer NOT NULL,
      relation text NOT NULL,
      kind text NOT NULL,
      document text COLLATE "C",
      other text COLLATE "C",
      PRIMARY KEY (extraction, position)
    );
    CREATE TABLE ${table}proposals (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      extraction bigint NOT NULL,
      position integer NOT NULL,
      scope text COLLATE "C" NOT NULL,
      session text COLLATE "C" NOT NULL,
      session_key text NOT NULL,
      turn text NOT NULL,
      said_at text NOT NULL,
      valid_from text NOT NULL,
      text text NOT NULL,
      kind text NOT NULL,
      why text NOT NULL,
      other text,
      topic text
    );
    CREATE INDEX ON ${table}proposals (extraction);
    CREATE INDEX ON ${table}proposals (session);
  `;
}
