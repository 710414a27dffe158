// Connecting a model: what is there to connect to, signing in, and who is signed in. Signing in connects: the key is
// checked against the service first, and the provider becomes the default where there was none.

import type { ProfileStatus } from '../adapters/auth/auth.ts';
import { AuthError, type AuthErrorCode } from '../adapters/auth/auth-error.ts';
import type { CheckedConnection } from '../adapters/check-connection.ts';
import { findProvider, PROVIDERS } from '../adapters/providers/all.ts';
import { defaultBaseUrl, keyInEnvironment, type Provider } from '../adapters/providers/provider.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { getSetting, storeSetting } from './config.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, TEXT, TIME, YES_OR_NO } from './schemas.ts';

const PROFILE = objectWith(
  {
    profileId: TEXT,
    provider: TEXT,
    kind: { enum: ['oauth', 'api-key', 'no-key', 'borrowed'] },
    active: YES_OR_NO,
    createdAt: TIME,
    updatedAt: TIME,
  },
  { key: TEXT, baseUrl: TEXT, borrowedFrom: TEXT, email: TEXT, accountId: TEXT, expiresAt: TIME, expired: YES_OR_NO },
);
const KEY_FOUND = objectWith({ provider: TEXT, variable: TEXT, key: TEXT });
const CONNECTED = objectWith(
  { profile: PROFILE, defaultProvider: TEXT, becameDefault: YES_OR_NO },
  { warning: TEXT, model: TEXT },
);

/** What signing in did. `becameDefault`: there was no default before. */
export interface Connected {
  profile: ProfileStatus;
  defaultProvider: string;
  becameDefault: boolean;
  /** It works, but not at this moment: out of credit, too many requests. */
  warning?: string;
}

export const CONNECTIONS = objectWith(
  {
    signIns: listOf(PROFILE),
    keys: listOf(objectWith({ provider: TEXT, label: TEXT, variable: TEXT, key: TEXT })),
    servers: listOf(
      objectWith({
        provider: TEXT,
        label: TEXT,
        baseUrl: TEXT,
        models: listOf(objectWith({ id: TEXT }, { sizeBytes: COUNT })),
      }),
    ),
  },
  { defaultProvider: TEXT },
);

export const findConnections = defineOperation({
  name: 'sign-in.find',
  class: 'read',
  summary: 'Find what a model can be connected with: sign-ins, keys in the environment, servers on this machine.',
  input: NO_INPUT,
  output: CONNECTIONS,
  async run(_input, { runtime, signal }) {
    const { auth, findLocalServers } = await runtime.modelServices();
    const { variables } = runtime.configFile;
    const [{ profiles, environment }, servers] = await Promise.all([
      auth.status(),
      findLocalServers({ env: variables, signal }),
    ]);
    const { value, source } = await getSetting.run({ key: 'provider' }, { runtime, signal, warn() {} });
    return {
      signIns: profiles,
      keys: environment.map((found) => ({ ...found, label: findProvider(found.provider)?.label ?? found.provider })),
      servers: servers.map(({ provider: { name, label }, ...found }) => ({ provider: name, label, ...found })),
      ...(source !== 'default' && { defaultProvider: String(value) }),
    };
  },
});

export const listSignIns = defineOperation({
  name: 'sign-in.list',
  class: 'read',
  summary: 'List who is signed in where, and keys in the environment, without secrets.',
  input: NO_INPUT,
  output: objectWith({ path: TEXT, profiles: listOf(PROFILE), environment: listOf(KEY_FOUND) }),
  run: async (_input, { runtime }) => (await runtime.modelServices()).auth.status(),
});

export const checkModel = defineOperation({
  name: 'sign-in.check',
  class: 'read',
  summary: 'Ask a service whether it can be used: with a key or without one, and with a model when one is named.',
  input: {
    type: 'object',
    properties: { provider: TEXT, key: TEXT, baseUrl: TEXT, model: TEXT },
    required: ['provider'],
    additionalProperties: false,
  },
  output: objectWith({ provider: TEXT, baseUrl: TEXT }, { models: listOf(TEXT), warning: TEXT }),
  async run({ provider: name, key, baseUrl: given, model }, { runtime, signal }) {
    const services = await runtime.modelServices();
    const provider = knownProvider(name);
    const endpoint = services.endpointOf(provider);
    const baseUrl = given ?? (endpoint.ok ? endpoint.baseUrl : defaultBaseUrl(provider, runtime.configFile.variables));
    const usedKey = key ?? keyInEnvironment(provider, runtime.configFile.variables)?.key;
    const checked = await services.check({ provider, baseUrl, key: usedKey, model, signal });
    if (!checked.ok) throw refusal(checked);
    const { models, warning } = checked;
    return { provider: name, baseUrl, ...(models && { models }), ...(warning !== undefined && { warning }) };
  },
});

export const signInWithKey = defineOperation({
  name: 'sign-in.key',
  class: 'change',
  summary: 'Sign in with an API key, which the service is asked about first.',
  input: {
    type: 'object',
    properties: { provider: TEXT, key: TEXT, baseUrl: TEXT, profile: TEXT, check: { type: 'boolean', default: true } },
    required: ['provider', 'key'],
    additionalProperties: false,
  },
  output: CONNECTED,
  async run({ provider, key, baseUrl, profile: profileId, check }, { runtime, signal }) {
    const { auth } = await runtime.modelServices();
    const verified = createVerifier(runtime, check, signal);
    const profile = await auth.login({ provider, method: 'api-key', key, baseUrl, profileId, verify: verified.verify });
    return connected(profile, runtime, verified.warning());
  },
});

export const connectServer = defineOperation({
  name: 'sign-in.server',
  class: 'change',
  summary: 'Use a server that wants no key, such as Ollama on this machine.',
  input: {
    type: 'object',
    properties: { provider: TEXT, baseUrl: TEXT, profile: TEXT, check: { type: 'boolean', default: true } },
    required: ['provider'],
    additionalProperties: false,
  },
  output: CONNECTED,
  async run({ provider: name, baseUrl: given, profile: profileId, check }, { runtime, signal }) {
    const { auth, endpointOf } = await runtime.modelServices();
    const endpoint = endpointOf(knownProvider(name));
    const baseUrl = given ?? (endpoint.ok ? endpoint.baseUrl : '');
    const verified = createVerifier(runtime, check, signal);
    const profile = await auth.login({ provider: name, method: 'no-key', baseUrl, profileId, verify: verified.verify });
    return connected(profile, runtime, verified.warning());
  },
});

export const useSignIn = defineOperation({
  name: 'sign-in.use',
  class: 'change',
  summary: 'Make a sign-in the one that its provider uses.',
  input: { type: 'object', properties: { profile: TEXT }, required: ['profile'], additionalProperties: false },
  output: PROFILE,
  run: async ({ profile }, { runtime }) => (await runtime.modelServices()).auth.use(profile),
});

export const signOut = defineOperation({
  name: 'sign-in.remove',
  class: 'danger',
  summary: 'Forget a sign-in, or all of them when none is named.',
  input: { type: 'object', properties: { profile: TEXT }, additionalProperties: false },
  output: objectWith({ removed: listOf(TEXT) }),
  run: async ({ profile }, { runtime }) => ({
    removed: await (await runtime.modelServices()).auth.logout(profile ?? { all: true }),
  }),
});

export const signInToChatGpt = defineOperation({
  name: 'sign-in.chatgpt',
  class: 'change',
  summary:
    'Sign in with a ChatGPT account: waits until the person has signed in with a browser, or typed a code on another device.',
  input: {
    type: 'object',
    properties: {
      provider: { type: 'string', default: 'openai-codex' },
      method: { enum: ['browser', 'device'], default: 'device' },
      profile: TEXT,
    },
    additionalProperties: false,
  },
  output: CONNECTED,
  async run({ provider, method, profile: profileId }, { runtime, signal, onAddress, warn, loginInteraction }) {
    const interaction = loginInteraction ?? announcing(onAddress, warn);
    const { auth } = await runtime.modelServices();
    return connected(await auth.login({ provider, method, interaction, profileId, signal }), runtime);
  },
});

/** For a caller that shows each message, and where nothing can be typed in. */
function announcing(
  onAddress: OperationContext['onAddress'],
  warn: OperationContext['warn'],
): NonNullable<OperationContext['loginInteraction']> {
  return {
    showUrl: onAddress ?? ((url) => warn(`sign in with your browser: ${url}`)),
    showDeviceCode: ({ userCode, verificationUrl }) =>
      warn(`on any device open ${verificationUrl} and enter the code ${userCode}`),
    readPastedCode: () => new Promise(() => {}),
    progress: warn,
  };
}

/** The provider becomes the default where none is set, in config.json or by a variable. */
async function connected(profile: ProfileStatus, runtime: Runtime, warning?: string): Promise<Connected> {
  const context = { runtime, signal: new AbortController().signal, warn() {} };
  const { value, source } = await getSetting.run({ key: 'provider' }, context);
  const becameDefault = source === 'default';
  if (becameDefault) await storeSetting(runtime, 'provider', profile.provider);
  return {
    profile,
    defaultProvider: becameDefault ? profile.provider : String(value),
    becameDefault,
    ...(warning !== undefined && { warning }),
  };
}

type Verify = (connection: { provider: Provider; baseUrl?: string; key?: string }) => Promise<void>;

function createVerifier(
  runtime: Runtime,
  isWanted: boolean,
  signal: AbortSignal,
): { verify: Verify; warning(): string | undefined } {
  let warning: string | undefined;
  return {
    async verify({ provider, baseUrl, key }) {
      if (!isWanted) return;
      const checked = await (await runtime.modelServices()).check({
        provider,
        baseUrl: baseUrl ?? defaultBaseUrl(provider, runtime.configFile.variables),
        key,
        signal,
      });
      if (!checked.ok) throw refusal(checked);
      warning = checked.warning;
    },
    warning: () => warning,
  };
}

const CODES: Record<Extract<CheckedConnection, { ok: false }>['problem'], AuthErrorCode> = {
  key: 'AUTH_KEY_REFUSED',
  address: 'AUTH_NOT_A_SERVICE',
  network: 'AUTH_UNREACHABLE',
  model: 'AUTH_MODEL_REFUSED',
};

/** Why a connection that was checked cannot be used. */
export function refusal({ problem, reason }: Extract<CheckedConnection, { ok: false }>): AuthError {
  return new AuthError(CODES[problem], `${reason}. Nothing was stored.`.replace('..', '.'));
}

export function knownProvider(name: string): Provider {
  const provider = findProvider(name);
  if (provider) return provider;
  const names = PROVIDERS.map(({ name: known }) => known).join(', ');
  throw new AuthError('AUTH_UNKNOWN_PROVIDER', `There is no provider "${name}" to sign in to. There are: ${names}`);
}
