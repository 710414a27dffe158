import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { testRuntime } from '../../test/support/test-runtime.ts';
import type { Answerer } from '../gateway/turns/answerer.ts';
import type { AskResult, RunEvent } from '../pipeline/events.ts';
import { valueProblem } from '../tools/validate.ts';
import { invokeOperation } from './invoke.ts';
import { answerQuestion, listQuestions, listTurns, steerTurn, stopTurn } from './turns.ts';

/** A turn that asks for leave to write a file, and somebody who answers through operations. */
async function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'lainclaw-turns-'));
  mkdirSync(join(folder, 'project'));
  const runtime = await testRuntime(join(folder, 'home'), { cwd: join(folder, 'project') });
  onTestFinished(async () => {
    await runtime.close();
    // What ends late opens its database once more while the folder is emptied.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  const { ask } = await (await runtime.openWorkspace()).gateway();
  const events = await ask(
    {
      input: 'tool:file_write {"path":"a.txt","content":"hello"}',
      attachments: [],
      mode: 'ask',
      answering: {},
      caps: {},
      provider: 'stub',
      sessionKey: 'main',
      newSession: false,
      withTools: true,
      toolMaxSteps: 3,
    },
    new AbortController().signal,
  );
  await eventually(() => expect(runtime.hub.questions()).toHaveLength(1));
  const invoke = (
    operation: Parameters<typeof invokeOperation>[0],
    input: Record<string, unknown> = {},
    by?: Answerer,
  ) => invokeOperation(operation, input, { runtime, signal: new AbortController().signal, warn() {}, by });
  const questionId = runtime.hub.questions()[0]?.id ?? '';
  return { invoke, questionId, result: async () => endOf(await Array.fromAsync(events)) };
}

function endOf(events: readonly RunEvent[]): AskResult | undefined {
  return events.flatMap((event) => (event.type === 'run-end' ? [event.result] : []))[0];
}

describe('turns as operations', () => {
  it('are listed with what they ask, as the schemas say', async () => {
    const { invoke, questionId } = await setUp();
    const [turns, questions] = [await invoke(listTurns), await invoke(listQuestions)];
    expect(turns).toMatchObject([{ sessionKey: 'main', state: 'asking' }]);
    expect(questions).toMatchObject([
      { id: questionId, permission: { tool: 'file_write', preview: { paths: ['a.txt'] } } },
    ]);
    expect(await valueProblem({ ...listTurns.output }, turns)).toBeUndefined();
    expect(await valueProblem({ ...listQuestions.output }, questions)).toBeUndefined();
  });

  it('are answered, once, by the person who is named', async () => {
    const { invoke, questionId, result } = await setUp();
    const anna: Answerer = { place: 'console', name: 'Anna', isOwner: true };
    expect(await invoke(answerQuestion, { questionId, answer: 'allow' }, anna)).toEqual({ isAccepted: true });
    await expect(invoke(answerQuestion, { questionId, answer: 'deny' })).rejects.toMatchObject({
      code: 'QUESTION_ENDED',
      message: expect.stringContaining('has ended. Allowed once (Anna, in the console).'),
    });
    expect((await result())?.toolResults).toMatchObject([{ result: { ok: true } }]);
  });

  it.each([
    ['ANSWER_INVALID', { answer: 'send' }, undefined],
    ['NOT_ALLOWED', { answer: 'allow' }, { place: 'console' as const, name: 'Bo', isOwner: false }],
    ['QUESTION_UNKNOWN', { questionId: 'q-other', answer: 'allow' }, undefined],
  ])('refuse with %s what cannot be answered so', async (code, input, by) => {
    const { invoke, questionId } = await setUp();
    await expect(invoke(answerQuestion, { questionId, ...input }, by)).rejects.toMatchObject({ code });
    expect(await invoke(listQuestions)).toHaveLength(1);
  });

  it('are written to; what a turn did not take up is reported', async () => {
    const { invoke, questionId, result } = await setUp();
    const [turn] = (await invoke(listTurns)) as { id: string }[];
    const steered = invoke(steerTurn, { id: turn?.id, text: 'not so' });
    await invoke(answerQuestion, { questionId, answer: 'deny' });
    // A call made by hand asks no model.
    expect(await steered).toEqual({ outcome: 'ended', message: expect.any(String) });
    expect((await result())?.stage).toBe('answered');
    await expect(invoke(steerTurn, { id: 'turn-other', text: 'x' })).rejects.toMatchObject({ code: 'TURN_UNKNOWN' });
  });

  it('are stopped, which ends their questions', async () => {
    const { invoke, questionId, result } = await setUp();
    const [turn] = (await invoke(listTurns)) as { id: string }[];
    expect(await invoke(stopTurn, { id: turn?.id })).toEqual({ isStopped: true });
    expect((await result())?.stage).toBe('cancelled');
    expect(await invoke(stopTurn, { id: turn?.id })).toEqual({ isStopped: false });
    await expect(invoke(stopTurn, { id: 'turn-other' })).rejects.toMatchObject({ code: 'TURN_UNKNOWN' });
    await expect(invoke(answerQuestion, { questionId, answer: 'allow' })).rejects.toMatchObject({
      message: expect.stringContaining('has ended. Not needed any more.'),
    });
  });
});
