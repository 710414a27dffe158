// Which provider a model's name means. `provider/model` names both, wherever a model is named; but services such as
// OpenRouter and Groq have models with a slash in their names, so:
//   a model that the provider in use is known to have   is that one
//   what begins with the name of a provider             is a model of that provider
//   everything else                                     is a model of the provider in use
import { knownModels } from './pi/catalogue.ts';
import { findProvider } from './providers/all.ts';
import { defaultBaseUrl } from './providers/provider.ts';

export interface ModelChoice {
  provider: string;
  model?: string;
}

/** Asks no server. An unknown provider is left as it is; asking it is refused later. */
export async function chooseModel({ provider, model }: ModelChoice): Promise<ModelChoice> {
  const [, prefix = '', name] = /^([^/]+)\/(.+)$/.exec(model ?? '') ?? [];
  if (name === undefined || !findProvider(prefix)) return { provider, model };
  const inUse = findProvider(provider);
  const known = inUse ? await knownModels({ provider: inUse, baseUrl: defaultBaseUrl(inUse, {}) }) : [];
  if (known.some(({ id }) => id === model)) return { provider, model };
  return { provider: prefix, model: name };
}
