import type { SharedMemory } from '../../memory/memory.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { noSubject } from '../subject.ts';
import { ToolFailure, type ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

/**
 * Needs no permission: it adds a note to Lainclaw's own home, which the owner can list and forget; it touches nothing of the
 * workspace and nothing is overwritten. Asking each time would make the model stop remembering.
 */
export function createMemorySaveTool({ memory }: { memory(): Promise<SharedMemory> }): ToolSpec {
  return defineTool({
    name: 'memory_save',
    schema: {
      type: 'object',
      properties: {
        content: { type: 'string', minLength: 1 },
        source: { type: 'string', minLength: 1, maxLength: 500, default: 'manual' },
        supersedes: { type: 'string', minLength: 1, maxLength: 100 },
      },
      required: ['content'],
      additionalProperties: false,
    },
    effect: 'write',
    subject: noSubject,
    requiresPermission: false,
    lasts: true,
    timeoutMs: 20_000,
    async execute({ content, source, supersedes }, context) {
      const own = (await memory()).as(context.reader);
      if (supersedes !== undefined && !(await own.get(supersedes)))
        throw new ToolFailure(`there is no memory "${supersedes}": memory_search shows the ids`);
      const saved = await own.save({ content, source, supersedes }).catch(orToolFailure);
      const replies = repliesIn(context);
      return { data: saved, text: saved.added ? replies.saved(saved.id) : replies.alreadySaved(saved.id) };
    },
  });
}
