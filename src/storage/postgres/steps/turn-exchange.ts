import type { Step } from './step.ts';

/** What gateways tell each other of their turns, for some minutes. Nothing is lost with these tables, so they are not written to the log of the database. */
export const turnExchangeStep: Step = {
  name: 'turn-exchange',
  oldestProgram: 3,
  sql: `
    CREATE UNLOGGED TABLE lainclaw.turn_lines (
      gateway text COLLATE "C" NOT NULL,
      number bigint NOT NULL,
      turn text COLLATE "C" NOT NULL,
      lines bytea NOT NULL,
      written_at timestamptz NOT NULL DEFAULT now(),
      ended_at timestamptz,
      PRIMARY KEY (gateway, number)
    );
    CREATE INDEX ON lainclaw.turn_lines (turn);
    CREATE INDEX ON lainclaw.turn_lines (written_at);
    CREATE UNLOGGED TABLE lainclaw.gateway_messages (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      gateway text COLLATE "C" NOT NULL,
      body bytea NOT NULL,
      written_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX ON lainclaw.gateway_messages (gateway, seq);
    CREATE INDEX ON lainclaw.leases (name) WHERE name LIKE 'turns:%' OR name LIKE 'watches:%' OR name LIKE 'gateway:%';
  `,
};
