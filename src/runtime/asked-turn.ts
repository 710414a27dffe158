// What a turn is asked with where the caller leaves it open: the configuration's, as `lainclaw ask` would.
import type { Config } from '../config/config.ts';
import { qualifiedModel } from '../config/qualified-model.ts';
import type { Providers } from '../gateway/gateway.ts';
import type { Caps } from '../pipeline/budget.ts';
import type { Services } from './services.ts';

export interface AskedProvider {
  provider: string;
  profileId?: string;
  model?: string;
}

/** Where what is left open comes from. */
export interface TurnSources {
  config: Config;
  chooseModel: Providers['choose'];
  /** The provider of a sign-in; undefined when there is none of that name. */
  providerOf(profileId: string): Promise<string | undefined>;
  /** The provider in use when nothing names one. */
  defaultProvider(): Promise<string>;
}

export function turnSources(
  {
    config,
    modelServices,
    defaultProvider,
  }: Pick<TurnSources, 'config' | 'defaultProvider'> & Pick<Services, 'modelServices'>,
  { chooseModel }: Pick<TurnSources, 'chooseModel'>,
): TurnSources {
  return {
    config,
    chooseModel,
    providerOf: (profileId) => providerOfProfile(profileId, modelServices),
    defaultProvider,
  };
}

export async function providerOfProfile(
  profileId: string,
  modelServices: Services['modelServices'],
): Promise<string | undefined> {
  const { profiles } = await (await modelServices()).auth.status();
  return profiles.find((profile) => profile.profileId === profileId)?.provider;
}

/** The one of the sign-in that is named, otherwise the one in use. */
async function providerWithout({ profile }: { profile?: string }, sources: TurnSources): Promise<string> {
  const { config, providerOf, defaultProvider } = sources;
  const named = profile ?? (config.isProviderSet ? undefined : config.profile);
  const signedIn = named === undefined ? undefined : await providerOf(named);
  return signedIn ?? defaultProvider();
}

/** A configured model and profile belong to their own provider only. A model may name its provider: `provider/model`. */
export async function askedProvider(
  given: { provider?: string; profile?: string; model?: string },
  sources: TurnSources,
): Promise<AskedProvider> {
  const { config, chooseModel } = sources;
  const named = given.provider ?? (await providerWithout(given, sources));
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
