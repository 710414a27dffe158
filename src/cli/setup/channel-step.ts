// Connecting a bot on a terminal: the steps in words, its secrets, and a live test that can be repeated.
import type { SetupChoice, SetupWords } from '../../channels/definition.ts';
import type { OperationContext } from '../../operations/operation.ts';
import { type Bot, botSettingProblem, type SetupChannel, tryChannel } from '../../operations/setup-channel.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import type { SetupTexts } from './languages/setup-texts.ts';
import type { Prompts } from './prompts.ts';

export interface BotStep {
  prompts: Prompts;
  context: OperationContext;
  texts: SetupTexts;
  words: SetupWords;
}

/** Undefined when the person gives up on it. `given`: what flags have said. */
export async function chooseBot(
  channel: SetupChannel,
  given: Bot | undefined,
  { prompts, context, texts, words }: BotStep,
): Promise<(Bot & { name: string }) | undefined> {
  if (!given) prompts.note(numbered(words, texts.onceRunning), words.title);
  for (let next = given; ; next = undefined) {
    const bot = next ?? (await askForBot(channel, prompts, words));
    try {
      const { bot: name } = await prompts.working(texts.asking(channel.name), () => tryChannel.run(bot, context));
      prompts.done(texts.botKnown(channel.name, name));
      return { ...bot, name };
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

function numbered({ steps, stepsOnceRunning = [] }: SetupWords, onceRunning: string): string {
  const lines = [...steps, ...stepsOnceRunning].map((step, index) => `${index + 1}. ${step}`);
  if (stepsOnceRunning.length > 0) lines.splice(steps.length, 0, onceRunning);
  return lines.join('\n');
}

async function askForBot(channel: SetupChannel, prompts: Prompts, words: SetupWords): Promise<Bot> {
  const settings: Record<string, string> = {};
  for (const key of channel.setup.asks) settings[key] = await askForSetting(key, channel, { prompts, words });
  return { channel: channel.name, settings };
}

async function askForSetting(
  key: string,
  channel: SetupChannel,
  { prompts, words }: Pick<BotStep, 'prompts' | 'words'>,
): Promise<string> {
  const problem = (text: string): string | undefined => botSettingProblem(channel, key, text);
  const message = words.questions[key] ?? key;
  const choices: readonly SetupChoice[] | undefined = words.choices?.[key];
  if (channel.settings[key]?.isSecret) return prompts.secret({ message, problem });
  if (!choices) return prompts.text({ message, problem });
  const chosen = await prompts.choose(
    message,
    choices.map((choice) => ({ value: choice, label: choice.label })),
  );
  return 'value' in chosen ? chosen.value : prompts.text({ message: chosen.question, problem });
}
