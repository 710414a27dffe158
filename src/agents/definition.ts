// Reads one definition: `name`, `description`, `tools: all | [...]`, `model?` in the front matter, the rest is the
// instructions. Nothing is guessed: an unknown key is an error, so that a typo is noticed.
import { parseFrontMatter } from '../lib/front-matter.ts';
import { givenNameProblem, normalName } from '../lib/given-name.ts';
import { nearest } from '../lib/nearest.ts';
import type { AgentFacts } from './agent.ts';

export const MAX_AGENT_BYTES = 65_536;

const KEYS = ['name', 'description', 'tools', 'model'];
const MAX_DESCRIPTION = 1_024;

export type Definition = { ok: true; facts: AgentFacts; instructions: string } | { ok: false; reason: string };

export async function readDefinition(bytes: Buffer): Promise<Definition> {
  if (bytes.length > MAX_AGENT_BYTES) return refused(`it is over the limit of ${MAX_AGENT_BYTES} bytes`);
  const parsed = await parseFrontMatter(bytes, ['name', 'description']);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refused('its front matter is not a list of "key: value" lines');
  const facts = value as Record<string, unknown>;
  const problems = [...unknownKeys(facts), ...wrongValues(facts)];
  const instructions = bytes.subarray(parsed.end).toString('utf8').trim();
  if (instructions === '') problems.push('it has no instructions: write them below the front matter');
  if (problems.length > 0) return refused(problems.join('; '));
  const { name, description, tools = 'all', model } = facts as unknown as AgentFacts;
  const described = description.replace(/\s+/g, ' ').trim();
  return {
    ok: true,
    instructions,
    facts: { name: normalName(name), description: described, tools, ...(model && { model }) },
  };
}

function unknownKeys(facts: Record<string, unknown>): string[] {
  return Object.keys(facts)
    .filter((key) => !KEYS.includes(key))
    .map((key) => {
      const near = nearest(key, KEYS);
      return `"${key}" is not a setting${near ? ` (did you mean "${near}"?)` : `; accepted: ${KEYS.join(', ')}`}`;
    });
}

function wrongValues({ name, description, tools, model }: Record<string, unknown>): string[] {
  const problems: string[] = [];
  if (typeof name !== 'string') problems.push('it has no name');
  else problems.push(...[givenNameProblem(name) ?? []].flat());
  if (typeof description !== 'string' || description.trim() === '') problems.push('it has no description');
  else if (description.length > MAX_DESCRIPTION)
    problems.push(`its description is longer than ${MAX_DESCRIPTION} characters`);
  if (tools !== undefined && tools !== 'all' && !isNames(tools))
    problems.push('its tools must be "all" or a list of names, e.g. [grep, fs.read_file]');
  if (model !== undefined && (typeof model !== 'string' || model.trim() === ''))
    problems.push('its model must be the name of a model');
  return problems;
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string' && name !== '');
}

function refused(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}
