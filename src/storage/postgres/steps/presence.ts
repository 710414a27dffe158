import type { Step } from './step.ts';

/**
 * Which connection the holder of a lease had when it wrote the row: the key of an advisory lock. It counts while `presence_holder` is the holder: an older program
 * that acquires the lease leaves both as they are.
 */
export const presenceStep: Step = {
  name: 'presence',
  oldestProgram: 5,
  sql: `
    ALTER TABLE lainclaw.leases ADD COLUMN presence integer, ADD COLUMN presence_holder text;
    CREATE INDEX ON lainclaw.leases (presence) WHERE presence IS NOT NULL;
  `,
};
