import type { Step } from './step.ts';

/** Incoming and outgoing messages of channels. A handled message keeps its id and loses its body. */
export const mailboxStep: Step = {
  name: 'mailbox',
  oldestProgram: 3,
  sql: `
    CREATE TABLE lainclaw.inbox (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      channel text COLLATE "C" NOT NULL,
      account text COLLATE "C" NOT NULL,
      chat text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      position double precision NOT NULL,
      received_at bigint NOT NULL,
      body text NOT NULL,
      turn text,
      finished_at bigint,
      owner text,
      owner_token bigint,
      UNIQUE (channel, account, id)
    );
    CREATE INDEX ON lainclaw.inbox (channel, account, chat, position, seq) WHERE finished_at IS NULL;
    CREATE INDEX ON lainclaw.inbox (finished_at) WHERE finished_at IS NOT NULL;
    CREATE INDEX ON lainclaw.inbox (channel, account, chat) WHERE body <> '';
    CREATE SEQUENCE lainclaw.outbox_order;
    CREATE TABLE lainclaw.outbox (
      seq bigint NOT NULL DEFAULT nextval('lainclaw.outbox_order') UNIQUE,
      key text COLLATE "C" PRIMARY KEY,
      channel text COLLATE "C" NOT NULL,
      account text COLLATE "C" NOT NULL,
      chat text COLLATE "C" NOT NULL,
      body text NOT NULL,
      state text NOT NULL,
      attempts integer NOT NULL,
      due_at bigint NOT NULL,
      waits_since bigint NOT NULL,
      last_error text,
      message_id text,
      ended_at bigint
    );
    CREATE INDEX ON lainclaw.outbox (channel, account, chat, seq, due_at) WHERE state = 'waiting';
    CREATE INDEX ON lainclaw.outbox (state, ended_at) WHERE state <> 'waiting';
    CREATE TABLE lainclaw.chat_choices (
      channel text COLLATE "C" NOT NULL,
      account text COLLATE "C" NOT NULL,
      chat text COLLATE "C" NOT NULL,
      choices text NOT NULL,
      PRIMARY KEY (channel, account, chat)
    );
    CREATE TABLE lainclaw.chat_people (
      channel text COLLATE "C" NOT NULL,
      account text COLLATE "C" NOT NULL,
      chat text COLLATE "C" NOT NULL,
      person text COLLATE "C" NOT NULL,
      chat_kind text NOT NULL,
      PRIMARY KEY (channel, account, chat, person)
    );
  `,
};
