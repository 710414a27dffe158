// Set-up with a person: a model that answers, a language, and what they want besides. Flags answer questions beforehand.
import { LANGUAGES, type Language } from '../../config/settings.ts';
import type { OperationContext } from '../../operations/operation.ts';
import { detectSetup } from '../../operations/setup.ts';
import type { SetupChannel } from '../../operations/setup-channel.ts';
import { completionPath, shellOf } from '../completion/install.ts';
import type { Shell } from '../completion/scripts.ts';
import { readSecret } from '../read-secret.ts';
import type { Terminal } from '../terminal.ts';
import { chooseBot } from './channel-step.ts';
import { type ConnectionStep, changeModel, chooseConnection, type TriedConnection } from './connection-step.ts';
import { type Detected, givenConnection } from './given-connection.ts';
import type { SetupPlan } from './plan.ts';
import type { Choice, Prompts } from './prompts.ts';
import type { SetupFlags } from './setup-flags.ts';
import { botIn } from './unattended.ts';
import { nameOf } from './ways-to-connect.ts';

export interface FlowOptions {
  flags: SetupFlags;
  prompts: Prompts;
  context: OperationContext;
  terminal: Terminal;
  onStored(what: string): void;
}

const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', zh: '中文', ru: 'Русский' };

export async function planWithPerson(options: FlowOptions): Promise<SetupPlan> {
  const { flags, prompts, context, terminal, onStored } = options;
  const found = await prompts.working('Looking for models', () => detectSetup.run({}, context));
  const given = await givenConnection(flags, found, terminal.environment, () => readSecret('API key', terminal));
  const givenBot = await botIn(flags, terminal);
  prompts.title('Lainclaw set-up');
  prompts.note(whatIsThere(found), 'Now');
  const step: ConnectionStep = { prompts, context, terminal, found, onStored };
  let tried = await chooseConnection(step, given);
  const language = flags.language ?? (await askForLanguage(prompts, found, terminal));
  const extras = await askForExtras(options, found, tried);
  if (tried && extras.includes('model')) tried = await changeModel(step, tried);
  const channel = givenBot?.channel ?? extras.find((extra): extra is SetupChannel => isChannel(extra));
  const bot = channel && (await chooseBot(channel, givenBot, { prompts, context }));
  const completion = shellIn(flags, extras, terminal);
  return {
    ...(tried && { connection: tried.connection }),
    language,
    memory: flags.memory ?? extras.includes('memory'),
    ...(bot && { bot }),
    ...(completion && { completion }),
  };
}

function whatIsThere({ present, channels }: Detected): string {
  const { isConnected, memory = false, language } = present;
  return [
    `model      ${isConnected ? nameOf(present) : 'none is connected'}`,
    `language   ${language}`,
    `memory     ${memory ? 'on' : 'off'}`,
    `channels   ${channels.join(', ') || 'none'}`,
  ].join('\n');
}

function askForLanguage(prompts: Prompts, { present }: Detected, { environment }: Terminal): Promise<Language> {
  const spoken = LANGUAGES.find((language) => environment.variables.LANG?.startsWith(language));
  const initial = present.isConnected ? present.language : (spoken ?? present.language);
  return prompts.choose(
    'Which language do you speak with it?',
    LANGUAGES.map((language) => ({ value: language, label: LANGUAGE_NAMES[language] })),
    initial as Language,
  );
}

type Extra = 'memory' | 'model' | SetupChannel | 'completion';

function isChannel(extra: Extra): extra is SetupChannel {
  return extra === 'telegram' || extra === 'feishu';
}

/** What flags have decided is not asked. */
async function askForExtras(
  { flags, prompts, terminal: { environment } }: FlowOptions,
  { present, channels }: Detected,
  tried: TriedConnection | undefined,
): Promise<readonly Extra[]> {
  const shell = shellOf(environment);
  const hintOf = (channel: SetupChannel): string | undefined =>
    channels.includes(channel) ? 'it is connected; choose it to change that' : undefined;
  const choices: Choice<Extra>[] = [
    ...(flags.memory === undefined
      ? [{ value: 'memory' as const, label: 'Memory', hint: 'long conversations are summarised and remembered' }]
      : []),
    ...(tried && flags.model === undefined
      ? [{ value: 'model' as const, label: `Another model than ${tried.connection.model}` }]
      : []),
    ...(flags.channel === undefined
      ? [
          { value: 'telegram' as const, label: 'Talk to it on Telegram', hint: hintOf('telegram') },
          { value: 'feishu' as const, label: 'Talk to it on Feishu or Lark', hint: hintOf('feishu') },
        ]
      : []),
    ...(flags.completion === undefined && shell !== undefined
      ? [{ value: 'completion' as const, label: `Completion in ${shell}`, hint: completionPath(shell, environment) }]
      : []),
  ];
  if (choices.length === 0) return [];
  const isOn = present.memory ?? !present.isConnected;
  const initial: Extra[] = isOn && flags.memory === undefined ? ['memory'] : [];
  return prompts.chooseSeveral('What else? Space chooses, Enter continues', choices, initial);
}

function shellIn(flags: SetupFlags, extras: readonly Extra[], { environment }: Terminal): Shell | undefined {
  if (flags.completion !== undefined) return flags.completion === 'none' ? undefined : flags.completion;
  return extras.includes('completion') ? shellOf(environment) : undefined;
}
