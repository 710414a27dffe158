import { expect, it } from 'vitest';
import { createRegistry } from '../tools/registry.ts';
import { noSubject } from '../tools/subject.ts';
import { createTaint } from '../tools/taint.ts';
import type { ToolSpec } from '../tools/tool.ts';
import type { Usage } from '../vocabulary/usage.ts';
import type { Caps } from './budget.ts';
import { createDelegation } from './delegate.ts';
import type { AskResult, RunEvent } from './events.ts';
import type { AskAgain, RunRequest } from './turn-context.ts';
import { createUsageLedger } from './usage.ts';

const TURN = { name: 'helper', instructions: '', prompt: 'go', tools: 'all' as const, taintedBy: [] };

const STARTER: ToolSpec = {
  name: 'starter',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  effect: 'read',
  startsTurns: true,
  subject: noSubject,
  requiresPermission: false,
  timeoutMs: 1,
  execute: async () => ({ data: null, text: '' }),
};

function delegationWith(caps: Caps, uses: (given: Caps) => Usage) {
  const given: Caps[] = [];
  const ledger = createUsageLedger();
  const control = new AbortController();
  const ask: AskAgain = async (request) => {
    given.push(request.caps);
    return (async function* (): AsyncGenerator<RunEvent> {
      await new Promise((resolve) => setImmediate(resolve));
      const result = { success: true, result: 'done', toolCalls: [], toolResults: [], usage: uses(request.caps) };
      yield { type: 'run-end', result: result as unknown as AskResult };
    })();
  };
  const delegation = createDelegation({
    request: { caps, toolMaxSteps: 1, mode: 'never' } as unknown as RunRequest,
    sessionId: 's',
    registry: createRegistry([]),
    taint: createTaint(),
    ledger,
    provider: 'stub',
    ask,
  });
  const wait = () => delegation.wait(TURN, control.signal, () => {});
  return { given, ledger, wait, control };
}

it('several sub-agents at the same time use up one budget, not one each', async () => {
  const { given, wait } = delegationWith({ maxTokens: 100 }, ({ maxTokens = 0 }) => ({
    inputTokens: Math.min(60, maxTokens),
    outputTokens: 0,
  }));
  const ended = await Promise.allSettled([wait(), wait(), wait()]);
  expect(given.map(({ maxTokens }) => maxTokens)).toEqual([100, 40]);
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
});

it('a model without a price takes no other cost out of the cap', async () => {
  const { given, ledger, wait } = delegationWith({ maxCostUsd: 1 }, () => ({ inputTokens: 1, outputTokens: 0 }));
  ledger.add({ inputTokens: 1, outputTokens: 1, costUsd: 0.75 });
  await wait();
  await wait();
  expect(given.map(({ maxCostUsd }) => maxCostUsd)).toEqual([0.25, 0.25]);
});

it('what a sub-agent that was cancelled has used counts too; of the day, each call counted itself', async () => {
  const { given, ledger, wait, control } = delegationWith({ dailyMaxTokens: 100 }, () => ({
    inputTokens: 30,
    outputTokens: 0,
  }));
  ledger.add({ inputTokens: 10, outputTokens: 0 });
  await wait();
  const cut = wait();
  control.abort();
  await expect(cut).rejects.toThrow();
  expect(ledger.total()).toMatchObject({ inputTokens: 70 });
  expect(given.map(({ dailyMaxTokens }) => dailyMaxTokens)).toEqual([100, 100]);
});

it.each([
  { depth: 0, given: ['starter', 'reader'] },
  { depth: 1, given: ['reader'] },
])('a turn started at depth $depth has $given: the innermost starts no other', async ({ depth, given }) => {
  const reader = { ...STARTER, name: 'reader', startsTurns: undefined };
  let allowed: readonly string[] | undefined;
  const delegation = createDelegation({
    request: { caps: {}, toolMaxSteps: 1, mode: 'never', depth } as unknown as RunRequest,
    sessionId: 's',
    registry: createRegistry([STARTER, reader]),
    taint: createTaint(),
    ledger: createUsageLedger(),
    provider: 'stub',
    ask: async ({ toolAllow }) => {
      allowed = toolAllow;
      throw new Error('enough');
    },
  });
  await expect(delegation.wait(TURN, new AbortController().signal, () => {})).rejects.toThrow('enough');
  expect(allowed).toEqual(given);
});
