// One field of a form that an MCP server wants filled in: how it is shown, and what somebody typed as a value of it. Everything the
// server says is untrusted: it stays on its line.
import { printable } from '../../lib/printable.ts';
import type { FormField, FormValue } from '../../mcp/elicitation.ts';
import { valueProblem } from '../../tools/validate.ts';

const LONGEST_TEXT = 300;
const YES = ['y', 'yes', 'true'];
const NO = ['n', 'no', 'false'];
const YES_OR_NO = [
  { label: 'Yes', typed: 'yes' },
  { label: 'No', typed: 'no' },
];

export type Filled = { ok: true; value: FormValue } | { ok: false; problem: string };

/** A server's words, on one line. */
export function oneLine(text: unknown): string {
  const line = printable(String(text)).replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT)}…` : line;
}

/** `size (one of s, m; required; otherwise m): how large` */
export function describeField(name: string, field: FormField, isRequired: boolean): string {
  const kind = [
    kindOf(field),
    isRequired && field.default === undefined && 'required',
    field.default !== undefined && `otherwise ${shownValue(field.default)}`,
  ];
  const words = [field.title, field.description].filter((text) => typeof text === 'string' && text !== '').map(oneLine);
  return `${oneLine(name)} (${kind.filter(Boolean).join('; ')})${words.length > 0 ? `: ${words.join(', ')}` : ''}`;
}

export function shownValue(value: unknown): string {
  return oneLine(typeof value === 'string' ? JSON.stringify(value) : Array.isArray(value) ? value.join(', ') : value);
}

/** What was typed as a value that fits the field, or why it is none. */
export async function fillField(field: FormField, typed: string): Promise<Filled> {
  const text = typed.trim();
  const value = typedAs(field, text);
  if (value === undefined) return { ok: false, problem: `accepted: ${kindOf(field)}` };
  const problem = await valueProblem(field, value);
  return problem === undefined ? { ok: true, value } : { ok: false, problem: oneLine(problem) };
}

function typedAs(field: FormField, text: string): FormValue | undefined {
  switch (field.type) {
    case 'boolean':
      if (YES.includes(text.toLowerCase())) return true;
      return NO.includes(text.toLowerCase()) ? false : undefined;
    case 'integer':
    case 'number': {
      const number = text === '' ? Number.NaN : Number(text);
      return Number.isFinite(number) ? number : undefined;
    }
    case 'array': {
      const offered = choicesOf((field.items ?? {}) as FormField);
      const chosen = text.split(',').map((each) => chosenOf(offered, each.trim()));
      return chosen.every((each) => each !== undefined) ? chosen : undefined;
    }
    default: {
      const offered = choicesOf(field);
      return offered.length > 0 ? chosenOf(offered, text) : text;
    }
  }
}

interface Choice {
  value: string;
  title?: string;
}

/** What a field offers to choose from, with a name for each; empty where it is typed freely. */
export function offeredValues(field: FormField): { label: string; typed: string }[] {
  if (field.type === 'boolean') return YES_OR_NO;
  if (field.type === 'array') return [];
  return choicesOf(field).map(({ value, title }) => ({ label: oneLine(title ?? value), typed: value }));
}

function choicesOf(field: FormField): Choice[] {
  const titled = field.oneOf ?? field.anyOf;
  if (Array.isArray(titled)) return titled.map(({ const: value, title }) => ({ value: String(value), title }));
  if (!Array.isArray(field.enum)) return [];
  const titles = Array.isArray(field.enumNames) ? field.enumNames : [];
  return field.enum.map((value, index) => ({ value: String(value), title: titles[index] }));
}

/** By value, otherwise by title. */
function chosenOf(offered: readonly Choice[], text: string): string | undefined {
  return (offered.find(({ value }) => value === text) ?? offered.find(({ title }) => title === text))?.value;
}

function kindOf(field: FormField): string {
  const isMany = field.type === 'array';
  const offered = choicesOf(isMany ? ((field.items ?? {}) as FormField) : field);
  if (offered.length > 0) {
    const names = offered.map(({ value, title }) => oneLine(title && title !== value ? `${value} = ${title}` : value));
    return `${isMany ? 'any of, with commas:' : 'one of'} ${names.join(', ')}`;
  }
  switch (field.type) {
    case 'boolean':
      return 'yes or no';
    case 'integer':
      return `a whole number${rangeOf(field)}`;
    case 'number':
      return `a number${rangeOf(field)}`;
    default:
      return typeof field.format === 'string' ? `a text: ${oneLine(field.format)}` : 'a text';
  }
}

function rangeOf({ minimum, maximum }: FormField): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${oneLine(minimum)} to ${oneLine(maximum)}`;
  if (minimum !== undefined) return ` of at least ${oneLine(minimum)}`;
  return maximum === undefined ? '' : ` of at most ${oneLine(maximum)}`;
}
