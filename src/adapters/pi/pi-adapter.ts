// The adapter over pi-ai, the same for every provider: find the address, the model and the credential, ask, translate
// what comes. A credential that is refused although it looked fresh is renewed once, before anything has been shown.
import type { Effort } from '../../config/effort.ts';
import { redact } from '../../lib/redact.ts';
import type { Adapter, ModelEvent, ModelFailure, ModelMessage, ModelRequest } from '../adapter.ts';
import type { Credential, CredentialSource } from '../auth/credential.ts';
import { cancelled, untilAborted } from '../cancellation.ts';
import type { ContextWindows } from '../context-window.ts';
import type { Endpoint, FoundEndpoint } from '../endpoint.ts';
import { type HttpPartsFetch, httpFetch } from '../http-fetch.ts';
import type { Ability, ModelLimits } from '../model-limits.ts';
import { type Provider, routeOf, signInAdvice } from '../providers/provider.ts';
import { askWithinLimits } from '../within-limits.ts';
import { ask } from './apis.ts';
import { type FoundModel, findModel } from './catalogue.ts';
import { createEarlierMessages } from './earlier-messages.ts';
import { type Circumstances, failureOf, type LibraryError } from './failure.ts';
import { echoOf, withEcho } from './native.ts';
import { toModelEvents } from './reply.ts';
import { toContext } from './request.ts';
import { createSearch } from './web-search.ts';
import { createWire } from './wire.ts';

export interface PiAdapterOptions {
  provider: Provider;
  /** Where it is, for this profile. Never throws. */
  endpoint(profileId: string | undefined): Promise<FoundEndpoint>;
  credentials: CredentialSource;
  /** The model of a request that names none, or why there is none to choose. */
  defaultModel(endpoint: Endpoint, signal?: AbortSignal): Promise<DefaultModel | ModelFailure>;
  limits: ModelLimits;
  windows: ContextWindows;
  /** Of a request that names none. */
  effort?: Effort;
  fetch: typeof globalThis.fetch;
  /** For the protocols that need no `Response`. */
  http?: HttpPartsFetch;
  now(): number;
}

export interface DefaultModel {
  id: string;
  /** What its server says that it lacks. */
  lacks?: readonly Ability[];
  /** What its server says that it takes in. */
  contextWindow?: number;
}

export function createPiAdapter(options: PiAdapterOptions): Adapter {
  const { provider, credentials, limits } = options;
  const echoes = provider.createEchoes?.();
  // What is echoed is added to the whole conversation.
  const earlier = echoes ? undefined : createEarlierMessages();
  const told = new Set<string>();

  async function* answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const endpoint = await options.endpoint(request.profileId);
    const chosen = endpoint.ok ? await chooseModel(request.model, endpoint, signal) : endpoint.failure;
    if (!endpoint.ok || 'code' in chosen) {
      yield { type: 'failure', failure: endpoint.ok ? (chosen as ModelFailure) : endpoint.failure };
      return;
    }
    const found = await findModel(chosen.id, endpoint);
    if (request.webSearch && !provider.webSearch) {
      yield { type: 'failure', failure: noSearch(provider) };
      return;
    }
    const effort = request.effort ?? options.effort;
    yield* askWithinLimits(
      { ...request, effort },
      {
        limits,
        name: { provider: provider.name, baseUrl: endpoint.baseUrl, model: chosen.id },
        listed: [...(chosen.lacks ?? []), ...(found.model.input.includes('image') ? [] : (['pictures'] as const))],
        isWindowKnown: found.model.contextWindow > 0 || chosen.contextWindow !== undefined,
        told,
        ask: (limited) => answerWith(limited, found, endpoint, signal),
      },
    );
  }

  async function chooseModel(
    named: string | undefined,
    endpoint: Endpoint,
    signal?: AbortSignal,
  ): Promise<DefaultModel | ModelFailure> {
    return named === undefined ? options.defaultModel(endpoint, signal) : { id: named };
  }

  async function* answerWith(
    request: ModelRequest,
    found: FoundModel,
    { baseUrl }: Endpoint,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    const asked = { profileId: request.profileId, baseUrl, signal };
    const first = await credentials.credential(provider.name, asked);
    if (!first.ok) {
      yield { type: 'failure', failure: first.failure };
      return;
    }
    const rejected = yield* attempt(request, found, first, signal);
    if (!rejected) return;
    if (first.kind !== 'oauth') {
      yield rejected;
      return;
    }
    const second = await credentials.credential(provider.name, { ...asked, rejected: first.secret });
    if (!second.ok) {
      yield { type: 'failure', failure: second.failure };
      return;
    }
    const again = yield* attempt(request, found, second, signal);
    if (again) yield again;
  }

  /** Returns, rather than yields, a failure that says the credential was not accepted. */
  async function* attempt(
    request: ModelRequest,
    { model, priced, known }: FoundModel,
    credential: Extract<Credential, { ok: true }>,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, Extract<ModelEvent, { type: 'failure' }> | undefined> {
    const { fetch, http = httpFetch, now } = options;
    const circumstances: Circumstances = {
      provider: provider.name,
      address: model.baseUrl,
      model: model.id,
      signIn: signInAdvice(provider, model.baseUrl),
      secrets: credential.secret ? [credential.secret] : [],
    };
    const search =
      request.webSearch && provider.webSearch ? createSearch(provider.webSearch, request.webSearch) : undefined;
    const wire = createWire({
      fetch,
      http,
      now,
      key: credential.secret,
      onActivity: () => request.onActivity?.(),
      onEvent: search?.note ?? echoes?.note,
    });
    const explain = (error: LibraryError): ModelFailure => failureOf(wire.seen, error, circumstances);
    if (search?.kind === 'google-search') {
      const { searchWithGoogle } = await import('./google-search.ts');
      const { take } = search;
      for await (const event of searchWithGoogle({
        request,
        model,
        priced,
        fetch: wire.fetch,
        take,
        signal,
        explain,
      })) {
        if (event.type === 'failure' && wire.seen.refusal?.status === 401) return event;
        yield event;
      }
      return undefined;
    }
    const wanted = request.effort;
    if (echoes)
      for (const message of request.messages) if (message.role === 'assistant') echoes.restore(echoOf(message.native));
    // An unknown model may be able to think: its server says so when it cannot.
    const asked = known || !wanted || wanted === 'off' ? model : thinkingModel(model);
    const continuation = earlier?.begin(request, asked);
    const messages = continuation?.rest ?? request.messages;
    const events = await ask({
      model: asked,
      effort: wanted ?? provider.effort ?? 'off',
      echoes,
      continuation,
      signal,
      context: toContext({ ...request, messages }, model),
      accountId: credential.accountId,
      sessionId: request.sessionId,
      turnNote: request.turnNote,
      addTo: search?.offerIn,
      fetch: wire.fetch,
    });
    const reply = toModelEvents(events, {
      seen: wire.seen,
      priced,
      usedIds: callIdsIn(request.messages),
      explain,
    });
    const callIds: string[] = [];
    for await (const event of reply) {
      if (event.type === 'failure' && wire.seen.refusal?.status === 401) return event;
      if (event.type === 'tool-call') callIds.push(event.call.id);
      if (event.type === 'finish' && search) {
        const problem = search.problem();
        if (problem !== undefined) {
          yield { type: 'failure', failure: failedSearch(provider, problem), usage: event.usage };
          return undefined;
        }
        yield { type: 'sources', sources: search.sources() };
      }
      const isEchoed = event.type === 'finish' && event.native !== undefined && echoes;
      yield isEchoed ? { ...event, native: withEcho(event.native, echoes.kept(callIds)) } : event;
    }
    return undefined;
  }

  return {
    provider: provider.name,
    route: routeOf(provider),
    callsTools: true,
    searchesWeb: provider.webSearch !== undefined,
    async describe({ model, profileId }, signal) {
      const endpoint = await options.endpoint(profileId);
      if (!endpoint.ok) return {};
      const profile = await credentials
        .profileFor(provider.name, { profileId, baseUrl: endpoint.baseUrl })
        .catch(() => undefined);
      const chosen = await chooseModel(model, endpoint, signal);
      if ('code' in chosen) return { profileId: profile };
      const { model: found } = await findModel(chosen.id, endpoint);
      const { id, contextWindow: listed } = chosen;
      const asked = { model: id, endpoint, known: found.contextWindow, listed };
      const { contextWindow, isOpen } = await options.windows.known(asked);
      return { profileId: profile, model: id, contextWindow, ...(isOpen && { isWindowOpen: true }) };
    },
    async lookUpWindow({ model, profileId }, signal) {
      const endpoint = await options.endpoint(profileId);
      // A model that was chosen from the server's list is known from there.
      if (!endpoint.ok || model === undefined) return undefined;
      const { model: found } = await findModel(model, endpoint);
      return options.windows.lookUp({ model, endpoint, known: found.contextWindow, profileId, signal });
    },
    stream: (request, signal) => guarded(answer, request, signal, provider.name),
  };
}

function noSearch({ label }: Provider): ModelFailure {
  const message = `${label} has no search of the web that can be used here. Set "webSearch" in config.json to another service.`;
  return { code: 'refused', message, isFinal: true };
}

function failedSearch({ label }: Provider, problem: string): ModelFailure {
  const isLater = problem === 'too_many_requests' || problem === 'unavailable';
  return { code: isLater ? 'overloaded' : 'refused', message: `The search of ${label} failed: ${problem}.` };
}

function thinkingModel(model: FoundModel['model']): FoundModel['model'] {
  return { ...model, reasoning: true, compat: { ...model.compat, supportsReasoningEffort: true } } as typeof model;
}

function* callIdsIn(messages: readonly ModelMessage[]): Generator<string> {
  for (const message of messages) if (message.role === 'assistant') for (const { id } of message.toolCalls) yield id;
}

type Answer = (request: ModelRequest, signal: AbortSignal) => AsyncGenerator<ModelEvent>;

/** Nothing is thrown, cancelling ends it at once, and a reader that stops closes the connection. */
async function* guarded(
  answer: Answer,
  request: ModelRequest,
  signal: AbortSignal,
  provider: string,
): AsyncGenerator<ModelEvent> {
  const connection = new AbortController();
  // The answer was read to its end: there is nothing to close, and the connection can be used again.
  let isFinished = false;
  try {
    for await (const event of untilAborted(answer(request, connection.signal), signal)) {
      isFinished = event.type === 'finish';
      yield event;
    }
  } catch (error) {
    connection.abort();
    yield { type: 'failure', failure: signal.aborted ? cancelled() : unforeseen(provider, error) };
  } finally {
    if (!isFinished) connection.abort();
  }
}

function unforeseen(provider: string, error: unknown): ModelFailure {
  const reason = error instanceof Error ? error.message : String(error);
  return { code: 'protocol', message: `${provider}: the request could not be made (${redact(reason, [])})` };
}
