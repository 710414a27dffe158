// Reads the front matter of a SKILL.md. Anybody may have written it, so only plain values are used.
import { parseFrontMatter } from '../lib/front-matter.ts';
import { givenNameProblem, normalName } from '../lib/given-name.ts';
import type { SkillFacts } from './skill.ts';

const MAX_DESCRIPTION = 1_024;
const MAX_COMPATIBILITY = 500;
const PLAIN_KEYS = ['name', 'description', 'license', 'compatibility'];

export type FrontMatter = { ok: true; facts: SkillFacts } | { ok: false; reason: string };

export async function readFrontMatter(bytes: Uint8Array): Promise<FrontMatter> {
  const parsed = await parseFrontMatter(bytes, PLAIN_KEYS);
  return parsed.ok ? checkFacts(parsed.value) : parsed;
}

function checkFacts(value: unknown): FrontMatter {
  if (!isRecord(value)) return refused('its front matter is not a list of "key: value" lines');
  const { name, description, license, compatibility, metadata } = value;
  const allowed = value['allowed-tools'];
  if (typeof name !== 'string')
    return refused(name == null ? 'its front matter has no name' : 'its name is not a text');
  const problem = givenNameProblem(name);
  if (problem) return refused(problem);
  if (description == null) return refused('its front matter has no description');
  if (typeof description !== 'string') return refused('its description is not a text');
  const described = oneLine(description);
  const length = [...described].length;
  if (length < 1 || length > MAX_DESCRIPTION)
    return refused(`its description must have 1 to ${MAX_DESCRIPTION} characters, it has ${length}`);
  const facts: SkillFacts = { name: normalName(name), description: described };
  if (license != null) {
    if (!isScalar(license)) return refused('its license is not a text');
    facts.license = oneLine(String(license));
  }
  if (compatibility != null) {
    const words = isScalar(compatibility) ? oneLine(String(compatibility)) : '';
    if (words === '' || [...words].length > MAX_COMPATIBILITY)
      return refused(`its compatibility must be a text of 1 to ${MAX_COMPATIBILITY} characters`);
    facts.compatibility = words;
  }
  if (metadata != null) {
    if (!isRecord(metadata)) return refused('its metadata is not a list of "key: value" lines');
    facts.metadata = Object.fromEntries(
      Object.entries(metadata).map(([key, entry]) => [
        key,
        oneLine(isScalar(entry) ? String(entry) : (JSON.stringify(entry) ?? '')),
      ]),
    );
  }
  if (allowed != null) {
    const tools = Array.isArray(allowed)
      ? allowed
      : typeof allowed === 'string'
        ? allowed.split(/[\s,]+(?![^(]*\))/)
        : undefined;
    if (!tools?.every((tool) => typeof tool === 'string')) return refused('its allowed-tools is not a text');
    facts.allowedTools = tools.filter((tool) => tool !== '');
  }
  return { ok: true, facts };
}

function refused(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
