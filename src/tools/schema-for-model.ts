// A tool's schema as a model is sent it, with every request: what helps to write a call. Bounds that hardly ever matter
// (lengths, no other parameters) are left to the validation, which names the parameter when one is broken.
import type { JsonSchema, JsonSchemaProperty } from './json-schema.ts';

export function schemaForModel({ additionalProperties, ...schema }: JsonSchema): object {
  const properties = Object.entries(schema.properties).map(([name, property]) => [name, lean(property)]);
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    ...(additionalProperties === false ? {} : { additionalProperties }),
  };
}

function lean({ minLength, maxLength, maxItems, pattern, minimum, items, ...kept }: JsonSchemaProperty): object {
  return {
    ...kept,
    ...(isObvious(minimum) ? {} : { minimum }),
    ...(items !== undefined && { items: leanItems(items) }),
  };
}

/** An item that is an object is as lean as the whole. */
function leanItems(items: unknown): object {
  const item = items as JsonSchemaProperty & Partial<JsonSchema>;
  return item.properties ? schemaForModel(item as JsonSchema) : lean(item);
}

function isObvious(minimum: unknown): boolean {
  return minimum === undefined || minimum === 0 || minimum === 1;
}
