// Setting up: what there is to connect, trying a model with a real request, and storing what answered. Nothing is stored
// before it was tried; what is stored is one write of the sign-in and one of config.json.

import { AuthError } from '../adapters/auth/auth-error.ts';
import { codexFileOf } from '../adapters/auth/codex-file.ts';
import { isUsableKey, keyForHeader } from '../adapters/auth/keys.ts';
import { readBaseUrl } from '../adapters/base-url.ts';
import { firstToChatWith } from '../adapters/models.ts';
import { PROVIDERS } from '../adapters/providers/all.ts';
import { baseUrlVariableOf, keyInEnvironment, type Provider } from '../adapters/providers/provider.ts';
import { CHANNEL_NAMES } from '../channels/channel-table.ts';
import { type FileSettings, LANGUAGES } from '../config/settings.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { getSetting, storeSettings } from './config.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { listOf, NO_INPUT, objectWith, TEXT, YES_OR_NO } from './schemas.ts';
import { REUSABLE_PROGRAMS, type ReusableProgram, reusedAccess, storeReused } from './setup-reuse.ts';
import { CONNECTIONS, findConnections, knownProvider, refusal } from './sign-in.ts';

/** Model calls in one turn, for `ask` too: with three, hardly any task comes to its end. */
export const SETUP_MAX_STEPS = 25;

export const detectSetup = defineOperation({
  name: 'setup.detect',
  class: 'read',
  summary: 'Find what is set up, and what a model can be connected with.',
  input: NO_INPUT,
  output: objectWith({
    connections: CONNECTIONS,
    present: objectWith(
      { isConnected: YES_OR_NO, provider: TEXT, language: TEXT },
      { model: TEXT, memory: YES_OR_NO, toolMaxSteps: { type: 'integer' } },
    ),
    channels: listOf(TEXT),
    providers: listOf(
      objectWith(
        { name: TEXT, label: TEXT, signIn: { enum: ['chatgpt', 'api-key', 'optional-key', 'none'] } },
        { keyPage: { ...TEXT, description: 'where a person gets a key' } },
      ),
    ),
  }),
  async run(_input, context) {
    const { runtime } = context;
    const connections = await findConnections.run({}, context);
    const { settingsFile } = await runtime.gatewayAdmin();
    const { channels } = await settingsFile.read();
    const { model, language, memory, toolMaxSteps } = runtime.config;
    const provider = await runtime.defaultProvider();
    return {
      connections,
      present: {
        isConnected: provider !== 'stub',
        provider,
        language,
        ...(model !== undefined && { model }),
        ...(memory !== undefined && { memory }),
        ...(toolMaxSteps !== undefined && { toolMaxSteps }),
      },
      channels: CHANNEL_NAMES.filter((channel) => channels[channel] !== undefined),
      providers: PROVIDERS.map(({ name, label, signIn, keyPage }) => ({
        name,
        label,
        signIn,
        ...(keyPage !== undefined && { keyPage }),
      })),
    };
  },
});

const CONNECTION = {
  provider: TEXT,
  /** The provider's own, or the first of the server's list, when absent. */
  model: TEXT,
  /** The one in the environment when absent. */
  key: TEXT,
  baseUrl: TEXT,
  /** Uses the stored sign-in of the provider: neither key nor address is given. */
  signedIn: { type: 'boolean', default: false },
  /** Uses the sign-in of this program: neither key nor address is given. */
  reuse: { enum: REUSABLE_PROGRAMS },
} as const;

interface Connection {
  provider: string;
  model?: string;
  key?: string;
  baseUrl?: string;
  signedIn: boolean;
  reuse?: ReusableProgram;
}

export const tryModel = defineOperation({
  name: 'setup.try',
  class: 'read',
  summary: 'Try a model with a real request; nothing is stored.',
  input: { type: 'object', properties: CONNECTION, required: ['provider'], additionalProperties: false },
  output: objectWith({ provider: TEXT, model: TEXT, baseUrl: TEXT, models: listOf(TEXT) }, { warning: TEXT }),
  run: (connection, context) => tried(connection, context),
});

async function tried(connection: Connection, { runtime, signal }: OperationContext) {
  const services = await runtime.modelServices();
  const provider = knownProvider(connection.provider);
  const baseUrl = await addressOf(provider, connection, runtime);
  const access = await accessOf(connection, provider, runtime);
  const request = { provider, baseUrl, signal, ...access };
  const model = connection.model ?? provider.model ?? (await firstModel());
  const checked = await services.check({ ...request, model });
  if (!checked.ok) throw refusal(checked);
  const known = checked.models ?? (await services.models.known(provider.name)).map(({ id }) => id);
  const { warning } = checked;
  return { provider: provider.name, model, baseUrl, models: known, ...(warning !== undefined && { warning }) };

  async function firstModel(): Promise<string> {
    const listed = await services.check({ ...request, credentials: undefined });
    if (!listed.ok) throw refusal(listed);
    const first = firstToChatWith((listed.models ?? []).map((id) => ({ id })));
    if (first) return first.id;
    const advice = provider.local ? `get one: ${provider.local.getModel}` : 'name one';
    throw new AuthError('AUTH_MODEL_REFUSED', `${baseUrl} lists no model: ${advice}. Nothing was stored.`);
  }
}

async function accessOf({ signedIn, reuse, key }: Connection, provider: Provider, runtime: Runtime) {
  if (signedIn) return { credentials: (await runtime.modelServices()).auth };
  if (reuse) return reusedAccess(reuse, provider.name, runtime);
  return { key: givenKey(key) ?? keyForHeader(provider, runtime.configFile.variables) };
}

export const connectModel = defineOperation({
  name: 'setup.connect',
  class: 'change',
  summary: 'Connect a model and make it the default, with the settings that go with it.',
  input: {
    type: 'object',
    properties: {
      ...CONNECTION,
      language: { enum: LANGUAGES },
      memory: YES_OR_NO,
      /** False where it was tried a moment ago. */
      check: { type: 'boolean', default: true },
    },
    required: ['provider'],
    additionalProperties: false,
  },
  output: objectWith(
    { provider: TEXT, model: TEXT, baseUrl: TEXT, toolMaxSteps: { type: 'integer' }, configPath: TEXT },
    { profileId: TEXT, keyVariable: TEXT, reusedFrom: TEXT, warning: TEXT },
  ),
  async run({ language, memory, check, ...connection }, context) {
    const { runtime } = context;
    const provider = knownProvider(connection.provider);
    const { model, baseUrl, warning } = check
      ? await tried(connection, context)
      : {
          model: connection.model ?? provider.model ?? '',
          baseUrl: await addressOf(provider, connection, runtime),
          warning: undefined,
        };
    const steps = await getSetting.run({ key: 'toolMaxSteps' }, context);
    const toolMaxSteps = steps.source === 'file' ? Number(steps.value) : SETUP_MAX_STEPS;
    const keyVariable = keyInEnvironment(provider, runtime.configFile.variables)?.variable;
    const stored = await storeSignIn(provider, connection, baseUrl, runtime);
    await storeSettings(runtime, {
      provider: provider.name,
      model,
      toolMaxSteps,
      // A key in the environment comes before a stored one, unless that is named.
      ...(!connection.signedIn && { profile: keyVariable === undefined ? undefined : stored }),
      ...settingsOf({ language, memory }),
    });
    return {
      provider: provider.name,
      model,
      baseUrl,
      toolMaxSteps,
      configPath: runtime.configFile.path,
      ...(stored !== undefined && { profileId: stored }),
      ...(connection.reuse && { reusedFrom: codexFileOf(runtime.environment) }),
      ...(stored === undefined && !connection.signedIn && keyVariable !== undefined && { keyVariable }),
      ...(warning !== undefined && { warning }),
    };
  },
});

export const storePreferences = defineOperation({
  name: 'setup.preferences',
  class: 'change',
  summary: 'Store language and memory, where the model stays as it is.',
  input: {
    type: 'object',
    properties: { language: { enum: LANGUAGES }, memory: YES_OR_NO },
    additionalProperties: false,
  },
  output: objectWith({ changed: listOf(TEXT) }),
  async run(given, { runtime }) {
    const changes = settingsOf(given);
    if (Object.keys(changes).length > 0) await storeSettings(runtime, { ...changes });
    return { changed: Object.keys(changes) };
  },
});

function settingsOf({
  language,
  memory,
}: {
  language?: FileSettings['language'];
  memory?: boolean;
}): Pick<FileSettings, 'language' | 'memory'> {
  return {
    ...(language !== undefined && { language }),
    ...(memory !== undefined && { memory }),
  };
}

/** The profile that was stored; undefined where nothing has to be: the key stays in the environment. */
async function storeSignIn(
  provider: Provider,
  { key: typed, baseUrl: given, signedIn, reuse }: Connection,
  baseUrl: string,
  runtime: Runtime,
): Promise<string | undefined> {
  if (signedIn) return undefined;
  if (reuse) return storeReused(reuse, runtime);
  const { auth } = await runtime.modelServices();
  const found = keyInEnvironment(provider, runtime.configFile.variables);
  // An address is kept with its key.
  const key = givenKey(typed) ?? (given === undefined ? undefined : found?.key);
  if (key !== undefined) {
    const address = given ?? (provider.signIn === 'optional-key' ? baseUrl : undefined);
    return (await auth.login({ provider: provider.name, method: 'api-key', key, baseUrl: address })).profileId;
  }
  if (found) return undefined;
  return (await auth.login({ provider: provider.name, method: 'no-key', baseUrl })).profileId;
}

/** Where a provider is asked: the address given, the one stored with the sign-in, or its own. */
async function addressOf(
  provider: Provider,
  { baseUrl: given, signedIn }: Connection,
  { modelServices, configFile: { variables } }: Runtime,
): Promise<string> {
  const { auth, endpointOf } = await modelServices();
  if (given !== undefined) {
    const parsed = readBaseUrl(given);
    if (parsed.ok) return parsed.url;
    throw new AuthError('AUTH_BAD_ADDRESS', `The base URL cannot be used: ${parsed.problem}. Nothing was stored.`);
  }
  const isSetByVariable = Boolean(variables[baseUrlVariableOf(provider)]);
  const stored = signedIn && !isSetByVariable ? await auth.baseUrlFor(provider.name) : undefined;
  if (stored !== undefined) return stored;
  const endpoint = endpointOf(provider);
  if (endpoint.ok) return endpoint.baseUrl;
  throw new AuthError('AUTH_BAD_ADDRESS', endpoint.failure.message);
}

function givenKey(key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  const trimmed = key.trim();
  if (isUsableKey(trimmed)) return trimmed;
  const reason = 'it is empty, or holds spaces or characters no key has';
  throw new AuthError('AUTH_BAD_KEY', `That is not a key: ${reason}. Nothing was stored.`);
}
