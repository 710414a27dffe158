// The tools of a registry as a model is offered them: their names on the wire, their texts in the owner's language, their schemas
// without what a model does not need. A registry never changes, so this is made once for each.
import type { ModelTool } from '../adapters/adapter.ts';
import { createWireCalls, foldedTools, TOOL_CALL, TOOL_SEARCH, type WireCalls } from './folded-calls.ts';
import { describeTool } from './languages/language.ts';
import type { ToolTexts } from './languages/tool-texts.ts';
import type { RegisteredTool, Registry } from './registry.ts';
import { schemaForModel } from './schema-for-model.ts';
import { createWireNames } from './wire-names.ts';

const NAMED_OF_SERVER = 10;

export interface OfferedTools {
  wireNames: WireCalls;
  tools(): Promise<readonly ModelTool[]>;
  /** The tools that a model sees by name only. */
  folded(): Promise<readonly ModelTool[]>;
}

/** `also` are more names that can occur in the conversation. */
export type OfferTools = (registry: Registry, also?: readonly string[]) => OfferedTools;

export function createOfferTools(texts: () => Promise<ToolTexts>): OfferTools {
  const made = new WeakMap<Registry, OfferedTools>();

  function offer(registry: Registry, also: readonly string[]): OfferedTools {
    const distinct = registry.distinct();
    const names = createWireNames([...distinct.map(({ name }) => name), ...also]);
    const hidden = foldedTools(registry);
    const wireNames = createWireCalls(names, new Set(hidden.map(({ name }) => name)));
    const describe = async (tools: readonly RegisteredTool[]): Promise<ModelTool[]> => {
      const language = await texts();
      return tools.map(({ name, spec }) => {
        const { description, inputSchema } = describeTool(spec, language);
        const told =
          name === TOOL_SEARCH
            ? `${description} ${namesLine(hidden.map((each) => names.toWire(each.name)))}`
            : description;
        return { name: names.toWire(name), description: told, inputSchema: schemaForModel(inputSchema) };
      });
    };
    const isOffered = ({ name, spec }: RegisteredTool): boolean =>
      hidden.length > 0 ? !spec.isFolded : name !== TOOL_SEARCH && name !== TOOL_CALL;
    const offered = once(() => describe(distinct.filter(isOffered)));
    return { wireNames, tools: offered, folded: once(() => describe(hidden)) };
  }

  return (registry, also = []) => {
    if (also.length > 0) return offer(registry, also);
    const offered = made.get(registry) ?? offer(registry, also);
    made.set(registry, offered);
    return offered;
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** Names in a row; those of a server with many tools are counted. */
function namesLine(names: readonly string[]): string {
  const servers = Map.groupBy(names, (name) => /^mcp__(.+?)__/.exec(name)?.[1] ?? '');
  const parts = [...servers].flatMap(([server, own]) =>
    server !== '' && own.length > NAMED_OF_SERVER ? [`mcp__${server}__* (${own.length})`] : own,
  );
  return parts.join(', ');
}
