// A tool of the program that uses the library. It is opaque there: what the toolbox takes is kept under a symbol.
import type { ToolSpec } from '../tools/tool.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import type { Tool } from './surface.ts';

export const SPEC = Symbol('lainclaw tool');

export interface DefinedTool extends Tool {
  [SPEC]?: ToolSpec;
}

/** Rejects with the code INVALID_TOOL when one was not made by `defineTool`, or has a schema that cannot be read. */
export async function specsOf(tools: readonly Tool[]): Promise<ToolSpec[]> {
  if (tools.length === 0) return [];
  const { schemaProblem } = await import('../tools/validate.ts');
  return Promise.all(
    tools.map(async (tool: DefinedTool) => {
      const spec = tool[SPEC];
      if (!spec) throw invalidTool(`${tool.name ?? 'a tool'} was not made by defineTool`);
      const problem = await schemaProblem({ ...spec.inputSchema });
      if (problem) throw invalidTool(`${spec.name}: ${problem}`);
      return spec;
    }),
  );
}

export function invalidTool(message: string): CodedError {
  return new CodedError('INVALID_TOOL', message);
}
