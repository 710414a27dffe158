import { describe, expect, it } from 'vitest';
import type { CalledTool } from './call-tools.ts';
import { createGuards, type Limits } from './guards.ts';

const called = (name: string, args: Record<string, unknown>, text: string): CalledTool => ({
  call: { id: 'call', name, args, source: 'model' },
  executed: { result: { ok: true, data: text, meta: { durationMs: 1 } }, text },
});
const spent = (tokens: number, costUsd?: number) => ({
  inputTokens: tokens,
  outputTokens: 0,
  ...(costUsd && { costUsd }),
});

describe('the same call', () => {
  it('runs twice and is stopped the third time, also when other calls come between', () => {
    const guards = createGuards({});
    const same = called('read', { a: 1, b: { c: 2, d: 3 } }, 'x');
    const reordered = called('read', { b: { d: 3, c: 2 }, a: 1 }, 'x');
    expect(guards.afterRound([same], undefined)).toBeUndefined();
    expect(guards.afterRound([called('list', {}, 'x')], undefined)).toBeUndefined();
    expect(guards.afterRound([reordered], undefined)).toBeUndefined();
    expect(guards.afterRound([called('read', { a: 1 }, 'x'), same], undefined)).toMatch(/read 3 times/);
  });

  it('three times in one round counts too', () => {
    const same = called('read', {}, 'x');
    expect(createGuards({}).afterRound([same, same, same], undefined)).toMatch(/read 3 times.*ended/);
  });

  it('with another result, another tool or other arguments is another call', () => {
    const guards = createGuards({});
    const others = [1, 2, 3].flatMap((n) => [
      called('read', {}, `${n}`),
      called(`t${n}`, {}, 'x'),
      called('read', { n }, 'x'),
    ]);
    for (const other of others) expect(guards.afterRound([other], undefined)).toBeUndefined();
  });

  it('is counted for one run only', () => {
    for (let run = 0; run < 4; run += 1) {
      expect(createGuards({}).afterRound([called('read', {}, 'x')], undefined)).toBeUndefined();
    }
  });
});

describe('a cap', () => {
  const saidAfter = (limits: Limits, usage: Parameters<ReturnType<typeof createGuards>['afterRound']>[1]) =>
    createGuards(limits).afterRound([], usage);

  it.each<[string, Limits, number, number | undefined, RegExp | undefined]>([
    ['none', {}, 1_000_000, 1_000, undefined],
    ['not reached', { maxTokens: 100, maxCostUsd: 1 }, 99, 0.99, undefined],
    ['of tokens', { maxTokens: 100 }, 100, undefined, /used 100 tokens.*cap is 100.*--max-tokens/],
    ['of USD', { maxCostUsd: 0.5 }, 10, 0.5, /cost 0\.5000 USD.*cap is 0\.5.*--max-cost-usd/],
    ['of USD without a price', { maxCostUsd: 0.5 }, 10, undefined, undefined],
  ])('%s', (_name, limits, tokens, costUsd, sentence) => {
    const said = saidAfter(limits, spent(tokens, costUsd));
    if (sentence) expect(said).toMatch(sentence);
    else expect(said).toBeUndefined();
  });

  it('needs a usage to be reached', () => {
    expect(saidAfter({ maxTokens: 1 }, undefined)).toBeUndefined();
  });
});
