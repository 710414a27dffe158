// A background run of a sub-agent as a turn of its own conversation. Nobody is there to ask, so what the owner's rules do not
// allow is refused.

import type { AgentAnswer } from '../agents/background.ts';
import type { BackgroundRequest } from '../agents/spawn.ts';
import { slugOf } from '../lib/given-name.ts';
import type { Caps } from '../pipeline/budget.ts';
import type { AskResult } from '../pipeline/events.ts';
import type { AgentRun } from '../storage/agent-runs.ts';
import { parseChatName } from '../vocabulary/chat-name.ts';
import { EARLIER_TURN } from '../vocabulary/taint-source.ts';
import { sessionKeyOf } from './chats/session-key-of.ts';
import type { Gateway } from './gateway.ts';

const MAX_STEPS = 25;
/** How many messages of its own conversation the model sees. */
const MESSAGES_TOLD = 5;

/** Its conversation: the runs of one name, for each chat its own, so that no chat sees what another one asked for. */
export function sessionKeyOfRun({ name, asker }: Pick<AgentRun, 'name' | 'asker'>): string {
  const chat = asker.kind === 'chat' ? parseChatName(asker.chat) : undefined;
  const own = `subagent:${slugOf(name)}`;
  return chat ? `${own}:${sessionKeyOf(chat)}` : own;
}

export async function askInBackground(
  gateway: Gateway,
  run: AgentRun,
  { provider, profileId, model, toolAllow, tainted, taintedBy, instructions }: BackgroundRequest,
  caps: Caps,
  signal: AbortSignal,
): Promise<AgentAnswer> {
  const { message, injectInto, asker } = run;
  const events = await gateway.ask(
    {
      provider,
      profileId,
      model,
      input: message,
      attachments: [],
      sessionKey: sessionKeyOfRun(run),
      newSession: false,
      historyMessages: MESSAGES_TOLD,
      withTools: true,
      toolAllow,
      toolMaxSteps: MAX_STEPS,
      mode: 'never',
      ...(tainted && { taintedBy: taintedBy ?? [EARLIER_TURN] }),
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
