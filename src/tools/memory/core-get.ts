import type { SharedCoreMemory } from '../../memory/core-memory.ts';
import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

export function createCoreGetTool({ coreMemory }: { coreMemory(): Promise<SharedCoreMemory> }): ToolSpec {
  return defineTool({
    name: 'memory_core_get',
    schema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    isFolded: true,
    subject: noSubject,
    timeoutMs: 5_000,
    execute: async (_args, { reader }) => ({ data: await (await coreMemory()).as(reader).get().catch(orToolFailure) }),
  });
}
