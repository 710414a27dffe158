import type { Step } from './step.ts';

/**
 * What several gateways need to share the chats of one bot: whose each waiting message is, when it was stored by the server's clock, and when each person's
 * last turn began. Older gateways leave the new columns empty, and work beside newer ones.
 */
export const spreadTurnsStep: Step = {
  name: 'spread-turns',
  oldestProgram: 3,
  sql: `
    ALTER TABLE lainclaw.inbox
      ADD COLUMN person text COLLATE "C",
      ADD COLUMN is_owner boolean NOT NULL DEFAULT false,
      ADD COLUMN stored_at timestamptz NOT NULL DEFAULT now();
    CREATE INDEX ON lainclaw.inbox (channel, account, seq) WHERE finished_at IS NULL AND owner IS NULL;
    CREATE INDEX ON lainclaw.inbox (channel, account, seq) WHERE finished_at IS NULL AND owner IS NULL AND is_owner;
    CREATE INDEX ON lainclaw.inbox (channel, account) WHERE finished_at IS NULL AND owner IS NOT NULL;
    CREATE TABLE lainclaw.person_starts (
      channel text COLLATE "C" NOT NULL,
      account text COLLATE "C" NOT NULL,
      person text COLLATE "C" NOT NULL,
      started_at timestamptz NOT NULL,
      PRIMARY KEY (channel, account, person)
    );
  `,
};
