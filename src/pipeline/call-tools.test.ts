import { expect, it } from 'vitest';
import type { Turn } from '../sessions/turn.ts';
import { createTaskTool } from '../tools/agents/task.ts';
import type { Executor } from '../tools/executor.ts';
import { createRegistry } from '../tools/registry.ts';
import type { ToolCall } from '../tools/tool.ts';
import { callTools } from './call-tools.ts';

it('sub-agents work beside each other, and each is on record as something that is not to be repeated', async () => {
  const registry = createRegistry([
    createTaskTool({ agents: () => Promise.reject(new Error('not called')), isTrusted: async () => false }),
  ]);
  const journalled: string[] = [];
  let running = 0;
  let most = 0;
  const executor: Executor = {
    async execute() {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { result: { ok: true, data: null, meta: { durationMs: 0 } }, text: '' };
    },
  };
  const turn = {
    callStarts: async (_: unknown, effect: string) => void journalled.push(effect),
    callEnded: async () => {},
  } as unknown as Turn;
  const calls = ['a', 'b'].map((id): ToolCall => ({ id, name: 'task', args: {}, source: 'model' }));
  for await (const _ of callTools({ calls, registry, executor, turn, signal: new AbortController().signal }));
  expect(most).toBe(2);
  // `read` would be asked again after a kill, with everything that the sub-agents had done.
  expect(journalled).toEqual(['exec', 'exec']);
});

it('a call may run only once it is journalled, and one that cannot be journalled ends the turn', async () => {
  const registry = createRegistry([]);
  const order: string[] = [];
  const executor: Executor = {
    async execute({ id }, _signal, _progress, mayRun) {
      order.push(`${id} is decided`);
      const hasRun = await mayRun?.then(
        () => order.push(`${id} runs`),
        () => undefined,
      );
      return { result: { ok: true, data: null, meta: { durationMs: 0 } }, text: hasRun ? 'done' : 'not run' };
    },
  };
  const turn = {
    async callStarts({ id }: ToolCall) {
      await new Promise((resolve) => setImmediate(resolve));
      if (id === 'bad') throw new Error('the disk is full');
      order.push(`${id} is journalled`);
    },
    callEnded: async () => {},
  } as unknown as Turn;
  const run = async (id: string): Promise<void> => {
    const calls = [{ id, name: 'bash', args: {}, source: 'model' } satisfies ToolCall];
    for await (const _ of callTools({ calls, registry, executor, turn, signal: new AbortController().signal }));
  };
  await run('good');
  expect(order).toEqual(['good is decided', 'good is journalled', 'good runs']);
  await expect(run('bad')).rejects.toThrow('the disk is full');
  expect(order).not.toContain('bad runs');
});
