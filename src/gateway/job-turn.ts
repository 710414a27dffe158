// A scheduled job as a turn of its own conversation. Nobody is there to ask, so what the owner's rules do not allow is refused;
// what a workspace's file asks for counts as content from outside.

import { slugOf } from '../lib/given-name.ts';
import type { Caps } from '../pipeline/budget.ts';
import type { AskResult } from '../pipeline/events.ts';
import type { FireResult } from '../schedule/runner.ts';
import type { Job } from '../storage/jobs.ts';
import { type AskRequest, type Gateway, RefusedRequest } from './gateway.ts';
import type { JobSettings } from './settings/settings.ts';

/** How the turns of jobs are run in this process. */
export type JobTurnSettings = Pick<AskRequest, 'provider' | 'profileId' | 'model' | 'caps'> &
  Partial<Pick<AskRequest, 'withTools' | 'toolAllow' | 'toolMaxSteps' | 'memory'>>;

export function jobTurn({ profile, toolMaxSteps, ...settings }: JobSettings, caps: Caps): JobTurnSettings {
  return { ...settings, profileId: profile, caps, ...(toolMaxSteps !== undefined && { toolMaxSteps }) };
}

const MAX_STEPS = 25;
/** How many earlier runs of the job the model sees: the cost of an hourly job must not grow. */
const RUNS_TOLD = 5;

export async function askForJob(
  gateway: Gateway,
  job: Pick<Job, 'name' | 'message' | 'model' | 'injectInto' | 'source' | 'asker'>,
  { model, ...settings }: JobTurnSettings,
  signal: AbortSignal,
): Promise<FireResult> {
  try {
    const events = await gateway.ask(
      {
        withTools: true,
        toolMaxSteps: MAX_STEPS,
        ...settings,
        model: job.model ?? model,
        input: job.message,
        attachments: [],
        sessionKey: `schedule:${slugOf(job.name)}`,
        newSession: false,
        historyTurns: RUNS_TOLD,
        approval: 'never',
        tainted: job.source === 'heartbeat',
        callSource: 'schedule',
        chat: job.injectInto,
        asker: job.asker,
      },
      signal,
    );
    return resultOf(await lastOf(events));
  } catch (error) {
    if (error instanceof RefusedRequest) return { ok: false, reason: error.message };
    throw error;
  }
}

async function lastOf(events: Awaited<ReturnType<Gateway['ask']>>): Promise<AskResult> {
  let result: AskResult | undefined;
  for await (const event of events) if (event.type === 'run-end') result = event.result;
  if (!result) throw new Error('the turn ended without a result');
  return result;
}

function resultOf(result: AskResult): FireResult {
  if (!result.success) return { ok: false, reason: `${result.error.code}: ${result.error.message}` };
  return { ok: true, answer: result.result };
}
