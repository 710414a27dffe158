// The model that flags name: which provider, and how it is reached.
import { findProvider, PROVIDERS } from '../../adapters/providers/all.ts';
import { keyInEnvironment, type Provider, signInAdvice } from '../../adapters/providers/provider.ts';
import type { Environment } from '../../config/environment.ts';
import { nearest } from '../../lib/nearest.ts';
import type { OperationContext, OutputOf } from '../../operations/operation.ts';
import type { detectSetup } from '../../operations/setup.ts';
import { findReusable } from '../../operations/setup-reuse.ts';
import type { Connection } from './plan.ts';
import { type SetupFlags, wrongUsage } from './setup-flags.ts';

export type Detected = OutputOf<typeof detectSetup>;

/** Undefined when no flag is about the model. Throws UsageError that names the flag which is missing or wrong. */
export async function givenConnection(
  flags: SetupFlags,
  found: Detected,
  { variables }: Pick<Environment, 'variables'>,
  readKey: () => Promise<string>,
): Promise<Connection | undefined> {
  const { apiKeyStdin, apiKeyEnv, baseUrl } = flags;
  const named = namedModel(flags, found);
  if (!named) return undefined;
  const { provider, model } = named;
  const connection = { provider: provider.name, ...(model && { model }), ...(baseUrl && { baseUrl }) };
  const { signIn } = provider;
  if (signIn === 'chatgpt' && (apiKeyStdin || apiKeyEnv))
    throw wrongUsage(`${provider.name} takes no API key; to sign in: lainclaw auth login ${provider.name}`);
  if (apiKeyStdin) return { ...connection, key: await readKey() };
  const own = keyInEnvironment(provider, variables);
  if (apiKeyEnv !== undefined) {
    const key = variables[apiKeyEnv]?.trim();
    if (!key) throw wrongUsage(`--api-key-env: the variable ${apiKeyEnv} is not set`);
    // The provider's own variable is read each time: nothing has to be stored.
    return own?.variable === apiKeyEnv ? connection : { ...connection, key };
  }
  if (own) return connection;
  if (baseUrl === undefined && found.connections.signIns.some((profile) => profile.provider === provider.name))
    return { ...connection, signedIn: true };
  if (signIn === 'none' || signIn === 'optional-key') return connection;
  if (signIn === 'chatgpt') throw wrongUsage(`sign in to ChatGPT first: lainclaw auth login ${provider.name}`);
  throw wrongUsage(
    `--provider ${provider.name} needs a key: give --api-key-stdin or --api-key-env <NAME> (${signInAdvice(provider)})`,
  );
}

/** Undefined without --reuse. Throws AuthError where there is nothing to use. */
export async function reusedConnection(
  { reuse, model }: SetupFlags,
  context: OperationContext,
): Promise<Connection | undefined> {
  if (reuse === undefined) return undefined;
  const { provider } = await findReusable.run({ program: reuse }, context);
  return { provider, reuse, ...(model !== undefined && { model: model.replace(`${provider}/`, '') }) };
}

function namedModel(
  { provider: name, model, apiKeyStdin, apiKeyEnv, baseUrl }: SetupFlags,
  { present }: Detected,
): { provider: Provider; model?: string } | undefined {
  if (name !== undefined) return { provider: known(name), model };
  const [, first = '', rest] = /^([^/]+)\/(.+)$/.exec(model ?? '') ?? [];
  const ofModel = findProvider(first);
  if (ofModel) return { provider: ofModel, model: rest };
  if (model !== undefined && present.isConnected) return { provider: known(present.provider), model };
  if (model === undefined && !apiKeyStdin && !apiKeyEnv && baseUrl === undefined) return undefined;
  throw wrongUsage('--provider is missing: it names the service that the other flags are about');
}

function known(name: string): Provider {
  const provider = findProvider(name);
  if (provider) return provider;
  const names = PROVIDERS.map((row) => row.name);
  const close = nearest(name, names);
  throw wrongUsage(
    `--provider: there is no provider "${name}"${close ? ` (did you mean "${close}"?)` : ''}; accepted: ${names.join(', ')}`,
  );
}
