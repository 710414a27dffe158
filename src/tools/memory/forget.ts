import type { SharedMemory } from '../../memory/memory.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { noSubject } from '../subject.ts';
import { ToolFailure, type ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

/** Needs permission: what it removes is gone for good. */
export function createMemoryForgetTool({ memory }: { memory(): Promise<SharedMemory> }): ToolSpec {
  return defineTool({
    name: 'memory_forget',
    schema: {
      type: 'object',
      properties: { id: { type: 'string', minLength: 1, maxLength: 100 } },
      required: ['id'],
      additionalProperties: false,
    },
    effect: 'write',
    isFolded: true,
    onlyInForeground: true,
    subject: noSubject,
    requiresPermission: true,
    lasts: true,
    timeoutMs: 30_000,
    async preview({ id }, { reader }) {
      const found = await (await memory()).as(reader).get(id);
      if (!found) throw new ToolFailure(`there is no memory "${id}": memory_search shows the ids`);
      return { summary: `forget ${id} for good`, text: found.text, paths: [] };
    },
    async execute({ id }, context) {
      await (await memory()).as(context.reader).forget(id).catch(orToolFailure);
      return { data: { forgotten: 1 }, text: repliesIn(context).forgotten(id) };
    },
  });
}
