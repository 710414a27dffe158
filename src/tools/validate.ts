// Arguments against a tool's JSON Schema, with the schema library loaded on the first call only.
import type { Validator } from 'typebox/schema';
import type { ToolArgs, ToolSpec } from './tool.ts';

/** What is wrong with the arguments, in words that name the parameter; undefined when nothing is. */
export type Validate = (spec: ToolSpec, args: ToolArgs) => Promise<string | undefined>;

interface Problem {
  keyword: string;
  instancePath: string;
  message: string;
  params: Record<string, unknown>;
}

export function createValidate(): Validate {
  const compiled = new WeakMap<ToolSpec, Validator>();
  return async (spec, args) => {
    if (typeof args !== 'object' || args === null || Array.isArray(args)) return 'the arguments must be a JSON object';
    let validator = compiled.get(spec);
    if (!validator) {
      const { Compile } = await import('typebox/schema');
      validator = Compile(spec.inputSchema as object) as Validator;
      compiled.set(spec, validator);
    }
    if (validator.Check(args)) return undefined;
    const [, problems] = validator.Errors(args) as [boolean, Problem[]];
    return explain(problems, spec);
  };
}

/** Why nothing can be checked against this schema, or undefined. */
export async function schemaProblem(schema: Record<string, unknown>): Promise<string | undefined> {
  const { Compile } = await import('typebox/schema');
  try {
    (Compile(schema as object) as Validator).Check({});
    return undefined;
  } catch (error) {
    return `its input schema cannot be read: ${error instanceof Error ? error.message : error}`;
  }
}

/** Why a value does not fit a schema, or undefined. A schema that cannot be read fits nothing. */
export type ValueProblem = (value: unknown) => Promise<string | undefined>;

export async function valueProblem(schema: Record<string, unknown>, value: unknown): Promise<string | undefined> {
  return createValueCheck(schema)(value);
}

/** For a schema that many values are checked against: it is compiled once, with the first of them. */
export function createValueCheck(schema: object): ValueProblem {
  let validator: Validator | undefined;
  return async (value) => {
    try {
      validator ??= (await import('typebox/schema')).Compile(schema) as Validator;
      return problemWith(validator, value);
    } catch (error) {
      return `its schema cannot be read: ${error instanceof Error ? error.message : error}`;
    }
  };
}

function problemWith(validator: Validator, value: unknown): string | undefined {
  if (validator.Check(value)) return undefined;
  const [, problems] = validator.Errors(value) as [boolean, Problem[]];
  return [...new Set(problems.map(sentence))].join('; ') || 'it does not fit';
}

function explain(problems: Problem[], spec: ToolSpec): string {
  const sentences = new Set(problems.filter(({ keyword }) => keyword !== 'boolean').map(sentence));
  const accepted = Object.keys(spec.inputSchema.properties);
  const parameters = accepted.length > 0 ? `it takes ${accepted.join(', ')}` : 'it takes no parameters';
  return `${[...sentences].join('; ') || 'the arguments do not fit'} (${parameters})`;
}

function sentence({ keyword, instancePath, message, params }: Problem): string {
  const names = (list: unknown): string => (list as string[]).map((name) => `"${name}"`).join(', ');
  if (keyword === 'required') return `${names(params.requiredProperties)} is missing`;
  if (keyword === 'additionalProperties') return `${names(params.additionalProperties)} is not a parameter`;
  if (keyword === 'enum') return `"${parameter(instancePath)}" must be one of ${names(params.allowedValues)}`;
  return instancePath ? `"${parameter(instancePath)}" ${message}` : message;
}

function parameter(instancePath: string): string {
  return instancePath.slice(1).replaceAll('/', '.');
}
