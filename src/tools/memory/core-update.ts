import { CORE_SECTIONS, type SharedCoreMemory } from '../../memory/core-memory.ts';
import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

/** Needs no permission, like memory_save; what it replaces is kept in the history of core memory. */
export function createCoreUpdateTool({ coreMemory }: { coreMemory(): Promise<SharedCoreMemory> }): ToolSpec {
  return defineTool({
    name: 'memory_core_update',
    schema: {
      type: 'object',
      properties: {
        section: { type: 'string', enum: CORE_SECTIONS },
        key: { type: 'string', minLength: 1 },
        value: { type: 'string' },
      },
      required: ['section', 'key', 'value'],
      additionalProperties: false,
    },
    effect: 'write',
    onlyInForeground: true,
    subject: noSubject,
    requiresPermission: false,
    lasts: true,
    timeoutMs: 10_000,
    async execute({ section, key, value }, { reader }) {
      const changed = await (await coreMemory()).as(reader).update(section, key, value).catch(orToolFailure);
      return { data: { section, key, value, ...changed } };
    },
  });
}
