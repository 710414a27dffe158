// A request of the API as a turn, with our tools and what is remembered. By default the conversation is the client's and nothing of the
// turn is kept; with a session it is ours, and the client's last message is what is asked.

import type { ModelMessage } from '../../adapters/adapter.ts';
import type { AskRequest } from '../../gateway/gateway.ts';
import type { TurnItem } from '../../gateway/turns/event-log.ts';
import { newId } from '../../lib/new-id.ts';
import type { AskResult, RunEvent } from '../../pipeline/events.ts';
import { askedCaps, askedProvider, turnSources } from '../../runtime/asked-turn.ts';
import type { ConsoleContext } from '../context.ts';
import { ApiError, turnError } from './api-error.ts';
import type { ApiRequest } from './api-request.ts';

/** The name of whatever model the owner uses. */
export const OWN_MODEL = 'lainclaw';
const MAX_STEPS = 25;

export type ApiPiece = { type: 'text' | 'thinking'; text: string };

export interface ApiAnswer {
  text: string;
  calls: readonly { id: string; name: string; args: object }[];
  usage: { input: number; output: number; cached: number };
  /** It ended before the model was done. */
  isCut: boolean;
}

export interface ApiTurn {
  model: string;
  /** Throws ApiError when the turn has no answer. */
  pieces: AsyncGenerator<ApiPiece, ApiAnswer>;
}

export async function startApiTurn(
  context: ConsoleContext,
  request: ApiRequest,
  { session, key, signal }: { session: string | undefined; key: string; signal: AbortSignal },
): Promise<ApiTurn> {
  const { runtime, workspaceFor, log } = context;
  const workspace = await workspaceFor(session);
  const model = await chosenModel(context, request.model);
  const turnId = newId('turn');
  const sessionKey = session ?? newId('api');
  const question = questionIn(request.messages);
  const { ask } = await workspace.gateway();
  const asked: AskRequest = {
    ...model,
    turnId,
    input: question.text || '(a picture)',
    attachments:
      session === undefined
        ? []
        : (question.images ?? []).map((image, index) => ({
            kind: 'image' as const,
            name: `picture-${index + 1}`,
            ...image,
          })),
    sessionKey,
    newSession: false,
    ...(session === undefined && { unlisted: true, memory: false, history: request.messages }),
    ...(request.system !== '' && { instructions: request.system }),
    callerTools: request.tools,
    effort: request.effort,
    withTools: true,
    toolMaxSteps: MAX_STEPS,
    // Nobody can be asked: what would need it is as it is for scheduled jobs.
    mode: context.unattendedMode(),
    caps: askedCaps({}, await runtime.currentConfig()),
  };
  const events = await ask(asked, signal);
  return { model: request.model, pieces: pieces(events) };

  /** Whatever becomes of the reader: nothing of a turn without a session is kept once the turn has ended. */
  async function* pieces(of: AsyncIterable<RunEvent>): AsyncGenerator<ApiPiece, ApiAnswer> {
    let result: AskResult | undefined;
    try {
      return yield* piecesOf(of, (ended) => {
        result = ended;
        logEnd(ended);
      });
    } finally {
      if (session === undefined) await dropTurn(result?.sessionId);
    }
  }

  /** An unlisted session that nobody continues: only the log says that it was. */
  async function dropTurn(known: string | undefined): Promise<void> {
    if (known === undefined) runtime.hub.stop(turnId);
    const sessionId = known ?? (await endOf(runtime.hub.read(turnId)))?.sessionId;
    if (sessionId) await runtime.dropSession(sessionId);
  }

  function logEnd({ stage, usage }: AskResult): void {
    log({
      level: 'info',
      event: 'api-turn',
      message: `${key}: ${stage}`,
      key,
      stage,
      ...(session !== undefined && { session }),
      ...(usage && { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens }),
    });
  }
}

async function endOf(items: AsyncIterable<TurnItem>): Promise<AskResult | undefined> {
  for await (const item of items) if (item.kind === 'event' && item.event.type === 'run-end') return item.event.result;
  return undefined;
}

async function* piecesOf(
  events: AsyncIterable<RunEvent>,
  onEnd: (result: AskResult) => void,
): AsyncGenerator<ApiPiece, ApiAnswer> {
  let text = '';
  let isAfterTool = false;
  let result: AskResult | undefined;
  for await (const event of events) {
    if (event.type === 'thinking-delta') yield { type: 'thinking', text: event.text };
    // What was said before a tool, or before the model was asked again, is a paragraph of its own.
    if (event.type === 'tool-end' || event.type === 'text-restart') isAfterTool = text !== '';
    if (event.type === 'text-delta') {
      const piece = isAfterTool ? `\n\n${event.text}` : event.text;
      isAfterTool = false;
      text += piece;
      yield { type: 'text', text: piece };
    }
    if (event.type === 'run-end') result = event.result;
  }
  if (!result) throw new ApiError(500, 'internal', 'the turn ended without a result');
  onEnd(result);
  if (!result.success) throw turnError(result.error);
  const { usage, callerCalls = [], stage } = result;
  // Nothing was said: the result says why.
  if (text === '' && callerCalls.length === 0 && result.result !== '') {
    text = result.result;
    yield { type: 'text', text };
  }
  return {
    text,
    calls: callerCalls,
    usage: { input: usage?.inputTokens ?? 0, output: usage?.outputTokens ?? 0, cached: usage?.cachedTokens ?? 0 },
    isCut: stage === 'tool-limit' || stage === 'stopped',
  };
}

async function chosenModel({ runtime, workspaceFor }: ConsoleContext, named: string): ReturnType<typeof askedProvider> {
  const workspace = await workspaceFor(undefined);
  const config = await runtime.currentConfig();
  const defaultProvider = async (): Promise<string> =>
    config.isProviderSet ? config.provider : runtime.defaultProvider();
  const model = named === OWN_MODEL ? undefined : named;
  return askedProvider({ model }, turnSources({ ...runtime, config, defaultProvider }, workspace));
}

function questionIn(messages: readonly ModelMessage[]): Extract<ModelMessage, { role: 'user' }> {
  const last = messages.at(-1);
  if (last?.role === 'tool') {
    // In a stored session the client's results are part of the text: the session has no call that they belong to.
    const results = messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1);
    const texts = results.flatMap((each) =>
      each.role === 'tool' ? [`Result of ${each.toolName}:\n${each.text}`] : [],
    );
    return { role: 'user', text: texts.join('\n\n') };
  }
  const question = messages.findLast(({ role }) => role === 'user');
  return question?.role === 'user' ? question : { role: 'user', text: '' };
}
