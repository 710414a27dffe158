import type { Step } from './step.ts';

/** Files of conversations: here, in a bucket, or on the machine that made them. */
export const filesStep: Step = {
  name: 'files',
  // Older gateways keep the files of their turns in their homes.
  oldestProgram: 5,
  sql: `
    CREATE TABLE lainclaw.files (
      -- The id of a session, or 'uploads'.
      scope text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      place text NOT NULL CHECK (place IN ('database', 'bucket', 'machine')),
      -- That stored it; it alone has the file where place is 'machine'.
      machine text COLLATE "C" NOT NULL,
      bytes bigint NOT NULL,
      -- Empty where the file was never read as a whole.
      sha256 text NOT NULL,
      content bytea,
      -- False until the bucket has confirmed the object.
      is_whole boolean NOT NULL DEFAULT true,
      stored_at timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (scope, name)
    );
    CREATE INDEX ON lainclaw.files (machine) WHERE place = 'machine';
  `,
};
