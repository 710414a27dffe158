// Asks a model for what it can do. One that refuses tools, an effort or pictures is asked again without; that is remembered, and
// told in one line, once a process. How much it takes in, where it finds a request too long, is remembered too.
import type { ModelEvent, ModelFailure, ModelMessage, ModelRequest } from './adapter.ts';
import { ABILITIES, type Ability, type ModelLimits, type ModelName } from './model-limits.ts';
import { sizeOf } from './request-size.ts';
import { type Ending, untilEnding } from './until-ending.ts';

export interface WithinLimitsOptions {
  limits: ModelLimits;
  name: ModelName;
  /** What the server itself says that the model lacks. */
  listed: readonly Ability[];
  /** Somebody says how much the model takes in. */
  isWindowKnown: boolean;
  /** Missing abilities that this process has mentioned already, by model. */
  told: Set<string>;
  ask(request: ModelRequest): AsyncIterable<ModelEvent>;
}

export async function* askWithinLimits(
  request: ModelRequest,
  { limits, name, listed, isWindowKnown, told, ask }: WithinLimitsOptions,
): AsyncGenerator<ModelEvent> {
  const lacked = new Set([...listed, ...(await limits.lackedBy(name))]);
  for (const ability of lacked) if (isWanted(request, ability)) yield* notice(name, ability, told);
  let ending: Ending | undefined;
  for (let attempt = 0; attempt <= ABILITIES.length; attempt += 1) {
    const asked = without(request, lacked);
    ending = yield* untilEnding(ask(asked));
    const refused = ending?.type === 'failure' ? ending.failure.lacks : undefined;
    if (!refused || !isWanted(asked, refused)) break;
    lacked.add(refused);
    await limits.remember(name, refused);
    yield* notice(name, refused, told);
  }
  const window = ending?.type === 'failure' ? refusedWindow(ending.failure, request, isWindowKnown) : undefined;
  if (window !== undefined) await limits.rememberRefusedWindow(name, window);
  if (ending) yield ending;
}

/** Of a window that nobody knows, a refusal without a number still says that it is smaller than the request. */
const GUESSED_SHARE = 0.75;
const LEAST_GUESSED = 4_000;

function refusedWindow(
  { code, contextWindow }: ModelFailure,
  request: ModelRequest,
  isWindowKnown: boolean,
): number | undefined {
  if (code !== 'context_length' || contextWindow !== undefined || isWindowKnown) return contextWindow;
  // What pictures count is anybody's guess.
  if (request.messages.some((message) => message.role !== 'assistant' && message.images)) return undefined;
  return Math.max(LEAST_GUESSED, Math.floor(sizeOf(request, request.messages) * GUESSED_SHARE));
}

function isWanted({ tools, effort, messages }: ModelRequest, ability: Ability): boolean {
  switch (ability) {
    case 'tools':
      return tools.length > 0;
    case 'effort':
      return effort !== undefined && effort !== 'off';
    case 'pictures':
      return messages.some((message) => message.role !== 'assistant' && (message.images?.length ?? 0) > 0);
  }
}

function without(request: ModelRequest, lacked: ReadonlySet<Ability>): ModelRequest {
  const seen = lacked.has('pictures') ? request.messages.map(withoutPictures) : request.messages;
  return {
    ...request,
    messages: lacked.has('tools') ? seen.map(withoutCalls) : seen,
    ...(lacked.has('tools') && { tools: [] }),
    ...(lacked.has('effort') && { effort: undefined }),
  };
}

/** In their place the text says that they are not there: a model that is not told makes something up. */
function withoutPictures(message: ModelMessage): ModelMessage {
  if (message.role === 'assistant' || !message.images?.length) return message;
  const { images, ...rest } = message;
  const note =
    images.length === 1
      ? '[1 picture is not shown: this model cannot see]'
      : `[${images.length} pictures are not shown: this model cannot see]`;
  return { ...rest, text: [message.text, note].filter((line) => line !== '').join('\n') };
}

/** Calls made earlier in the conversation, by another model or by hand, as text: a model without tools accepts no others. */
function withoutCalls(message: ModelMessage): ModelMessage {
  switch (message.role) {
    case 'user':
      return message;
    case 'assistant': {
      if (message.toolCalls.length === 0) return message;
      const calls = message.toolCalls.map(({ name, args }) => `[called ${name} ${JSON.stringify(args)}]`);
      return { role: 'assistant', text: [message.text, ...calls].filter(Boolean).join('\n'), toolCalls: [] };
    }
    case 'tool':
      return { role: 'user', text: `[result of ${message.toolName}]\n${message.text}` };
  }
}

function* notice({ provider, baseUrl, model }: ModelName, ability: Ability, told: Set<string>): Generator<ModelEvent> {
  const key = `${provider} ${baseUrl} ${model} ${ability}`;
  if (told.has(key)) return;
  told.add(key);
  const text = {
    tools: `${model} of ${provider} cannot call tools: it is asked without them`,
    effort: `${model} of ${provider} has no effort setting: it is asked without one`,
    pictures: `${model} of ${provider} cannot see pictures: it is asked without them`,
  }[ability];
  yield { type: 'notice', text };
}
