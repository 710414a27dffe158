import { CORE_SECTIONS, type SharedCoreMemory } from '../../memory/core-memory.ts';
import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

/** Needs no permission, like memory_save; what it deletes is kept in the history of core memory. */
export function createCoreDeleteTool({ coreMemory }: { coreMemory(): Promise<SharedCoreMemory> }): ToolSpec {
  return defineTool({
    name: 'memory_core_delete',
    schema: {
      type: 'object',
      properties: {
        section: { type: 'string', enum: CORE_SECTIONS },
        key: { type: 'string', minLength: 1 },
      },
      required: ['section', 'key'],
      additionalProperties: false,
    },
    effect: 'write',
    isFolded: true,
    onlyInForeground: true,
    subject: noSubject,
    requiresPermission: false,
    lasts: true,
    timeoutMs: 10_000,
    async execute({ section, key }, { reader }) {
      const deleted = await (await coreMemory()).as(reader).delete(section, key).catch(orToolFailure);
      return { data: { section, key, ...deleted } };
    },
  });
}
