// Choosing the service of web_search on a terminal: it is asked something first, and what is refused can be typed again.
import type { OperationContext, OutputOf } from '../../operations/operation.ts';
import { type findSearch, trySearch } from '../../operations/setup-search.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import type { SetupTexts } from './languages/setup-texts.ts';
import type { Search } from './plan.ts';
import type { Prompts } from './prompts.ts';

export type FoundSearch = OutputOf<typeof findSearch>;

export interface SearchStep {
  prompts: Prompts;
  context: OperationContext;
  texts: SetupTexts;
  found: FoundSearch;
  /** Of the model that was chosen. */
  provider: string;
}

/** Undefined when the person gives up on it. */
export async function chooseSearch(step: SearchStep): Promise<Search | undefined> {
  const { prompts, context, texts } = step;
  for (;;) {
    const { label, search } = await askForSearch(step);
    try {
      await prompts.working(texts.asking(label), () => trySearch.run(search, context));
      prompts.done(texts.search.works(label));
      return search;
    } catch (error) {
      if (context.signal.aborted || !(error instanceof CodedError)) throw error;
      prompts.failed(error.message);
    }
    const again = await prompts.choose(texts.whatNow, [
      { value: true, label: texts.tryAgain },
      { value: false, label: texts.continueWithout },
    ]);
    if (!again) return undefined;
  }
}

async function askForSearch({
  prompts,
  texts,
  found,
  provider,
}: SearchStep): Promise<{ label: string; search: Search }> {
  const { search: words } = texts;
  const ofModel = {
    service: 'model',
    label: words.ofModel(provider),
    needsKey: false,
    hasKey: true,
    needsAddress: false,
  };
  type Service = FoundSearch['services'][number];
  const services: Service[] = [...(found.searchingProviders.includes(provider) ? [ofModel] : []), ...found.services];
  const chosen = await prompts.choose(
    words.which,
    services.map((each) => ({ value: each, label: each.label, hint: hintOf(each, texts) })),
  );
  const { service, label, keyPage } = chosen;
  const address = chosen.needsAddress
    ? await prompts.text({
        message: words.address,
        initial: found.address,
        problem: (text) => (/^https?:\/\/\S+$/.test(text.trim()) ? undefined : texts.notAnAddress),
      })
    : undefined;
  const apiKey =
    chosen.needsKey && !chosen.hasKey
      ? await prompts.secret({
          message: texts.keyOf(label, keyPage),
          problem: (text) => (/^\S+$/.test(text.trim()) ? undefined : texts.notAKey),
        })
      : undefined;
  return {
    label,
    search: {
      service: service as Search['service'],
      ...(service === 'model' && { provider }),
      ...(address !== undefined && { address: address.trim() }),
      ...(apiKey !== undefined && { apiKey: apiKey.trim() }),
    },
  };
}

function hintOf(
  { service, needsKey, hasKey, keyVariable = '', needsAddress }: FoundSearch['services'][number],
  { search: words }: SetupTexts,
): string {
  if (service === 'model') return words.ofModelHint;
  if (needsAddress) return words.ownHint;
  return needsKey && hasKey ? words.hasKeyHint : words.needsKeyHint(keyVariable);
}
