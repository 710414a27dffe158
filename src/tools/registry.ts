// The registry: every name a tool can be called by. A filtered registry is the same thing with fewer names, so what is
// not allowed does not exist for listing, for the model or for execution.
import { CodedError } from '../vocabulary/coded-error.ts';
import type { ToolSpec } from './tool.ts';

export interface RegisteredTool {
  name: string;
  spec: ToolSpec;
}

export interface Registry {
  /** Every callable name, an alias right after its tool. */
  list(): RegisteredTool[];
  get(name: string): ToolSpec | undefined;
  /** Each tool once, under its own name or, where only that is visible, its alias. */
  distinct(): readonly RegisteredTool[];
  /** Only these names; names that do not exist are ignored. */
  filter(names: readonly string[]): Registry;
  /** Without the tools that end planning. The same one each time. */
  outsidePlanMode(): Registry;
}

export function createRegistry(specs: readonly ToolSpec[]): Registry {
  const tools = new Map<string, ToolSpec>();
  for (const spec of specs) {
    for (const name of [spec.name, ...(spec.aliases ?? [])]) {
      if (tools.has(name))
        throw new CodedError('TOOL_NAME_TAKEN', `a tool named "${name}" is registered already: choose another name`);
      tools.set(name, spec);
    }
  }
  return registryOf(tools);
}

function registryOf(tools: ReadonlyMap<string, ToolSpec>): Registry {
  const distinct = distinctTools(tools);
  let outside: Registry | undefined;
  return {
    list: () => [...tools].map(([name, spec]) => ({ name, spec })),
    get: (name) => tools.get(name),
    distinct: () => distinct,
    outsidePlanMode: () => (outside ??= registryOf(new Map([...tools].filter(([, spec]) => !spec.endsPlan)))),
    filter(names) {
      const wanted = new Set(names);
      return registryOf(new Map([...tools].filter(([name]) => wanted.has(name))));
    },
  };
}

function distinctTools(tools: ReadonlyMap<string, ToolSpec>): RegisteredTool[] {
  const seen = new Map<ToolSpec, RegisteredTool>();
  for (const [name, spec] of tools) if (!seen.has(spec)) seen.set(spec, { name, spec });
  return [...seen.values()];
}
