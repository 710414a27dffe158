// Checks the JSON Schema of every tool as the services do: an object schema, valid JSON Schema 2020-12, and within the
// subset each service accepts. A schema is looked at once; conversations send the same tools with every request.
import { whyInvalid } from './json-schema-2020.ts';
import { isRecord, type Json } from './json-shape.ts';
import type { Dialect, NeutralTool } from './neutral-request.ts';
import type { Violation } from './request-context.ts';

export type SchemaCheck = (tools: NeutralTool[], dialect: Dialect) => Violation[];

export function createSchemaCheck(): SchemaCheck {
  const seen = new Map<string, string | undefined>();
  return (tools, dialect) => {
    const violations: Violation[] = [];
    for (const [index, { name, schema, strict }] of tools.entries()) {
      if (schema === undefined) continue;
      const key = `${dialect === 'messages'} ${strict} ${JSON.stringify(schema)}`;
      if (!seen.has(key)) seen.set(key, problemOf(schema, strict, dialect));
      const problem = seen.get(key);
      if (problem !== undefined) violations.push(inServiceWords(problem, { dialect, index, name }));
    }
    return violations;
  };
}

function problemOf(schema: unknown, strict: boolean, dialect: Dialect): string | undefined {
  if (!isRecord(schema) || schema.type !== 'object') {
    const type = isRecord(schema) && schema.type !== undefined ? String(schema.type) : 'None';
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${type}"'.`;
  }
  const combined = ['oneOf', 'anyOf', 'allOf', 'enum', 'not'].find((keyword) => keyword in schema);
  if (combined) return `schema must have type 'object' and not have '${combined}' at the top level.`;
  return whyInvalid(schema) ?? subsetProblem(schema, strict, dialect);
}

function subsetProblem(root: Json, strict: boolean, dialect: Dialect): string | undefined {
  const isOpenAi = dialect !== 'messages';
  if (isOpenAi && root.properties === undefined) return 'In context=(), object schema missing properties.';
  for (const { schema, path } of walk(root, [])) {
    const context = `In context=(${path.map((step) => `'${step}'`).join(', ')})`;
    if (isOpenAi && schema.type === 'array' && schema.items === undefined && schema.prefixItems === undefined) {
      return `${context}, array schema missing items.`;
    }
    if (typeof schema.$ref === 'string' && !resolves(schema.$ref, root)) {
      return `${context}, reference '${schema.$ref}' can not be resolved.`;
    }
    if (!strict || schema.type !== 'object') continue;
    if (schema.additionalProperties !== false) {
      return `${context}, 'additionalProperties' is required to be supplied and to be false.`;
    }
    // Anthropic allows optional properties in strict tools.
    const required = Array.isArray(schema.required) ? schema.required : [];
    const missing = Object.keys(isRecord(schema.properties) ? schema.properties : {}).find(
      (key) => !required.includes(key),
    );
    if (isOpenAi && missing !== undefined) {
      return `${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
    }
  }
  return undefined;
}

function* walk(schema: unknown, path: string[]): Generator<{ schema: Json; path: string[] }> {
  if (!isRecord(schema)) return;
  yield { schema, path };
  for (const key of ['properties', 'patternProperties', '$defs', 'definitions']) {
    const map = schema[key];
    if (isRecord(map)) for (const [name, child] of Object.entries(map)) yield* walk(child, [...path, key, name]);
  }
  for (const key of ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains']) {
    yield* walk(schema[key], [...path, key]);
  }
  for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const list = schema[key];
    if (Array.isArray(list))
      for (const [index, child] of list.entries()) yield* walk(child, [...path, key, `${index}`]);
  }
}

function resolves(reference: string, root: Json): boolean {
  if (!reference.startsWith('#')) return false;
  let target: unknown = root;
  for (const step of reference.split('/').slice(1)) {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(target)) target = target[Number(key)];
    else target = isRecord(target) ? target[key] : undefined;
  }
  return target !== undefined;
}

function inServiceWords(problem: string, tool: { dialect: Dialect; index: number; name: string }): Violation {
  if (tool.dialect === 'messages') {
    const rule = 'JSON schema is invalid. It must match JSON Schema draft 2020-12.';
    return { message: `tools.${tool.index}.custom.input_schema: ${rule} ${problem}` };
  }
  const param = `tools[${tool.index}].${tool.dialect === 'chat' ? 'function.' : ''}parameters`;
  const message = `Invalid schema for function '${tool.name}': ${problem}`;
  return { message, param, code: 'invalid_function_parameters' };
}
