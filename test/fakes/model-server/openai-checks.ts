// Rules that the Responses and the Chat Completions API share, in the words of the service.
import { isFilled, parsesAsJson } from './json-shape.ts';
import type { RequestContext } from './request-context.ts';

type Report = RequestContext['report'];

const NAME = /^[a-zA-Z0-9_-]+$/;
const NAME_LENGTH = 64;

export function checkPresent(value: unknown, param: string, report: Report): void {
  if (value !== undefined && value !== null && value !== '') return;
  report(`Missing required parameter: '${param}'.`, { param, code: 'missing_required_parameter' });
}

export function checkName(name: unknown, param: string, report: Report): void {
  if (!isFilled(name)) checkPresent(undefined, param, report);
  else checkLength(name, NAME_LENGTH, param, report);
  if (!isFilled(name) || NAME.test(name)) return;
  const rule = `Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`;
  report(`Invalid '${param}': string does not match pattern. ${rule}`, { param, code: 'invalid_value' });
}

export function checkLength(text: string, limit: number, param: string, report: Report): void {
  if (text.length <= limit) return;
  const rule = `Expected a string with maximum length ${limit}, but got a string with length ${text.length} instead.`;
  report(`Invalid '${param}': string too long. ${rule}`, { param, code: 'string_above_max_length' });
}

/** Arguments in a history are the model's own, as JSON text. */
export function checkArguments(value: unknown, param: string, report: Report): void {
  if (typeof value !== 'string') checkType(value, 'a string', param, report);
  else if (!parsesAsJson(value)) report(`Invalid '${param}': not valid JSON.`, { param, code: 'invalid_value' });
}

export function checkType(value: unknown, expected: string, param: string, report: Report): void {
  const actual = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
  report(`Invalid type for '${param}': expected ${expected}, but got ${actual} instead.`, {
    param,
    code: 'invalid_type',
  });
}

export function checkOneOf(value: unknown, allowed: readonly string[], param: string, report: Report): boolean {
  if (typeof value === 'string' && allowed.includes(value)) return true;
  const values = allowed.map((name) => `'${name}'`).join(', ');
  report(`Invalid value: '${String(value)}'. Supported values are: ${values}.`, { param, code: 'invalid_value' });
  return false;
}

export function checkNotEmpty(list: unknown[], param: string, report: Report): void {
  if (list.length > 0) return;
  const rule = 'Expected an array with minimum length 1, but got an empty array instead.';
  report(`Invalid '${param}': empty array. ${rule}`, { param, code: 'empty_array' });
}

export function checkUniqueNames(names: string[], report: Report): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) report(`Duplicate tool name: '${twice}'.`, { param: 'tools', code: 'invalid_value' });
}

export function checkKnownParameters(body: object, known: readonly string[], context: RequestContext): void {
  if (!context.hosted) return;
  for (const param of Object.keys(body)) {
    if (!known.includes(param)) context.report(`Unknown parameter: '${param}'.`, { param, code: 'unknown_parameter' });
  }
}
