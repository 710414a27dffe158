// What the library knows of models: context, price, abilities. One small table per provider, loaded when it is asked
// for; never the catalogue of all of them. A model it does not know still works, with modest assumptions and no price.
import type { Api, Model } from '@earendil-works/pi-ai';
import type { Provider } from '../providers/provider.ts';
import type { ModelTable } from './model-table.ts';

/** Services reached as `openai-compatible` whose models and prices are known all the same. */
const BY_HOST: Record<string, () => Promise<ModelTable>> = {
  'api.deepseek.com': async () => (await import('@earendil-works/pi-ai/providers/deepseek.models')).DEEPSEEK_MODELS,
  'api.moonshot.ai': async () => (await import('@earendil-works/pi-ai/providers/moonshotai.models')).MOONSHOTAI_MODELS,
  'api.moonshot.cn': async () =>
    (await import('@earendil-works/pi-ai/providers/moonshotai-cn.models')).MOONSHOTAI_CN_MODELS,
  'api.groq.com': async () => (await import('@earendil-works/pi-ai/providers/groq.models')).GROQ_MODELS,
  'api.z.ai': async () => (await import('@earendil-works/pi-ai/providers/zai.models')).ZAI_MODELS,
  'openrouter.ai': async () => (await import('@earendil-works/pi-ai/providers/openrouter.models')).OPENROUTER_MODELS,
};

/** A provider at the address where it is asked. */
export interface Place {
  provider: Provider;
  baseUrl: string;
}

/** The models known of a provider at its address, in the library's order; empty when none are. */
export async function knownModels({ provider, baseUrl }: Place): Promise<Model<Api>[]> {
  const load = provider.models ?? BY_HOST[new URL(baseUrl).hostname];
  const table = load ? await load() : {};
  return Object.values(table).map((model) => (model.api === provider.api ? model : spokenAs(provider, model)));
}

export interface FoundModel {
  model: Model<Api>;
  /** Whether its price is known. */
  priced: boolean;
  /** Whether the library knows it at all. */
  known: boolean;
}

export async function findModel(id: string, place: Place): Promise<FoundModel> {
  const known = (await knownModels(place)).find((model) => model.id === id);
  if (!known) return { model: unknownModel(id, place), priced: false, known: false };
  const { provider, baseUrl } = place;
  const model = { ...known, provider: libraryNameOf(provider), baseUrl, compat: plain(known.compat) };
  return { model, priced: isPriced(known), known: true };
}

export function isPriced({ cost }: Model<Api>): boolean {
  return cost.input > 0 || cost.output > 0;
}

/** The library's description of a model under another protocol than the one it is described for. */
function spokenAs({ api, compat }: Provider, model: Model<Api>): Model<Api> {
  const { thinkingLevelMap = {} } = model;
  // The values are the other protocol's words; what is not offered is not offered in any.
  const notOffered = Object.entries(thinkingLevelMap).filter(([, value]) => value === null);
  return {
    ...model,
    api,
    thinkingLevelMap: Object.fromEntries(notOffered),
    compat: api === 'openai-completions' ? { ...PLAIN_CHAT, ...compat } : undefined,
  } as Model<Api>;
}

/** Enough for an answer of an unknown Claude, which must name a limit; the others name none. */
const UNKNOWN_MAX_TOKENS = 16_384;

function unknownModel(id: string, { provider, baseUrl }: Place): Model<Api> {
  return {
    id,
    name: id,
    api: provider.api,
    provider: libraryNameOf(provider),
    baseUrl,
    reasoning: false,
    // If it cannot see, the service says so; the library would leave a picture out in silence.
    input: ['text', 'image'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 0,
    maxTokens: UNKNOWN_MAX_TOKENS,
    compat: provider.api === 'openai-completions' ? { ...PLAIN_CHAT, ...provider.compat } : undefined,
  } as Model<Api>;
}

function libraryNameOf({ name, libraryName }: Provider): string {
  return libraryName ?? name;
}

/** What every server that speaks Chat Completions understands. */
const PLAIN_CHAT = { supportsStore: false, supportsDeveloperRole: false, supportsReasoningEffort: false };

/** Tools and system text never change in the middle of our requests, and another model must not answer unasked. */
function plain(compat: object | undefined): object | undefined {
  if (!compat) return undefined;
  return {
    ...compat,
    supportsMidConvoSystemMessages: false,
    supportsMidConvoToolChanges: false,
    supportsMidConvoEffort: false,
    allowedFallbackModels: undefined,
  };
}
