/** Strict JSON Schema 2020-12 of an object: what a tool or an operation takes. */
export interface JsonSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, JsonSchemaProperty>>;
  readonly required?: readonly string[];
  readonly additionalProperties: boolean;
}

export type JsonSchemaProperty = { readonly [keyword: string]: unknown; readonly description?: string };
