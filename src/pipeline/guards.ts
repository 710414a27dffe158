// What ends a run that would otherwise continue for nothing or for too much: the same call again and again, or a spending
// cap. A guard speaks once, with a sentence that says what happened and what to do.
import { canonicalJson } from '../lib/canonical-json.ts';
import type { Usage } from '../vocabulary/usage.ts';
import type { CalledTool } from './call-tools.ts';

const REPEATS = 3;

export interface Limits {
  maxTokens?: number;
  maxCostUsd?: number;
}

export interface Guards {
  /** Why the run must end after this round, or undefined. */
  afterRound(round: readonly CalledTool[], usage: Usage | undefined): string | undefined;
}

export function createGuards(limits: Limits): Guards {
  const seen = new Map<string, number>();
  return {
    afterRound(round, usage) {
      for (const { call, executed } of round) {
        const key = canonicalJson([call.name, call.args, executed.text]);
        const times = (seen.get(key) ?? 0) + 1;
        seen.set(key, times);
        if (times >= REPEATS) {
          return `the model called ${call.name} ${times} times with the same arguments and got the same result each time, so the run was ended`;
        }
      }
      return overBudget(usage, limits);
    },
  };
}

function overBudget(usage: Usage | undefined, limits: Limits): string | undefined {
  if (!usage) return undefined;
  const { maxTokens, maxCostUsd } = limits;
  const tokens = usage.inputTokens + usage.outputTokens;
  const cost = usage.costUsd ?? 0;
  const spentTokens = `the run was ended because it has used ${tokens} tokens`;
  const spentMoney = `the run was ended because it has cost ${cost.toFixed(4)} USD`;
  if (reached(tokens, maxTokens))
    return `${spentTokens} and its cap is ${maxTokens}; raise --max-tokens to let it continue`;
  if (reached(cost, maxCostUsd))
    return `${spentMoney} and its cap is ${maxCostUsd}; raise --max-cost-usd to let it continue`;
  return undefined;
}

function reached(spent: number, cap: number | undefined): boolean {
  return cap !== undefined && spent >= cap;
}
