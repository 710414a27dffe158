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
