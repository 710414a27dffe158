// What a service had cached of a request. A request is a list of blocks: tools, system text, messages. Anthropic writes an entry
// where a `cache_control` mark stands and looks for one at each mark and up to 20 blocks before it; OpenAI finds the longest
// beginning that any request had, without marks. Marks are not part of what is compared.
import { createHash } from 'node:crypto';
import { isRecord, type Json } from './json-shape.ts';
import type { Dialect } from './neutral-request.ts';

const LOOK_BACK_BLOCKS = 20;
const LEAST_TOKENS = 1_024;
const OPENAI_STEP = 128;

export interface CountedPrompt {
  /** Tokens, about: a quarter of the bytes. */
  input: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface PromptCache {
  count(dialect: Dialect, body: Json): CountedPrompt;
}

interface Block {
  text: string;
  isMarked: boolean;
}

export function createPromptCache(): PromptCache {
  const written = new Set<string>();
  const prompts: string[] = [];

  function countMarked(blocks: readonly Block[]): CountedPrompt {
    const hashes: string[] = [];
    const sizes: number[] = [];
    for (const { text } of blocks) {
      hashes.push(
        createHash('sha256')
          .update(`${hashes.at(-1) ?? ''}${text}`)
          .digest('hex'),
      );
      sizes.push((sizes.at(-1) ?? 0) + Buffer.byteLength(text));
    }
    const tokensTo = (index: number): number => Math.ceil((sizes[index] ?? 0) / 4);
    const marks = blocks.flatMap(({ isMarked }, index) => (isMarked ? [index] : []));
    if (marks.length > 4)
      throw new Error(`A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`);
    const found = marks.flatMap((mark) => {
      for (let index = mark; index >= Math.max(0, mark - LOOK_BACK_BLOCKS); index -= 1)
        if (written.has(hashes[index] ?? '')) return [index];
      return [];
    });
    const read = found.length > 0 ? tokensTo(Math.max(...found)) : 0;
    const last = marks.at(-1);
    const end = last === undefined ? 0 : tokensTo(last);
    const isCached = end >= LEAST_TOKENS;
    for (const mark of marks) if (tokensTo(mark) >= LEAST_TOKENS) written.add(hashes[mark] ?? '');
    return { input: tokensTo(blocks.length - 1), cacheRead: read, cacheWrite: isCached ? Math.max(0, end - read) : 0 };
  }

  function countPlain(prompt: string): CountedPrompt {
    const shared = Math.max(0, ...prompts.map((earlier) => sharedBytes(earlier, prompt)));
    prompts.push(prompt);
    const cached = Math.floor(shared / 4);
    const cacheRead = cached < LEAST_TOKENS ? 0 : cached - (cached % OPENAI_STEP);
    return { input: Math.ceil(Buffer.byteLength(prompt) / 4), cacheRead, cacheWrite: 0 };
  }

  return {
    count(dialect, body) {
      const blocks = blocksOf(dialect, body);
      return dialect === 'messages' ? countMarked(blocks) : countPlain(blocks.map(({ text }) => text).join('\n'));
    },
  };
}

/** The request as the model reads it: the same text wherever two requests are the same. */
export function promptText(dialect: Dialect, body: Json): string {
  return blocksOf(dialect, body)
    .map(({ text }) => text)
    .join('\n');
}

/** How many bytes at the beginning of both are the same. */
export function sharedBytes(one: string, other: string): number {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  let length = 0;
  while (length < first.length && length < second.length && first[length] === second[length]) length += 1;
  return length;
}

function blocksOf(dialect: Dialect, body: Json): Block[] {
  const tools = listOf(body.tools).map((tool) => blockOf('tool', tool));
  switch (dialect) {
    case 'messages': {
      const system = typeof body.system === 'string' ? [{ type: 'text', text: body.system }] : listOf(body.system);
      const messages = listOf(body.messages).flatMap(({ role, content }) =>
        (typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)).map((block) =>
          blockOf(String(role), block),
        ),
      );
      return [...tools, ...system.map((block) => blockOf('system', block)), ...messages];
    }
    case 'chat':
      return [...tools, ...listOf(body.messages).map((message) => blockOf('message', message))];
    default:
      return [
        ...tools,
        { text: `instructions ${JSON.stringify(body.instructions ?? '')}`, isMarked: false },
        ...listOf(body.input).map((item) => blockOf('item', item)),
      ];
  }
}

function blockOf(kind: string, { cache_control: mark, ...block }: Json): Block {
  return { text: `${kind} ${JSON.stringify(block)}`, isMarked: mark !== undefined };
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
