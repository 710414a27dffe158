// Connecting a bot on a terminal: the steps in words, its secrets, and a live test that can be repeated.
import type { OperationContext } from '../../operations/operation.ts';
import { botSettingProblem, type SetupChannel, tryChannel } from '../../operations/setup-channel.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import type { Bot } from './plan.ts';
import type { Prompts } from './prompts.ts';

const STEPS: Readonly<Record<SetupChannel, string>> = {
  telegram: [
    '1. Write /newbot to @BotFather on Telegram, and give it a name.',
    '2. It answers with a token such as 123456789:AAE…: copy it.',
    '   Whoever has the token is the bot.',
  ].join('\n'),
  feishu: [
    '1. open.feishu.cn/app (Lark: open.larksuite.com/app): create a custom app.',
    '2. Features: enable the bot. Permissions: the scopes that',
    '   "lainclaw docs read gateway/feishu" lists.',
    '3. Credentials & Basic Info: copy the App ID and the App Secret.',
    '4. Once the gateway runs: Events & Callbacks, persistent connection.',
  ].join('\n'),
};

/** Undefined when the person gives up on it. `given`: what flags have said. */
export async function chooseBot(
  channel: SetupChannel,
  given: Bot | undefined,
  { prompts, context }: { prompts: Prompts; context: OperationContext },
): Promise<(Bot & { name: string }) | undefined> {
  if (!given) prompts.note(STEPS[channel], channel === 'telegram' ? 'A bot on Telegram' : 'A bot on Feishu or Lark');
  for (let next = given; ; next = undefined) {
    const bot = next ?? (await askForBot(channel, prompts));
    try {
      const { bot: name } = await prompts.working(`Asking ${channel}`, () => tryChannel.run(bot, context));
      prompts.done(`${channel} knows the bot: ${name}`);
      return { ...bot, name };
    } catch (error) {
      if (context.signal.aborted || !(error instanceof CodedError)) throw error;
      prompts.failed(error.message);
    }
    const again = await prompts.choose('What now?', [
      { value: true, label: 'Try again' },
      { value: false, label: 'Go on without it' },
    ]);
    if (!again) return undefined;
  }
}

async function askForBot(channel: SetupChannel, prompts: Prompts): Promise<Bot> {
  const problemOf = (key: string) => (text: string) => botSettingProblem(channel, key, text);
  if (channel === 'telegram') {
    return {
      channel,
      botToken: await prompts.secret({ message: 'The token of the bot', problem: problemOf('botToken') }),
    };
  }
  const domain = await prompts.choose('Which platform?', [
    { value: 'feishu', label: 'Feishu (飞书)' },
    { value: 'lark', label: 'Lark' },
  ]);
  const appId = await prompts.text({ message: 'App ID', problem: problemOf('appId') });
  const appSecret = await prompts.secret({ message: 'App Secret', problem: problemOf('appSecret') });
  return { channel, domain, appId, appSecret };
}
