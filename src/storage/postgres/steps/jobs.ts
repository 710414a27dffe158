import type { Step } from './step.ts';

/** Scheduled jobs and runs of sub-agents. `due_at` is null while the job is due for nobody: paused, done, or with an unfinished run. */
export const jobsStep: Step = {
  name: 'jobs',
  oldestProgram: 4,
  sql: `
    CREATE TABLE lainclaw.schedule_jobs (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text COLLATE "C" NOT NULL UNIQUE,
      definition text NOT NULL,
      status text NOT NULL,
      reason text,
      failures integer NOT NULL,
      last_slot bigint,
      next_slot bigint,
      next_due bigint,
      due_at bigint,
      run_id bigint
    );
    CREATE INDEX ON lainclaw.schedule_jobs (due_at) WHERE due_at IS NOT NULL;
    CREATE INDEX ON lainclaw.schedule_jobs (id) WHERE status = 'done';
    CREATE INDEX ON lainclaw.schedule_jobs (last_slot);
    CREATE TABLE lainclaw.schedule_runs (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      job_id bigint NOT NULL,
      status text NOT NULL,
      trigger text NOT NULL,
      slot bigint,
      last_slot bigint,
      count bigint NOT NULL,
      late integer NOT NULL,
      owner text,
      started_at bigint,
      finished_at bigint,
      answer text,
      reason text,
      delivery text NOT NULL
    );
    CREATE UNIQUE INDEX ON lainclaw.schedule_runs (job_id, slot) WHERE slot IS NOT NULL;
    CREATE INDEX ON lainclaw.schedule_runs (job_id, id);
    CREATE INDEX ON lainclaw.schedule_runs (id) WHERE status IN ('queued', 'running');
    CREATE TABLE lainclaw.schedule_letters (
      seq bigint GENERATED ALWAYS AS IDENTITY,
      key text COLLATE "C" PRIMARY KEY,
      run_id bigint NOT NULL,
      chat text NOT NULL,
      text text NOT NULL,
      is_answer integer NOT NULL,
      asker text
    );
    CREATE INDEX ON lainclaw.schedule_letters (seq);
    CREATE TABLE lainclaw.agent_runs (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      name text NOT NULL,
      message text NOT NULL,
      inject_into text,
      request text NOT NULL,
      state text NOT NULL,
      created_at bigint NOT NULL,
      started_at bigint,
      ended_at bigint,
      cancel_requested integer NOT NULL DEFAULT 0,
      result text,
      error text,
      session_id text,
      asker text,
      untold integer NOT NULL DEFAULT 0
    );
    CREATE INDEX ON lainclaw.agent_runs (state, key);
  `,
};
