// Reads the front matter of a SKILL.md. The bytes come from anyone: nothing here throws, loops over more than the given
// bytes or expands anything. Aliases are refused, tags mean nothing, and only plain values are taken over.
import { nameProblem, type SkillFacts } from './skill.ts';

/** Front matter that has not ended here is refused. */
export const FRONT_MATTER_BYTES = 8_192;

const MAX_DESCRIPTION = 1_024;
const MAX_COMPATIBILITY = 500;
const MAX_NESTING = 16;

export type FrontMatter = { ok: true; facts: SkillFacts } | { ok: false; reason: string };

/** `bytes`: the beginning of the file; more than FRONT_MATTER_BYTES of it are not looked at. */
export async function readFrontMatter(bytes: Uint8Array): Promise<FrontMatter> {
  const block = cutBlock(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, FRONT_MATTER_BYTES)));
  if (!block.ok) return block;
  const parsed = await parseYaml(block.text);
  return parsed.ok ? checkFacts(parsed.value) : parsed;
}

type Block = { ok: true; text: string } | { ok: false; reason: string };

function cutBlock(bytes: Buffer): Block {
  const start = bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
  // latin1 keeps one character a byte, so positions found in it are positions of bytes.
  const spelled = bytes.subarray(start).toString('latin1');
  const opening = /^---[ \t]*\r?\n/.exec(spelled);
  if (!opening) return refused('it does not begin with front matter: its first line must be ---');
  const from = opening[0].length;
  const closing = /^---[ \t]*\r?$/m.exec(spelled.slice(from));
  if (!closing)
    return refused(`its front matter does not end with a line --- within the first ${FRONT_MATTER_BYTES} bytes`);
  const block = bytes.subarray(start + from, start + from + closing.index);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(block);
    return text.includes('\0') ? refused('its front matter holds a NUL character') : { ok: true, text };
  } catch {
    return refused('its front matter is not valid UTF-8');
  }
}

async function parseYaml(text: string): Promise<{ ok: true; value: unknown } | { ok: false; reason: string }> {
  // Deep nesting would only exhaust the parser's stack; no skill needs it.
  if (depthOf(text) > MAX_NESTING) return refused('its front matter is nested too deeply');
  const { parseDocument } = await import('yaml');
  const parse = (source: string): { value: unknown } | { error: string } => {
    try {
      const document = parseDocument(source, { schema: 'core', merge: false, logLevel: 'silent', prettyErrors: false });
      const [error] = document.errors;
      return error ? { error: error.message } : { value: document.toJS({ maxAliasCount: 0 }) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  };
  const strict = parse(text);
  if ('value' in strict) return { ok: true, value: strict.value };
  // "description: Use when: …" is no YAML, and the slip most often made: take the rest of the line as text.
  const quoted = parse(quotePlainValues(text));
  if ('value' in quoted) return { ok: true, value: quoted.value };
  return refused(`its front matter is not valid YAML: ${oneLine(strict.error).slice(0, 200)}`);
}

function quotePlainValues(text: string): string {
  return text.replace(
    /^(name|description|license|compatibility):[ \t]+([^\s"'|>[{&*!].*?)[ \t]*\r?$/gm,
    (_, key: string, value: string) => `${key}: ${JSON.stringify(value)}`,
  );
}

function depthOf(text: string): number {
  let flow = 0;
  let deepest = 0;
  for (const character of text) {
    if (character === '[' || character === '{') flow += 1;
    if (character === ']' || character === '}') flow -= 1;
    deepest = Math.max(deepest, flow);
  }
  // Block style needs a line and more indentation for each level, except for "- - - x".
  for (const [dashes] of text.matchAll(/(?:[-?:][ \t]+){4,}/g)) {
    deepest = Math.max(deepest, dashes.replace(/[ \t]/g, '').length);
  }
  return deepest;
}

function checkFacts(value: unknown): FrontMatter {
  if (!isRecord(value)) return refused('its front matter is not a list of "key: value" lines');
  const { name, description, license, compatibility, metadata } = value;
  const allowed = value['allowed-tools'];
  if (typeof name !== 'string')
    return refused(name == null ? 'its front matter has no name' : 'its name is not a text');
  const problem = nameProblem(name);
  if (problem) return refused(problem);
  if (description == null) return refused('its front matter has no description');
  if (typeof description !== 'string') return refused('its description is not a text');
  const described = oneLine(description);
  const length = [...described].length;
  if (length < 1 || length > MAX_DESCRIPTION)
    return refused(`its description must have 1 to ${MAX_DESCRIPTION} characters, it has ${length}`);
  const facts: SkillFacts = { name, description: described };
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
