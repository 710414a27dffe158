// Reads the front matter of a Markdown file: the YAML between two lines ---. The file may be hostile: nothing here throws, loops
// over more than the given bytes or expands anything. Aliases are refused and tags are ignored.

/** Longer front matter is refused. */
export const FRONT_MATTER_BYTES = 8_192;

const MAX_NESTING = 16;

type Refused = { ok: false; reason: string };

export type FrontMatterBlock = {
  ok: true;
  value: unknown /** Where the text after it begins, in bytes. */;
  end: number;
};

/**
 * `bytes`: the beginning of the file; only the first FRONT_MATTER_BYTES are read.
 * `plainKeys`: keys whose value is taken as text when it is not valid YAML.
 */
export async function parseFrontMatter(
  bytes: Uint8Array,
  plainKeys: readonly string[],
): Promise<FrontMatterBlock | Refused> {
  const block = cutBlock(Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, FRONT_MATTER_BYTES)));
  if (!block.ok) return block;
  const parsed = await parseYaml(block.text, plainKeys);
  return parsed.ok ? { ...parsed, end: block.end } : parsed;
}

type Block = { ok: true; text: string; end: number } | Refused;

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
  const end = start + from + closing.index + closing[0].length;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(block);
    return text.includes('\0') ? refused('its front matter holds a NUL character') : { ok: true, text, end };
  } catch {
    return refused('its front matter is not valid UTF-8');
  }
}

async function parseYaml(text: string, plainKeys: readonly string[]): Promise<{ ok: true; value: unknown } | Refused> {
  // Deep nesting would only exhaust the parser's stack; no file needs it.
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
  // "description: Use when: …" is not valid YAML, and the most common mistake: take the rest of the line as text.
  const quoted = parse(quotePlainValues(text, plainKeys));
  if ('value' in quoted) return { ok: true, value: quoted.value };
  return refused(`its front matter is not valid YAML: ${oneLine(strict.error).slice(0, 200)}`);
}

function quotePlainValues(text: string, keys: readonly string[]): string {
  return text.replace(/^([\w-]+):[ \t]+([^\s"'|>[{&*!].*?)[ \t]*\r?$/gm, (line, key: string, value: string) =>
    keys.includes(key) ? `${key}: ${JSON.stringify(value)}` : line,
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

function refused(reason: string): Refused {
  return { ok: false, reason };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
