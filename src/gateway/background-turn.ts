// A background run of a sub-agent as a turn of its own conversation. Nobody is there to ask, so what the owner's rules do not
// allow is refused.
import type { AgentAnswer } from '../agents/background.ts';
import type { BackgroundRequest } from '../agents/spawn.ts';
import type { Caps } from '../pipeline/budget.ts';
import type { AskResult } from '../pipeline/events.ts';
import type { AgentRun } from '../storage/agent-runs.ts';
import type { Gateway } from './gateway.ts';

const MAX_STEPS = 25;
/** Earlier runs of the same name that it is told of. */
const RUNS_TOLD = 5;

export async function askInBackground(
  gateway: Gateway,
  { name, message, injectInto, asker }: AgentRun,
  { provider, profileId, model, toolAllow, marked, instructions }: BackgroundRequest,
  caps: Caps,
  signal: AbortSignal,
): Promise<AgentAnswer> {
  const events = await gateway.ask(
    {
      provider,
      profileId,
      model,
      input: message,
      attachments: [],
      sessionKey: `subagent:${name}`,
      newSession: false,
      historyTurns: RUNS_TOLD,
      withTools: true,
      toolAllow,
      toolMaxSteps: MAX_STEPS,
      approval: 'never',
      marked,
      instructions,
      callSource: 'subagent',
      chat: injectInto,
      asker,
      depth: 1,
      caps,
    },
    signal,
  );
  let result: AskResult | undefined;
  for await (const event of events) if (event.type === 'run-end') result = event.result;
  if (!result) throw new Error('the turn ended without a result');
  const { sessionId } = result;
  return result.success
    ? { ok: true, text: result.result, sessionId }
    : { ok: false, error: result.error.message, sessionId };
}
