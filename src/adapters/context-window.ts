// How many tokens a model can take in: the smallest of what the owner allows, what the library knows, what the server says and what
// the service was found to refuse. A server is asked only about a model that the library does not know, once an hour; what it says is
// remembered (`model-limits.ts`), also that it says nothing.
import type { CredentialSource } from './auth/credential.ts';
import type { Endpoint } from './endpoint.ts';
import type { HttpFetch } from './http-fetch.ts';
import type { ModelLimits, ModelName } from './model-limits.ts';
import { type ListedModel, readListed } from './models.ts';
import type { WindowQuestion } from './providers/provider.ts';

export interface ContextWindowsOptions {
  limits: ModelLimits;
  credentials: CredentialSource;
  fetch: HttpFetch;
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
  /** As far as it is known here; `isOpen`: its server was not asked yet. Never throws. */
  known(asked: AskedWindow): Promise<{ contextWindow?: number; isOpen: boolean }>;
  /** Asks the server where nobody else knows. Undefined when it does not say. Never throws. */
  lookUp(asked: AskedWindow): Promise<number | undefined>;
}

/** A request waits for it: a server that needs longer is not worth it. */
const TIMEOUT_MS = 2_000;

export function createContextWindows({ limits, credentials, fetch, most }: ContextWindowsOptions): ContextWindows {
  /** Zero: its server says nothing. */
  async function listedWindow(asked: AskedWindow): Promise<number | undefined> {
    return asked.listed ?? (asked.known > 0 ? 0 : await limits.listedWindow(nameOf(asked)));
  }

  async function askServer({ model, endpoint, profileId, signal }: AskedWindow): Promise<void> {
    const name = nameOf({ model, endpoint });
    const { provider, baseUrl } = endpoint;
    const credential = await credentials.credential(provider.name, { profileId, signal, baseUrl });
    if (!credential.ok) return;
    const { path, windowIn } = provider.windowQuestion ?? FROM_THE_LIST;
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const response = await fetch(path(baseUrl), {
        headers: credential.secret ? { authorization: `Bearer ${credential.secret}` } : {},
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const text = await response.text();
      const said = response.ok ? windowIn(JSON.parse(text), model) : undefined;
      // One that is not loaded has none yet: the next turn asks again.
      if (said !== undefined || !provider.windowQuestion) await limits.rememberListedWindow(name, said ?? 0);
    } catch {
      // It could not be reached, or another program answered.
    }
  }

  const known: ContextWindows['known'] = async (asked) => {
    const listed = await listedWindow(asked);
    const all = [most, asked.known, listed, await limits.refusedWindow(nameOf(asked))];
    const windows = all.filter((each) => each !== undefined && each > 0) as number[];
    const isOpen = listed === undefined;
    return windows.length === 0 ? { isOpen } : { contextWindow: Math.min(...windows), isOpen };
  };

  return {
    known,
    async lookUp(asked) {
      if ((await listedWindow(asked)) === undefined) await askServer(asked);
      return (await known(asked)).contextWindow;
    },
  };
}

const FROM_THE_LIST: WindowQuestion = {
  path: (baseUrl) => `${baseUrl}/models`,
  windowIn(body, model) {
    const { data } = body as { data?: (ListedModel | null)[] };
    const listed = Array.isArray(data) ? data.flatMap(readListed) : [];
    return listed.find(({ id }) => id === model)?.contextWindow;
  },
};

function nameOf({ model, endpoint }: Pick<AskedWindow, 'model' | 'endpoint'>): ModelName {
  return { provider: endpoint.provider.name, baseUrl: endpoint.baseUrl, model };
}
