// The adapter over pi-ai, the same for every provider: find the model and the credential, ask, translate what comes.
// A credential that is refused although it looked fresh is renewed once, before anything has been shown.
import type { Adapter, ModelEvent, ModelFailure, ModelRequest } from '../adapter.ts';
import type { Credential, CredentialSource } from '../auth/credential.ts';
import { cancelled, untilAborted } from '../cancellation.ts';
import { redact } from '../redact.ts';
import { ask, type Reasoning } from './apis.ts';
import { type FoundModel, findModel, type Place } from './catalogue.ts';
import { type Circumstances, failureOf } from './failure.ts';
import { toModelEvents } from './reply.ts';
import { toContext } from './request.ts';
import { createWire } from './wire.ts';

export interface PiAdapterOptions extends Place {
  route: string;
  /** Says how to get a credential that works. */
  signIn: string;
  credentials: CredentialSource;
  /** The model of a request that names none, or why there is none to choose. */
  defaultModel(signal?: AbortSignal): Promise<string | ModelFailure>;
  reasoning: Reasoning;
  fetch: typeof globalThis.fetch;
  now(): number;
}

export function createPiAdapter(options: PiAdapterOptions): Adapter {
  const { provider, route, credentials, defaultModel } = options;

  async function* answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const id = request.model ?? (await defaultModel(signal));
    if (typeof id !== 'string') {
      yield { type: 'failure', failure: id };
      return;
    }
    const found = await findModel(id, options);
    const first = await credentials.credential(provider, { ...asked(request, options), signal });
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
    const second = await credentials.credential(provider, {
      ...asked(request, options),
      signal,
      rejected: first.secret,
    });
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
    { model, priced }: FoundModel,
    credential: Extract<Credential, { ok: true }>,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, Extract<ModelEvent, { type: 'failure' }> | undefined> {
    const { fetch, now, baseUrl, signIn, reasoning } = options;
    const circumstances: Circumstances = {
      provider,
      address: baseUrl,
      model: model.id,
      signIn,
      secrets: credential.secret ? [credential.secret] : [],
    };
    const wire = createWire({
      fetch,
      now,
      key: credential.secret,
      onActivity: () => request.onActivity?.(),
    });
    const events = await ask({
      model,
      reasoning,
      signal,
      context: toContext(request, model),
      accountId: credential.accountId,
      sessionId: request.sessionId,
      fetch: wire.fetch,
    });
    const reply = toModelEvents(events, {
      seen: wire.seen,
      priced,
      usedIds: request.messages.flatMap((message) =>
        message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [],
      ),
      explain: (error) => failureOf(wire.seen, error, circumstances),
    });
    for await (const event of reply) {
      if (event.type === 'failure' && wire.seen.refusal?.status === 401) return event;
      yield event;
    }
    return undefined;
  }

  return {
    provider,
    route,
    callsTools: true,
    async describe({ model, profileId }, signal) {
      const profile = await credentials
        .profileFor(provider, { profileId, baseUrl: options.baseUrl })
        .catch(() => undefined);
      const id = model ?? (await defaultModel(signal));
      if (typeof id !== 'string') return { profileId: profile };
      const { model: found } = await findModel(id, options);
      return { profileId: profile, model: id, contextWindow: found.contextWindow || undefined };
    },
    stream: (request, signal) => guarded(answer, request, signal, options),
  };
}

function asked({ profileId }: ModelRequest, { baseUrl }: PiAdapterOptions): { profileId?: string; baseUrl: string } {
  return { profileId, baseUrl };
}

type Answer = (request: ModelRequest, signal: AbortSignal) => AsyncGenerator<ModelEvent>;

/** Nothing is thrown, cancelling ends it at once, and whoever stops reading closes the connection. */
async function* guarded(
  answer: Answer,
  request: ModelRequest,
  signal: AbortSignal,
  { provider }: PiAdapterOptions,
): AsyncGenerator<ModelEvent> {
  const connection = new AbortController();
  try {
    yield* untilAborted(answer(request, connection.signal), signal);
  } catch (error) {
    connection.abort();
    yield { type: 'failure', failure: signal.aborted ? cancelled() : unforeseen(provider, error) };
  } finally {
    connection.abort();
  }
}

function unforeseen(provider: string, error: unknown): ModelFailure {
  const reason = error instanceof Error ? error.message : String(error);
  return { code: 'protocol', message: `${provider}: the request could not be made (${redact(reason, [])})` };
}
