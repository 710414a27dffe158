import type { Step } from './step.ts';

/** The audit logs of all machines: each line as its machine wrote it, and the last one that was brought here. */
export const auditStep: Step = {
  name: 'audit',
  // Older gateways keep their logs in their homes; a newer one on the same home brings their lines here.
  oldestProgram: 5,
  sql: `
    CREATE TABLE lainclaw.audit_logs (
      machine text COLLATE "C" PRIMARY KEY,
      -- The last line, and its hash.
      n bigint NOT NULL,
      hash text NOT NULL
    );
    CREATE TABLE lainclaw.audit_lines (
      machine text COLLATE "C" NOT NULL,
      n bigint NOT NULL,
      at text COLLATE "C" NOT NULL,
      json text NOT NULL,
      PRIMARY KEY (machine, n)
    );
    CREATE INDEX ON lainclaw.audit_lines (at, machine, n);
  `,
};
