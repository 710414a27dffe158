import { expect, it } from 'vitest';
import type { HistoryTurn } from './history.ts';
import { addTurn, emptyReport } from './usage-report.ts';

const turn = {
  startedAt: '2026-11-16T08:00:00Z',
  endedAt: '2026-11-16T08:00:02Z',
  provider: 'openai',
  model: 'gpt',
  usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.5 },
  calls: [
    { call: { name: 'bash' }, result: { ok: true, text: '', meta: { durationMs: 30 } } },
    { call: { name: 'bash' }, result: { ok: false, text: '', meta: { durationMs: 20 } } },
    { call: { name: 'glob' } },
  ],
} as unknown as HistoryTurn;

it('turns are added up by day, model, conversation and tool', () => {
  const report = emptyReport();
  const dayOf = (moment: number): string => new Date(moment).toISOString().slice(0, 10);
  addTurn(report, 'main', turn, dayOf);
  addTurn(report, 'main', { ...turn, startedAt: '2026-11-17T08:00:00Z', endedAt: undefined }, dayOf);
  addTurn(report, 'main', { ...turn, startedAt: undefined }, dayOf);
  const once = { turns: 1, tokens: 15, costUsd: 0.5 };
  expect([...report.days]).toEqual([
    ['2026-11-16', { ...once, durationMs: 2_000 }],
    ['2026-11-17', { ...once, durationMs: 0 }],
  ]);
  expect(report.models.get('openai/gpt')).toEqual({ turns: 2, tokens: 30, costUsd: 1, durationMs: 2_000 });
  expect(report.sessions.get('main')?.turns).toBe(2);
  expect(Object.fromEntries(report.tools)).toEqual({
    bash: { calls: 4, failures: 2, durationMs: 100 },
    glob: { calls: 2, failures: 0, durationMs: 0 },
  });
});
