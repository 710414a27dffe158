// Setting up web_search: the service is asked once before anything is stored. A key of the environment stays there; a typed one is kept
// in a private file of the home.
import { findProvider, PROVIDERS } from '../adapters/providers/all.ts';
import { SEARCH_SERVICES } from '../config/settings.ts';
import { ToolFailure } from '../tools/tool.ts';
import { askService, keyIn } from '../tools/web/search.ts';
import { type SearchServiceName, searchServices } from '../tools/web/search-services.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { storeSettings } from './config.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { listOf, NO_INPUT, objectWith, TEXT, YES_OR_NO } from './schemas.ts';

const SEARCH = {
  service: { enum: SEARCH_SERVICES },
  apiKey: { ...TEXT, description: 'by default the one in the environment, or the one that was typed before' },
  address: {
    ...TEXT,
    description: 'where the service is; searxng needs it. A kept key is sent to its known address alone',
  },
  provider: { ...TEXT, description: 'of the model that searches, for the service `model`; by default the present one' },
} as const;

interface Search {
  service: (typeof SEARCH_SERVICES)[number];
  apiKey?: string;
  address?: string;
  provider?: string;
}

export const findSearch = defineOperation({
  name: 'setup.findSearch',
  class: 'read',
  summary: 'Find which service web_search asks, and which ones it could ask.',
  input: NO_INPUT,
  output: objectWith(
    {
      services: listOf(
        objectWith(
          { service: TEXT, label: TEXT, needsKey: YES_OR_NO, hasKey: YES_OR_NO, needsAddress: YES_OR_NO },
          { keyVariable: TEXT, keyPage: { ...TEXT, description: 'where a person gets a key' } },
        ),
      ),
      searchingProviders: { ...listOf(TEXT), description: 'whose models search by themselves' },
    },
    { service: TEXT, address: TEXT, provider: { ...TEXT, description: 'of the present model, where it searches' } },
  ),
  async run(_input, { runtime }) {
    const { webSearch, webSearchUrl } = await runtime.currentConfig();
    const provider = await presentProvider(runtime);
    const services = await Promise.all(
      Object.entries(searchServices).map(async ([name, { label, address, keyVariable, keyPage }]) => ({
        service: name,
        label,
        needsKey: keyVariable !== undefined,
        hasKey: (await keyOf(name as SearchServiceName, runtime).catch(() => undefined)) !== undefined,
        needsAddress: address === undefined,
        ...(keyVariable !== undefined && { keyVariable }),
        ...(keyPage !== undefined && { keyPage }),
      })),
    );
    const searchingProviders = providersThatSearch();
    return {
      services,
      searchingProviders,
      ...(webSearch !== undefined && { service: webSearch }),
      ...(webSearchUrl !== undefined && { address: webSearchUrl }),
      ...(searchingProviders.includes(provider) && { provider }),
    };
  },
});

export const trySearch = defineOperation({
  name: 'setup.trySearch',
  class: 'read',
  summary: 'Ask a search service something; nothing is stored. The search of a model is not asked, because it costs.',
  input: { type: 'object', properties: SEARCH, required: ['service'], additionalProperties: false },
  output: objectWith({ service: TEXT, results: { type: 'integer' } }),
  run: async (search, context) => ({ service: search.service, results: await tried(search, context) }),
});

export const connectSearch = defineOperation({
  name: 'setup.search',
  class: 'change',
  summary: 'Set up web_search: the service is tried, then stored.',
  input: {
    type: 'object',
    /** `check`: false where it was tried a moment ago. */
    properties: { ...SEARCH, check: { type: 'boolean', default: true } },
    required: ['service'],
    additionalProperties: false,
  },
  output: objectWith({ service: TEXT, configPath: TEXT }, { keyVariable: TEXT }),
  async run({ check, ...search }, context) {
    const { runtime } = context;
    const { service, apiKey, address } = search;
    // The tool takes the key of the environment first, also where one is typed.
    const kept =
      service === 'model' || (apiKey !== undefined && variableWithKey(service, runtime) === undefined)
        ? undefined
        : await keyOf(service, runtime);
    await refuseElsewhere(search, kept, runtime);
    if (check) await tried(search, context);
    if (apiKey !== undefined && service !== 'model') await (await runtime.searchKeys()).store(service, apiKey.trim());
    await storeSettings(runtime, { webSearch: service, webSearchUrl: address });
    const variable = service === 'model' || apiKey !== undefined ? undefined : variableWithKey(service, runtime);
    return {
      service,
      configPath: runtime.configFile.path,
      ...(variable !== undefined && { keyVariable: variable }),
    };
  },
});

type Runtime = OperationContext['runtime'];

/** How many results there were; 0 for a model, which is not asked. */
async function tried(search: Search, { runtime, signal }: OperationContext): Promise<number> {
  const { service, apiKey, address } = search;
  if (service === 'model') {
    checkModel(search.provider ?? (await presentProvider(runtime)));
    return 0;
  }
  const row = searchServices[service];
  const base = address ?? row.address;
  if (base === undefined) throw refused(`${row.label} needs its address, such as http://127.0.0.1:8888`);
  if (!/^https?:\/\/\S+$/.test(base) || !URL.canParse(base))
    throw refused('that is not an address; accepted: http:// or https://');
  const typed = apiKey?.trim();
  const key = typed || (await keyOf(service, runtime));
  if (!typed) await refuseElsewhere(search, key, runtime);
  if (key === undefined) throw refused(`${row.label} needs a key: type it, or put it into ${row.keyVariable}`);
  if (/\s/.test(key)) throw refused('that is not a key: it holds spaces');
  try {
    return (await askService({ query: 'lainclaw', limit: 1 }, { name: service, base, key }, signal)).length;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    throw refused(error.message);
  }
}

/** A key that the call does not hold is sent to the service's own address and to the one that it is used with now, and to no other. */
async function refuseElsewhere({ service, apiKey, address }: Search, kept: string | undefined, runtime: Runtime) {
  if (service === 'model' || address === undefined || !kept || kept === apiKey?.trim()) return;
  const { webSearch, webSearchUrl } = await runtime.currentConfig();
  const { address: own, label } = searchServices[service];
  const known = [own, webSearch === service ? webSearchUrl : undefined];
  if (known.some((each) => each !== undefined && withoutSlash(each) === withoutSlash(address))) return;
  throw refused(`the key of ${label} that is kept here is not sent to another address: type the key for ${address}`);
}

function withoutSlash(address: string): string {
  return (URL.parse(address)?.href ?? address).replace(/\/$/, '');
}

function checkModel(provider: string): void {
  if (providersThatSearch().includes(provider)) return;
  throw refused(
    `the models of ${findProvider(provider)?.label ?? provider} do not search by themselves: choose a service`,
  );
}

function providersThatSearch(): string[] {
  return PROVIDERS.filter(({ webSearch }) => webSearch !== undefined).map(({ name }) => name);
}

async function presentProvider(runtime: Runtime): Promise<string> {
  const { isProviderSet, provider } = await runtime.currentConfig();
  return isProviderSet ? provider : runtime.defaultProvider();
}

async function keyOf(service: SearchServiceName, { configFile, searchKeys }: Runtime): Promise<string | undefined> {
  return keyIn(searchServices[service], configFile.variables) ?? (await searchKeys()).read(service);
}

function variableWithKey(service: SearchServiceName, { configFile: { variables } }: Runtime): string | undefined {
  const { keyVariable } = searchServices[service];
  return keyVariable !== undefined && variables[keyVariable]?.trim() ? keyVariable : undefined;
}

function refused(message: string): CodedError {
  return new CodedError('SEARCH_REFUSED', `${message}. Nothing was stored.`);
}
