import { describe, expect, it } from 'vitest';
import type { Adapter } from '../adapters/adapter.ts';
import type { Turn, TurnEnd } from '../sessions/turn.ts';
import { createTaint } from '../tools/taint.ts';
import type { ToolResult } from '../tools/tool.ts';
import type { CalledTool } from './call-tools.ts';
import { commit, failedResult, type Outcome } from './commit.ts';
import type { RunRequest, TurnContext } from './turn-context.ts';

const adapter = { provider: 'first', route: 'first-route' } as Adapter;
const request = { requestId: 'req-1', createdAt: '2026-11-05T08:00:00.000Z', sessionKey: 'main' } as RunRequest;
const meta = { durationMs: 1 };

function called(name: string, result: ToolResult): CalledTool {
  return { call: { id: name, name, args: {}, source: 'model' }, executed: { result, text: '' } };
}
const fine = called('time.now', { ok: true, data: 1, meta });
const broken = called('fs.read_file', { ok: false, error: { code: 'execution_error', message: 'No such file' }, meta });
const unknown = called('nope', { ok: false, error: { code: 'tool_not_found', message: 'no tool' }, meta });

async function committed(outcome: Partial<Outcome>, { debugSource = false } = {}) {
  const ends: TurnEnd[] = [];
  const turn = {
    entry: { sessionId: 'session-1', memoryEnabled: true },
    async end(end: TurnEnd) {
      ends.push(end);
      return { sessionContextUpdated: true };
    },
  } as unknown as Turn;
  const model = { model: 'model-1', profileId: 'first:me' };
  const taint = createTaint();
  const context = { adapter, request, turn, model, taint, debugSource } as unknown as TurnContext;
  const result = await commit(context, { stage: 'answered', text: 'Hello.', called: [], ...outcome });
  return { result, end: ends[0], ends };
}

describe('a result', () => {
  it('is what was stored, with who answered', async () => {
    const { result, ends } = await committed({ called: [fine], usage: { inputTokens: 1, outputTokens: 2 } });
    expect(result).toMatchObject({
      success: true,
      route: 'first-route',
      stage: 'answered',
      result: 'Hello.',
      provider: 'first',
      profileId: 'first:me',
      model: 'model-1',
      sessionId: 'session-1',
      memoryEnabled: true,
      toolCalls: [fine.call],
      toolResults: [{ call: fine.call, result: fine.executed.result }],
      sessionContextUpdated: true,
      usage: { inputTokens: 1, outputTokens: 2 },
    });
    expect(result.toolError).toBeUndefined();
    expect(ends).toMatchObject([{ outcome: 'answered', text: 'Hello.', route: 'first-route' }]);
  });

  it('names the fallback that answered, and nothing of the one that was asked', async () => {
    const { result, end } = await committed({ answeredBy: { provider: 'second', route: 'second-route', model: 'm2' } });
    expect(result).toMatchObject({ provider: 'second', route: 'second-route', model: 'm2' });
    expect(result.profileId).toBeUndefined();
    expect(end?.route).toBe('second-route');
  });

  it('shows its source only when asked to, and never stores it', async () => {
    const { result, end } = await committed({}, { debugSource: true });
    expect(result.result).toBe('[first:first:me] Hello.');
    expect(end?.text).toBe('Hello.');
    expect((await committed({ text: undefined }, { debugSource: true })).result.result).toBe('');
  });

  it('has the first failing tool as its toolError, unless the turn has one of its own', async () => {
    expect((await committed({ called: [fine, broken, unknown] })).result.toolError).toEqual({
      tool: 'fs.read_file',
      code: 'execution_error',
      message: 'No such file',
    });
    const own = { tool: 'nope', code: 'execution_error' as const, message: 'tool call loop exceeded max steps (2)' };
    expect((await committed({ called: [broken], toolError: own })).result.toolError).toEqual(own);
  });

  it('of a failed turn has its error beside every other key, and no text', async () => {
    const failure = { code: 'PROVIDER_AUTH', message: 'Not signed in.' };
    const { result, end } = await committed({ stage: 'failed', text: undefined, failure, called: [broken] });
    expect(result).toMatchObject({ success: false, stage: 'failed', result: '', error: failure });
    expect(result.toolCalls).toHaveLength(1);
    expect(end).toMatchObject({ outcome: 'failed', error: failure });
    expect(end?.text).toBeUndefined();
  });
});

describe('the result of a turn that could not be begun', () => {
  it.each([
    ['STORAGE_FULL', 'failed'],
    ['CANCELLED', 'cancelled'],
  ])('%s has every key of the contract', (code, stage) => {
    expect(failedResult(request, adapter, undefined, { code, message: 'why' })).toEqual({
      success: false,
      requestId: 'req-1',
      createdAt: '2026-11-05T08:00:00.000Z',
      route: 'first-route',
      stage,
      result: '',
      sessionKey: 'main',
      sessionId: '',
      provider: 'first',
      memoryEnabled: false,
      memoryUpdated: false,
      toolCalls: [],
      toolResults: [],
      sessionContextUpdated: false,
      error: { code, message: 'why' },
    });
  });
});
