import { CORE_SECTIONS, type CoreMemory, type CoreSection } from '../../memory/core-memory.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

/** Needs no permission, like memory_save; what it deletes is kept in the history of core memory. */
export function createCoreDeleteTool({ coreMemory }: { coreMemory(): Promise<CoreMemory> }): ToolSpec {
  return {
    name: 'memory_core_delete',
    inputSchema: {
      type: 'object',
      properties: {
        section: { type: 'string', enum: [...CORE_SECTIONS] },
        key: { type: 'string', minLength: 1 },
      },
      required: ['section', 'key'],
      additionalProperties: false,
    },
    effect: 'write',
    requiresPermission: false,
    timeoutMs: 10_000,
    async execute({ section, key }) {
      const deleted = await (await coreMemory()).delete(section as CoreSection, key as string).catch(orToolFailure);
      return { data: { section, key, ...deleted } };
    },
  };
}
