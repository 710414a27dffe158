// The conversation of a Messages request. Neighbours with one role count as one message. Every `tool_use` must be
// answered in the very next message, whose first blocks are the results, and a result answers nothing else.
// A system message may only stand right after a user message, and be followed by an assistant message or nothing.
import { isFilled, isRecord, type Json, textOf } from '../json-shape.ts';
import type { NeutralMessage } from '../neutral-request.ts';
import type { RequestContext } from '../request-context.ts';
import { signThinking } from '../seal.ts';

const ID = /^[a-zA-Z0-9_-]+$/;
const BLOCKS: Record<string, string[]> = {
  user: ['text', 'image', 'document', 'search_result', 'tool_result'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
  system: ['text', 'tool_addition', 'tool_removal'],
};
const EFFORT_BETA = 'mid-conversation-output-config';

interface Message {
  role: 'user' | 'assistant' | 'system';
  blocks: Json[];
  index: number;
}

interface Conversation {
  system: string[];
  messages: NeutralMessage[];
}

export function readConversation(list: unknown, context: RequestContext): Conversation {
  const { report } = context;
  if (!Array.isArray(list)) {
    report(list === undefined ? 'messages: Field required' : 'messages: Input should be a valid list');
    return { system: [], messages: [] };
  }
  if (list.length === 0) report('messages: at least one message is required');

  const all = list.flatMap((message: unknown, index) => readMessage(message, index, context));
  checkSystemPlacement(all, context);
  const turns = merge(all.filter(({ role }) => role !== 'system'));
  if (turns[0] && turns[0].role !== 'user') report('messages: first message must use the "user" role');
  if (turns.at(-1)?.role === 'assistant') {
    report('This model does not support assistant message prefill. The conversation must end with a user message.');
  }
  checkCalls(turns, context);
  return {
    system: all.filter(({ role }) => role === 'system').map(({ blocks }) => textOf(blocks)),
    messages: turns.flatMap(neutralMessages),
  };
}

function readMessage(message: unknown, index: number, context: RequestContext): Message[] {
  const { report } = context;
  const role = isRecord(message) ? message.role : undefined;
  if (!isRecord(message) || (role !== 'user' && role !== 'assistant' && role !== 'system')) {
    report(`messages: Unexpected role "${String(role)}". Allowed roles are "user" or "assistant".`);
    return [];
  }
  const { content } = message;
  if (typeof content !== 'string' && !Array.isArray(content)) {
    report(`messages.${index}.content: Field required`);
    return [];
  }
  const blocks =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : content.map((block: unknown) => (isRecord(block) ? block : {}));
  if (blocks.length === 0 && !isEffortOnly(message, context)) {
    report(`messages.${index}: ${role} messages must have non-empty content`);
  }
  blocks.forEach((block, place) => {
    checkBlock(block, role, `messages.${index}.content.${place}`, context);
  });
  return [{ role, blocks, index }];
}

function isEffortOnly(message: Json, { headers }: RequestContext): boolean {
  const betas = String(headers['anthropic-beta'] ?? '');
  return message.role === 'system' && isRecord(message.output_config) && betas.includes(EFFORT_BETA);
}

function checkBlock(block: Json, role: Message['role'], at: string, { report }: RequestContext): void {
  const { type } = block;
  const tags = BLOCKS[role] ?? [];
  if (typeof type !== 'string' || !tags.includes(type)) {
    const expected = tags.map((tag) => `'${tag}'`).join(', ');
    const rule = `does not match any of the expected tags: ${expected}`;
    report(`${at}: Input tag '${String(type)}' found using 'type' ${rule}`);
    return;
  }
  switch (type) {
    case 'text':
      if (typeof block.text !== 'string') report(`${at}.text.text: Field required`);
      else if (block.text === '') report('messages: text content blocks must be non-empty');
      else if (block.text.trim() === '') report('messages: text content blocks must contain non-whitespace text');
      return;
    case 'thinking':
      if (typeof block.signature !== 'string') report(`${at}.thinking.signature: Field required`);
      else if (block.signature !== signThinking(String(block.thinking))) {
        report(`${at}: Invalid \`signature\` in \`thinking\` block`);
      }
      return;
    case 'tool_use':
      checkToolId(block.id, `${at}.tool_use.id`, report);
      if (!isFilled(block.name)) report(`${at}.tool_use.name: Field required`);
      else if (!ID.test(block.name)) report(`${at}.tool_use.name: String should match pattern '${ID.source}'`);
      if (!isRecord(block.input)) report(`${at}.tool_use.input: Input should be a valid dictionary`);
      return;
    case 'tool_result':
      checkToolId(block.tool_use_id, `${at}.tool_result.tool_use_id`, report);
      if (block.is_error === true && textOf(block.content) === '') {
        report(`${at}.tool_result: content cannot be empty if \`is_error\` is true`);
      }
  }
}

function checkToolId(id: unknown, at: string, report: RequestContext['report']): void {
  if (!isFilled(id)) report(`${at}: Field required`);
  else if (!ID.test(id)) report(`${at}: String should match pattern '${ID.source}'`);
}

function checkSystemPlacement(all: Message[], { report }: RequestContext): void {
  all.forEach(({ role, index }, place) => {
    if (role !== 'system') return;
    const before = all[place - 1]?.role;
    const after = all[place + 1]?.role;
    if (before !== undefined && before !== 'assistant' && after !== 'user') return;
    report(`messages.${index}: a system message must follow a user message and precede an assistant message`);
  });
}

function merge(messages: Message[]): Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role === message.role) last.blocks.push(...message.blocks);
    else turns.push({ ...message, blocks: [...message.blocks] });
  }
  return turns;
}

function checkCalls(turns: Message[], { report }: RequestContext): void {
  const known = new Set<unknown>();
  turns.forEach(({ role, blocks, index }, place) => {
    if (role === 'user') {
      checkResults(turns[place - 1], blocks, index, report);
      return;
    }
    for (const { type, id } of blocks) {
      if (type !== 'tool_use') continue;
      if (known.has(id)) report('messages: `tool_use` ids must be unique');
      known.add(id);
    }
    const next = turns[place + 1]?.blocks ?? [];
    const firstOther = next.findIndex(({ type }) => type !== 'tool_result');
    const answered = new Set(
      next.slice(0, firstOther === -1 ? undefined : firstOther).map((block) => block.tool_use_id),
    );
    const missing = blocks.filter(({ type, id }) => type === 'tool_use' && !answered.has(id)).map(({ id }) => id);
    if (missing.length === 0) return;
    const rule = 'Each `tool_use` block must have a corresponding `tool_result` block in the next message.';
    const found = '`tool_use` ids were found without `tool_result` blocks immediately after';
    report(`messages.${index}: ${found}: ${missing.join(', ')}. ${rule}`);
  });
}

function checkResults(
  before: Message | undefined,
  blocks: Json[],
  index: number,
  report: RequestContext['report'],
): void {
  const called = new Set((before?.blocks ?? []).filter(({ type }) => type === 'tool_use').map(({ id }) => id));
  const seen = new Set<unknown>();
  blocks.forEach(({ type, tool_use_id: id }, place) => {
    if (type !== 'tool_result') return;
    if (!called.has(id)) {
      const rule = 'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.';
      const at = `messages.${index}.content.${place}`;
      report(`${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(id)}. ${rule}`);
    }
    if (seen.has(id)) {
      const rule = 'each tool_use must have a single result';
      report(`messages.${index}: ${rule}. Found multiple \`tool_result\` blocks with id: ${String(id)}`);
    }
    seen.add(id);
  });
}

function neutralMessages({ role, blocks }: Message): NeutralMessage[] {
  const text = textOf(blocks.filter(({ type }) => type === 'text'));
  if (role === 'assistant') {
    const toolCalls = blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id: String(id), name: String(name), args: JSON.stringify(input ?? {}) }));
    return [{ role, text, toolCalls }];
  }
  const results = blocks
    .filter(({ type }) => type === 'tool_result')
    .map(
      (block): NeutralMessage => ({
        role: 'tool',
        callId: String(block.tool_use_id),
        text: textOf(block.content),
        isError: block.is_error === true,
      }),
    );
  const saysMore = blocks.some(({ type }) => type !== 'tool_result');
  return saysMore ? [...results, { role: 'user', text }] : results;
}
