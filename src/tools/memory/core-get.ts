import type { CoreMemory } from '../../memory/core-memory.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

export function createCoreGetTool({ coreMemory }: { coreMemory(): Promise<CoreMemory> }): ToolSpec {
  return {
    name: 'memory_core_get',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    requiresPermission: false,
    timeoutMs: 5_000,
    execute: async () => ({ data: await (await coreMemory()).get().catch(orToolFailure) }),
  };
}
