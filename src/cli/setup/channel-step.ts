// Connecting a bot on a terminal: the steps in words, its secrets, and a live test that can be repeated.
import type { OperationContext } from '../../operations/operation.ts';
import { botSettingProblem, type SetupChannel, tryChannel } from '../../operations/setup-channel.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import type { SetupTexts } from './languages/setup-texts.ts';
import type { Bot } from './plan.ts';
import type { Prompts } from './prompts.ts';

/** Undefined when the person gives up on it. `given`: what flags have said. */
export async function chooseBot(
  channel: SetupChannel,
  given: Bot | undefined,
  { prompts, context, texts }: { prompts: Prompts; context: OperationContext; texts: SetupTexts },
): Promise<(Bot & { name: string }) | undefined> {
  const { title, steps } = texts.bot[channel];
  if (!given) prompts.note(steps.join('\n'), title);
  for (let next = given; ; next = undefined) {
    const bot = next ?? (await askForBot(channel, prompts, texts));
    try {
      const { bot: name } = await prompts.working(texts.asking(channel), () => tryChannel.run(bot, context));
      prompts.done(texts.botKnown(channel, name));
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

async function askForBot(channel: SetupChannel, prompts: Prompts, texts: SetupTexts): Promise<Bot> {
  const problemOf = (key: string) => (text: string) => botSettingProblem(channel, key, text);
  if (channel === 'telegram') {
    return {
      channel,
      botToken: await prompts.secret({ message: texts.botToken, problem: problemOf('botToken') }),
    };
  }
  const platform = await prompts.choose(texts.whichPlatform, [
    { value: 'feishu', label: 'Feishu (飞书)' },
    { value: 'lark', label: 'Lark' },
    { value: 'private', label: texts.privateDeployment },
  ]);
  const domain =
    platform === 'private'
      ? await prompts.text({ message: texts.addressOfDeployment, problem: problemOf('domain') })
      : platform;
  const appId = await prompts.text({ message: 'App ID', problem: problemOf('appId') });
  const appSecret = await prompts.secret({ message: 'App Secret', problem: problemOf('appSecret') });
  return { channel, domain, appId, appSecret };
}
