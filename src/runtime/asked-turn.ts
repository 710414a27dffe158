// What a turn is asked with where the caller leaves it open: the configuration's, as `lainclaw ask` would.
import type { Config } from '../config/config.ts';
import { qualifiedModel } from '../config/qualified-model.ts';
import type { Providers } from '../gateway/gateway.ts';
import type { Caps } from '../pipeline/budget.ts';

export interface AskedProvider {
  provider: string;
  profileId?: string;
  model?: string;
}

/** A configured model and profile belong to their own provider only. A model may name its provider: `provider/model`. */
export async function askedProvider(
  given: { provider?: string; profile?: string; model?: string },
  {
    config,
    chooseModel,
  }: { config: Pick<Config, 'provider' | 'profile' | 'model' | 'modelFor'>; chooseModel: Providers['choose'] },
): Promise<AskedProvider> {
  const named = given.provider ?? config.provider;
  const configured = (config.modelFor ?? named) === named ? config : undefined;
  const model =
    given.model === undefined
      ? configured?.model && beside(config.modelFor, configured.model)
      : beside(given.provider, given.model);
  const { provider, model: chosen } = await chooseModel({ provider: named, model });
  return {
    provider,
    profileId: given.profile ?? (provider === named ? configured?.profile : undefined),
    model: chosen && qualifiedModel(provider, chosen),
  };
}

/** A model named beside its provider is that provider's, whatever its name looks like. */
function beside(provider: string | undefined, model: string): string {
  return provider === undefined ? model : qualifiedModel(provider, model);
}

/** A caller may set the caps of the turn; those of the day are the configuration's alone. */
export function askedCaps(given: Pick<Caps, 'maxTokens' | 'maxCostUsd'>, config: Caps): Caps {
  return {
    maxTokens: given.maxTokens ?? config.maxTokens,
    maxCostUsd: given.maxCostUsd ?? config.maxCostUsd,
    dailyMaxTokens: config.dailyMaxTokens,
    dailyMaxCostUsd: config.dailyMaxCostUsd,
  };
}
