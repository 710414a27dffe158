// Set-up with a person: a model that answers, a language, and what they want besides. Flags answer questions beforehand.
import { LANGUAGES, type Language } from '../../config/settings.ts';
import type { OperationContext } from '../../operations/operation.ts';
import { detectSetup } from '../../operations/setup.ts';
import type { SetupChannel } from '../../operations/setup-channel.ts';
import { findSearch, trySearch } from '../../operations/setup-search.ts';
import { completionPath, shellOf } from '../completion/install.ts';
import type { Shell } from '../completion/scripts.ts';
import { readSecret } from '../read-secret.ts';
import type { Terminal } from '../terminal.ts';
import { botIn } from './bot-flags.ts';
import { chooseBot } from './channel-step.ts';
import { type ConnectionStep, changeModel, chooseConnection, type TriedConnection } from './connection-step.ts';
import { type Detected, givenConnection, reusedConnection } from './given-connection.ts';
import { LANGUAGE_NAMES, loadSetupTexts } from './languages/language.ts';
import type { SetupTexts } from './languages/setup-texts.ts';
import type { SetupPlan } from './plan.ts';
import type { Choice, Prompts } from './prompts.ts';
import { rowsOf } from './rows.ts';
import { searchIn } from './search-flags.ts';
import { chooseSearch, type FoundSearch } from './search-step.ts';
import { type SetupFlags, wrongUsage } from './setup-flags.ts';
import { nameOf } from './ways-to-connect.ts';

export interface FlowOptions {
  flags: SetupFlags;
  /** Those that can be set up. */
  channels: readonly SetupChannel[];
  prompts: Prompts;
  context: OperationContext;
  terminal: Terminal;
  speech: Speech;
  onStored(): void;
}

/** The language that set-up speaks: the person may choose another on the way. */
export interface Speech {
  language: Language;
  texts: SetupTexts;
}

export async function planWithPerson(options: FlowOptions): Promise<SetupPlan> {
  const { flags, channels, prompts, context, terminal, speech, onStored } = options;
  const found = await prompts.working(speech.texts.lookingForModels, () => detectSetup.run({}, context));
  const given =
    (await reusedConnection(flags, context)) ??
    (await givenConnection(flags, found, terminal.environment, () => readSecret('API key', terminal)));
  const givenSearch = await searchIn(flags, terminal);
  const foundSearch = await findSearch.run({}, context);
  const givenBot = await botIn(flags, { channels, terminal, refuse: wrongUsage });
  prompts.title(speech.texts.title);
  prompts.note(whatIsThere(found, speech.texts), speech.texts.now.title);
  const step = (): ConnectionStep => ({ prompts, context, terminal, found, onStored, texts: speech.texts });
  let tried = await chooseConnection(step(), given);
  const language = flags.language ?? (await askForLanguage(prompts, speech));
  Object.assign(speech, { language, texts: await loadSetupTexts(language) });
  const { texts } = speech;
  const extras = await askForExtras(options, { ...found, search: foundSearch }, tried);
  if (tried && extras.includes('model')) tried = await changeModel(step(), tried);
  const channel = channels.find(({ name }) => name === givenBot?.channel || extras.includes(extraOf(name)));
  const bot =
    channel &&
    (await chooseBot(channel, givenBot, { prompts, context, texts, words: await channel.setup.words(language) }));
  const provider = tried?.connection.provider ?? found.present.provider;
  if (givenSearch) await trySearch.run({ provider, ...givenSearch }, context);
  const search =
    givenSearch ??
    (extras.includes('search')
      ? await chooseSearch({ prompts, context, texts, found: foundSearch, provider })
      : undefined);
  const completion = shellIn(flags, extras, terminal);
  return {
    ...(tried && { connection: tried.connection }),
    language,
    memory: flags.memory ?? extras.includes('memory'),
    ...(search && { search }),
    ...(bot && { bot }),
    ...(completion && { completion }),
  };
}

function whatIsThere({ present, channels }: Detected, { now, on, off, none }: SetupTexts): string {
  const { isConnected, memory = false, language } = present;
  return rowsOf([
    [now.model, isConnected ? nameOf(present) : now.noModel],
    [now.language, LANGUAGE_NAMES[language as Language]],
    [now.memory, memory ? on : off],
    [now.channels, channels.join(', ') || none],
  ]).join('\n');
}

function askForLanguage(prompts: Prompts, { texts, language: spoken }: Speech): Promise<Language> {
  return prompts.choose(
    texts.whichLanguage,
    LANGUAGES.map((language) => ({ value: language, label: LANGUAGE_NAMES[language] })),
    spoken,
  );
}

type Extra = 'memory' | 'model' | 'search' | 'completion' | `channel:${string}`;

function extraOf(channel: string): Extra {
  return `channel:${channel}`;
}

/** What flags have decided is not asked. */
async function askForExtras(
  { flags, channels, prompts, terminal: { environment }, speech }: FlowOptions,
  { present, channels: connected, search }: Detected & { search: FoundSearch },
  tried: TriedConnection | undefined,
): Promise<readonly Extra[]> {
  const shell = shellOf(environment);
  const { extras, whatElse } = speech.texts;
  const offers = channels.map(async ({ name, setup }) => ({
    value: extraOf(name),
    label: (await setup.words(speech.language)).offer,
    hint: connected.includes(name) ? extras.connectedHint : undefined,
  }));
  const choices: Choice<Extra>[] = [
    ...(flags.memory === undefined
      ? [{ value: 'memory' as const, label: extras.memory, hint: extras.memoryHint }]
      : []),
    ...(tried && flags.model === undefined
      ? [{ value: 'model' as const, label: extras.model(tried.connection.model) }]
      : []),
    ...(flags.channel === undefined ? await Promise.all(offers) : []),
    ...(flags.webSearch === undefined
      ? [
          {
            value: 'search' as const,
            label: extras.search,
            hint: search.service ? extras.connectedHint : extras.searchHint,
          },
        ]
      : []),
    ...(flags.completion === undefined && shell !== undefined
      ? [{ value: 'completion' as const, label: extras.completion(shell), hint: completionPath(shell, environment) }]
      : []),
  ];
  if (choices.length === 0) return [];
  const isOn = present.memory ?? !present.isConnected;
  const initial: Extra[] = isOn && flags.memory === undefined ? ['memory'] : [];
  return prompts.chooseSeveral(whatElse, choices, initial);
}

function shellIn(flags: SetupFlags, extras: readonly Extra[], { environment }: Terminal): Shell | undefined {
  if (flags.completion !== undefined) return flags.completion === 'none' ? undefined : flags.completion;
  return extras.includes('completion') ? shellOf(environment) : undefined;
}
