// The providers that turns of one workspace may ask: the stub, and those of the model services, loaded when one is named.
import type { ModelServices } from '../adapters/model-services.ts';
import { createStubAdapter } from '../adapters/stub.ts';
import type { ListModels } from '../gateway/chats/commands/command.ts';
import type { Providers } from '../gateway/gateway.ts';

export interface WorkspaceProviders extends Providers {
  listModels: ListModels;
}

export function createProviders(modelServices: () => Promise<ModelServices>): WorkspaceProviders {
  const stub = createStubAdapter();
  return {
    names: async () => [stub.provider, ...(await modelServices()).names()],
    get: async (name) => (name === stub.provider ? stub : (await modelServices()).adapter(name)),
    choose: async (named) =>
      named.model?.includes('/') ? (await import('../adapters/choose-model.ts')).chooseModel(named) : named,
    async listModels(provider, signal) {
      if (provider === stub.provider) return { ok: true, models: [] };
      const listed = await (await modelServices()).models.list(provider, signal);
      if (listed?.ok) return listed;
      return { ok: false, message: listed?.failure.message ?? `there is no provider "${provider}"` };
    },
  };
}
