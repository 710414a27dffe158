// A turn started in the name of another one (a sub-agent that is waited for). It never has more than its caller: only tools the
// caller sees, the caller's approval and the person behind it, what is left of the caller's budget, and the mark of content
// from outside. How deep this goes is limited.
import type { DelegatedAnswer, DelegatedTurn, Delegation } from '../tools/delegation.ts';
import type { ToolCall, ToolResult } from '../tools/tool.ts';
import { ToolFailure } from '../tools/tool.ts';
import type { Usage } from '../vocabulary/usage.ts';
import type { Caps } from './budget.ts';
import type { AskResult, RunEvent } from './events.ts';
import type { AskAgain, RunRequest, TurnContext } from './turn-context.ts';
import type { UsageLedger } from './usage.ts';

/** A person's turn is 0; a sub-agent's sub-agent is the last. */
const MAX_DEPTH = 2;
const MAX_STEPS = 25;
const SHOWN_ARGUMENTS = 80;

export interface DelegateOptions extends Pick<TurnContext, 'registry' | 'taint' | 'ledger'> {
  /** What the caller was asked with; a call by hand has no turn of its own. */
  request: Pick<RunRequest, 'mode' | 'caps' | 'toolMaxSteps'> &
    Partial<Pick<RunRequest, 'profileId' | 'model' | 'effort' | 'answering' | 'turnId' | 'chat' | 'asker' | 'depth'>>;
  /** The caller's, which names the sessions of the turns that it waits for. */
  sessionId: string;
  provider: string;
  ask: AskAgain;
}

export function createDelegation(options: DelegateOptions): Delegation {
  const { request, sessionId, registry, taint, ledger, provider, ask } = options;
  const busy = new Set<number>();
  let last: Promise<unknown> = Promise.resolve();

  /** Under a cap of the run one after the other: what each may use is known once the one before has ended. */
  const wait: Delegation['wait'] = (delegated, signal, progress) => {
    const { maxTokens, maxCostUsd } = request.caps;
    if (maxTokens === undefined && maxCostUsd === undefined) return start(delegated, signal, progress);
    const mine = last.then(() => start(delegated, signal, progress));
    last = mine.catch(() => {});
    return mine;
  };

  async function start(
    delegated: DelegatedTurn,
    signal: AbortSignal,
    progress: (text: string) => void,
  ): Promise<DelegatedAnswer> {
    signal.throwIfAborted();
    const caps = remaining(request.caps, ledger);
    const slot = firstFree(busy);
    busy.add(slot);
    try {
      const events = await ask(
        {
          provider,
          profileId: request.profileId,
          model: delegated.model ?? request.model,
          effort: request.effort,
          input: delegated.prompt,
          attachments: [],
          sessionKey: `task:${sessionId}:${slot}`,
          newSession: true,
          unlisted: true,
          memory: false,
          withTools: true,
          toolAllow: allowedTools(delegated, options),
          toolMaxSteps: Math.max(request.toolMaxSteps, MAX_STEPS),
          mode: request.mode,
          answering: request.answering,
          parentId: request.turnId,
          taintedBy: [...taint.sources(), ...delegated.taintedBy],
          instructions: delegated.instructions,
          callSource: 'subagent',
          chat: request.chat,
          asker: request.asker,
          depth: (request.depth ?? 0) + 1,
          caps,
        },
        signal,
      );
      const result = await watch(events, delegated.name, progress);
      ledger.addDelegated(result.usage);
      signal.throwIfAborted();
      return answerOf(result, delegated);
    } finally {
      busy.delete(slot);
    }
  }
  return {
    wait,
    inherit: () => ({
      provider,
      profileId: request.profileId,
      model: request.model,
      tools: registry
        .list()
        .filter(({ spec }) => !spec.onlyInForeground)
        .map(({ name }) => name),
      taintedBy: taint.sources(),
      chat: request.chat,
      asker: request.asker,
    }),
  };
}

function allowedTools({ tools }: DelegatedTurn, { registry, request }: DelegateOptions): string[] {
  const isLast = (request.depth ?? 0) + 1 >= MAX_DEPTH;
  return registry
    .list()
    .filter(({ name, spec }) => (tools === 'all' || tools.includes(name)) && !(isLast && spec.startsTurns))
    .map(({ name }) => name);
}

/** What the caller has not used yet. Of the day, its calls are counted already. */
function remaining(caps: Caps, ledger: UsageLedger): Caps {
  const run = counted(ledger.spent());
  const left: Caps = {
    ...caps,
    maxTokens: less(caps.maxTokens, run.tokens),
    maxCostUsd: less(caps.maxCostUsd, run.costUsd),
  };
  if ([left.maxTokens, left.maxCostUsd].some((value) => value !== undefined && value <= 0))
    throw new ToolFailure('nothing of the budget is left for a sub-agent', { reason: 'limit' });
  return left;
}

function counted(used: Usage | undefined): { tokens: number; costUsd: number } {
  return { tokens: used ? used.inputTokens + used.outputTokens : 0, costUsd: used?.costUsd ?? 0 };
}

function less(cap: number | undefined, used: number): number | undefined {
  return cap === undefined ? undefined : cap - used;
}

function firstFree(busy: ReadonlySet<number>): number {
  let slot = 1;
  while (busy.has(slot)) slot += 1;
  return slot;
}

async function watch(
  events: AsyncIterable<RunEvent>,
  name: string,
  progress: (text: string) => void,
): Promise<AskResult> {
  let result: AskResult | undefined;
  for await (const event of events) {
    if (event.type === 'tool-end') progress(`${name}: ${toolLine(event.call, event.result)}\n`);
    if (event.type === 'notice') progress(`${name}: ${event.text}\n`);
    if (event.type === 'run-end') result = event.result;
  }
  if (!result) throw new Error('the delegated turn ended without a result');
  return result;
}

function toolLine({ name, args }: ToolCall, result: ToolResult): string {
  const given = JSON.stringify(args);
  const shown = given.length > SHOWN_ARGUMENTS ? `${given.slice(0, SHOWN_ARGUMENTS)}…` : given;
  return `${result.ok ? '✓' : '✗'} ${name} ${shown}${result.ok ? '' : ` ${result.error.message}`}`;
}

function answerOf(result: AskResult, delegated: DelegatedTurn): DelegatedAnswer {
  const brought = result.toolResults.flatMap((each) => each.result.meta.taintedBy ?? []);
  const taintedBy = [...new Set([...delegated.taintedBy, ...brought])];
  const { sessionKey, sessionId, usage, stage } = result;
  const facts = { sessionKey, sessionId, toolCalls: result.toolCalls.length, stage, usage, taintedBy };
  return result.success
    ? { ok: true, text: result.result, ...facts }
    : { ok: false, error: result.error.message, ...facts };
}
