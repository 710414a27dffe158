import type { Step } from './step.ts';

/** Locks as leases. The token grows with each acquisition of a name; a released lease expired at -infinity, and its row stays. */
export const leasesStep: Step = {
  name: 'leases',
  oldestProgram: 1,
  sql: `
    CREATE TABLE lainclaw.leases (
      name text PRIMARY KEY,
      token bigint NOT NULL,
      holder text NOT NULL,
      expires_at timestamptz NOT NULL
    );
  `,
};
