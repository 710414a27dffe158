// The tools of a registry as a model is offered them: their names on the wire, their texts in the owner's language, their schemas
// without what a model does not need. A registry never changes, so this is made once for each.
import type { ModelTool } from '../adapters/adapter.ts';
import { describeTool } from './languages/language.ts';
import type { ToolTexts } from './languages/tool-texts.ts';
import type { Registry } from './registry.ts';
import { schemaForModel } from './schema-for-model.ts';
import { createWireNames, type WireNames } from './wire-names.ts';

export interface OfferedTools {
  wireNames: WireNames;
  tools(): Promise<readonly ModelTool[]>;
}

/** `also` are more names that can occur in the conversation. */
export type OfferTools = (registry: Registry, also?: readonly string[]) => OfferedTools;

export function createOfferTools(texts: () => Promise<ToolTexts>): OfferTools {
  const made = new WeakMap<Registry, OfferedTools>();

  function offer(registry: Registry, also: readonly string[]): OfferedTools {
    const distinct = registry.distinct();
    const wireNames = createWireNames([...distinct.map(({ name }) => name), ...also]);
    let described: Promise<ModelTool[]> | undefined;
    const describe = async (): Promise<ModelTool[]> => {
      const language = await texts();
      return distinct.map(({ name, spec }) => {
        const { description, inputSchema } = describeTool(spec, language);
        return { name: wireNames.toWire(name), description, inputSchema: schemaForModel(inputSchema) };
      });
    };
    return {
      wireNames,
      tools() {
        described ??= describe();
        return described;
      },
    };
  }

  return (registry, also = []) => {
    if (also.length > 0) return offer(registry, also);
    const offered = made.get(registry) ?? offer(registry, also);
    made.set(registry, offered);
    return offered;
  };
}
