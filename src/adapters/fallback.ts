// A chain of models: when one fails before it has finished, the next is asked the same. What was streamed so far is
// void then, which `restart` says to the consumer. A cancelled request ends the chain. One that failed is not asked
// again by this adapter, which lives for one turn, unless only this request was too long for it.
import type { Usage } from '../vocabulary/usage.ts';
import { addUsage } from '../vocabulary/usage.ts';
import type { Adapter, AnsweredBy, ModelDescription, ModelEvent, ModelFailure, ModelRequest } from './adapter.ts';
import { type Ending, untilEnding } from './until-ending.ts';

export interface Link {
  adapter: Adapter;
  /** The adapter's own default when absent. */
  model?: string;
  profileId?: string;
}

/** The first link is asked for the request's own model and profile, if it names them; the others know nothing of these. */
export function withFallbacks(chain: readonly [Link, ...Link[]]): Adapter {
  const [{ adapter: first, ...firstDefaults }, ...others] = chain;

  /** By their place in the chain. */
  const out = new Map<number, Failed>();

  const own = ({ model, profileId }: { model?: string; profileId?: string }): Omit<Link, 'adapter'> => ({
    model: model ?? firstDefaults.model,
    profileId: profileId ?? firstDefaults.profileId,
  });

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const failures: Failed[] = [...out.values()];
    let last: ModelFailure | undefined;
    let spent: Usage | undefined;
    for (const [index, link] of [{ adapter: first, ...own(request) }, ...others].entries()) {
      if (out.has(index)) continue;
      const { adapter, model, profileId } = link;
      if (last) yield { type: 'restart', failure: last, waitMs: 0 };
      const asked = { ...request, model, profileId };
      const ending = (yield* untilEnding(adapter.stream(asked, signal))) ?? unended(adapter);
      spent = addUsage(spent, ending.usage);
      if (ending.type === 'finish') {
        const answeredBy = index > 0 ? { answeredBy: await identityOf(adapter, asked) } : {};
        yield { ...answeredBy, ...ending, ...(spent ? { usage: spent } : {}) };
        return;
      }
      last = ending.failure;
      failures.push({ link, failure: last });
      if (last.code === 'cancelled') break;
      if (last.code !== 'context_length') out.set(index, { link, failure: last });
    }
    yield { type: 'failure', failure: conclude(failures), ...(spent ? { usage: spent } : {}) };
  }

  return {
    provider: first.provider,
    route: first.route,
    callsTools: first.callsTools,
    searchesWeb: first.searchesWeb,
    describe: (request, signal) => first.describe(own(request), signal),
    lookUpWindow: async (request, signal) => first.lookUpWindow?.(own(request), signal),
    stream,
  };
}

interface Failed {
  link: Link;
  failure: ModelFailure;
}

function unended({ provider }: Adapter): Ending {
  const message = `The answer of ${provider} ended before it was complete.`;
  return { type: 'failure', failure: { code: 'protocol', message } };
}

async function identityOf(adapter: Adapter, request: ModelRequest): Promise<AnsweredBy> {
  const { provider, route } = adapter;
  const { model, profileId }: ModelDescription = await adapter.describe(request).catch(() => ({}));
  return { provider, route, model, profileId };
}

function conclude(failures: readonly Failed[]): ModelFailure {
  const last = failures.at(-1)?.failure ?? { code: 'protocol', message: 'No model was asked.' };
  if (failures.length < 2 || last.code === 'cancelled') return last;
  const told = failures.map(
    ({ link, failure }) => `${link.adapter.provider}${link.model ? ` ${link.model}` : ''}: ${failure.message}`,
  );
  return { ...last, message: `Every model of the chain failed. ${told.join(' · ')}` };
}
