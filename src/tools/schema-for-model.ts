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

function lean({ minLength, maxLength, pattern, minimum, ...kept }: JsonSchemaProperty): object {
  return isObvious(minimum) ? kept : { ...kept, minimum };
}

function isObvious(minimum: unknown): boolean {
  return minimum === undefined || minimum === 0 || minimum === 1;
}
