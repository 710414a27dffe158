// The providers that turns of one workspace may ask: the stub, and those of the model services, loaded when one is named.
import type { ModelServices } from '../adapters/model-services.ts';
import { createNoModelAdapter, NO_MODEL } from '../adapters/no-model.ts';
import { createStubAdapter, type WayToConnect } from '../adapters/stub.ts';
import type { Environment } from '../config/environment.ts';
import type { Providers } from '../gateway/gateway.ts';

/** The models of a provider, or why they cannot be listed. */
export type ListModels = (
  provider: string,
  signal: AbortSignal,
) => Promise<{ ok: true; models: readonly { id: string; isDefault: boolean }[] } | { ok: false; message: string }>;

export interface WorkspaceProviders extends Providers {
  listModels: ListModels;
}

export function createProviders(
  modelServices: () => Promise<ModelServices>,
  variables: Environment['variables'],
): WorkspaceProviders {
  const stub = createStubAdapter(() => keysHere(variables));
  const noModel = createNoModelAdapter();
  return {
    names: async () => [stub.provider, ...(await modelServices()).names()],
    async get(name) {
      if (name === stub.provider) return stub;
      return name === NO_MODEL ? noModel : (await modelServices()).adapter(name);
    },
    choose: async (named) =>
      named.model?.includes('/') ? (await import('../adapters/choose-model.ts')).chooseModel(named) : named,
    async listModels(provider, signal) {
      if (provider === stub.provider || provider === NO_MODEL) return { ok: true, models: [] };
      const listed = await (await modelServices()).models.list(provider, signal);
      if (listed?.ok) return listed;
      return { ok: false, message: listed?.failure.message ?? `there is no provider "${provider}"` };
    },
  };
}

/** Providers whose key is in the environment: the nearest way to a model, which nobody has allowed yet. */
async function keysHere(variables: Environment['variables']): Promise<WayToConnect[]> {
  // The table is loaded only where something looks like a key.
  if (!Object.entries(variables).some(([name, value]) => value && /_(API_KEY|TOKEN)$/.test(name))) return [];
  const [{ PROVIDERS }, { keyInEnvironment }] = await Promise.all([
    import('../adapters/providers/all.ts'),
    import('../adapters/providers/provider.ts'),
  ]);
  return PROVIDERS.flatMap((provider) => {
    const found = keyInEnvironment(provider, variables);
    return found ? [{ command: `lainclaw config set provider ${provider.name}`, has: found.variable }] : [];
  });
}
