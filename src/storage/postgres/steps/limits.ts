import type { Step } from './step.ts';

/** What is counted over all gateways. It means nothing after some minutes, so it is not written to the log of the database. */
export const limitsStep: Step = {
  name: 'limits',
  // Older gateways count by themselves.
  oldestProgram: 5,
  sql: `
    CREATE UNLOGGED TABLE lainclaw.limits (
      -- A digest.
      name text COLLATE "C" PRIMARY KEY,
      -- When the row means nothing any more.
      until timestamptz NOT NULL,
      -- By place, the second of the epoch at which it counts as left.
      places jsonb NOT NULL DEFAULT '{}'
    );
  `,
};
