// How many tokens a model can take in: the smallest of what the owner allows, what the library knows, what the server says and what
// the service was found to refuse. A server is asked only about a model that the library does not know, once an hour; what it says is
// remembered (`model-limits.ts`), also that it says nothing.
import type { CredentialSource } from './auth/credential.ts';
import type { Endpoint } from './endpoint.ts';
import type { ModelLimits, ModelName } from './model-limits.ts';
import { type ListedModel, readListed } from './models.ts';
import type { WindowQuestion } from './providers/provider.ts';

export interface ContextWindowsOptions {
  limits: ModelLimits;
  credentials: CredentialSource;
  fetch: typeof globalThis.fetch;
  /** The most that the owner allows. */
  most?: number;
}

export interface AskedWindow {
  model: string;
  endpoint: Endpoint;
  /** The library's; 0 when it does not know the model. */
  known: number;
  /** What the server's list said when the model was chosen from it. */
  listed?: number;
  profileId?: string;
  signal?: AbortSignal;
}

export interface ContextWindows {
  /** Undefined when nobody knows it. Never throws. */
  of(asked: AskedWindow): Promise<number | undefined>;
}

/** A request waits for it: a server that needs longer is not worth it. */
const TIMEOUT_MS = 2_000;

export function createContextWindows({ limits, credentials, fetch, most }: ContextWindowsOptions): ContextWindows {
  async function listedBy({ model, endpoint, known, listed, ...asked }: AskedWindow): Promise<number | undefined> {
    if (known > 0 || listed !== undefined) return listed;
    const name = nameOf({ model, endpoint });
    const remembered = await limits.listedWindow(name);
    if (remembered !== undefined) return remembered || undefined;
    const { provider, baseUrl } = endpoint;
    const credential = await credentials.credential(provider.name, { ...asked, baseUrl });
    if (!credential.ok) return undefined;
    const said = await ask(provider.windowQuestion ?? FROM_THE_LIST, { model, baseUrl, key: credential.secret });
    // One that is not loaded has none yet: the next turn asks again.
    if (said !== undefined || !provider.windowQuestion) await limits.rememberListedWindow(name, said ?? 0);
    return said;

    async function ask(
      { path, windowIn }: WindowQuestion,
      { model: id, baseUrl: address, key }: { model: string; baseUrl: string; key?: string },
    ): Promise<number | undefined> {
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      try {
        const response = await fetch(path(address), {
          headers: key ? { authorization: `Bearer ${key}` } : {},
          redirect: 'error',
          signal: asked.signal ? AbortSignal.any([asked.signal, timeout]) : timeout,
        });
        const body: unknown = response.ok ? await response.json() : undefined;
        const tokens = body === undefined ? undefined : windowIn(body, id);
        return typeof tokens === 'number' && tokens > 0 ? tokens : undefined;
      } catch {
        return undefined;
      }
    }
  }

  return {
    async of(asked) {
      const refused = await limits.refusedWindow(nameOf(asked));
      const all = [most, asked.known || undefined, await listedBy(asked), refused];
      const windows = all.filter((each) => each !== undefined);
      return windows.length === 0 ? undefined : Math.min(...windows);
    },
  };
}

const FROM_THE_LIST: WindowQuestion = {
  path: (baseUrl) => `${baseUrl}/models`,
  windowIn(body, model) {
    const { data } = body as { data?: (ListedModel | null)[] };
    return Array.isArray(data)
      ? data.flatMap((entry) => readListed(entry)).find(({ id }) => id === model)?.contextWindow
      : undefined;
  },
};

function nameOf({ model, endpoint }: Pick<AskedWindow, 'model' | 'endpoint'>): ModelName {
  return { provider: endpoint.provider.name, baseUrl: endpoint.baseUrl, model };
}
