// Whether an answer to a chat would be refused, told while it can still be put right: by the rules of delivery and the settings as
// the gateway that runs has them, or the next one would.
import type { Config } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import type { OwnerFiles } from '../../storage/storage.ts';
import type { Asker } from '../../vocabulary/asker.ts';
import { parseChatName } from '../../vocabulary/chat-name.ts';
import { createAccess } from '../access/access.ts';
import type { GatewayFile } from '../settings/gateway-file.ts';
import { accountsOf, resolveBot } from '../settings/resolve.ts';
import {
  CHANNEL_SETTINGS,
  GATEWAY_CHANNELS,
  type GatewayChannel,
  isGatewayChannel,
  variableOf,
} from '../settings/settings.ts';
import { type AnswerBot, type AnswerRules, answerTarget } from './answer-target.ts';
import type { ServiceState } from './service-state.ts';

export interface AnswerProblemOptions extends Pick<AnswerRules, 'people' | 'hasSession'> {
  file: GatewayFile;
  running: ServiceState | undefined;
  environment: Environment;
  config: Config;
  files: OwnerFiles;
  now(): number;
}

/** Undefined: it would go there. */
export async function answerProblem(
  name: string,
  asker: Asker,
  { file, running, environment, config, files, now, ...known }: AnswerProblemOptions,
): Promise<string | undefined> {
  const settings = ({ channel, account }: { channel: string; account: string }) =>
    resolveBot(channel as GatewayChannel, account, { file, flags: running?.flags ?? {}, environment, config });
  const channels = running ? running.channels.filter(isGatewayChannel) : GATEWAY_CHANNELS;
  const bots = channels.flatMap((channel) =>
    accountsOf(channel, file, environment).map((account) => {
      const bot = { channel, account };
      return { ...bot, settings: settings(bot) } as AnswerBot;
    }),
  );
  const access = createAccess({ files, settings, now });
  const target = await answerTarget(name, asker, { bots: () => bots, access, ...known });
  const channel = parseChatName(name)?.channel ?? '';
  // The local channel needs no settings.
  const needsSetUp = !running && isGatewayChannel(channel) && !isSetUp(channel, file, environment);
  if (needsSetUp && !(target.ok && channel === 'local'))
    return `nothing is set up for the channel ${channel}, so the answer cannot be sent: "lainclaw docs read gateway/${channel}.md" tells how`;
  return target.ok ? undefined : target.reason;
}

function isSetUp(channel: GatewayChannel, file: GatewayFile, { variables }: Environment): boolean {
  const isSetHere = Object.entries(CHANNEL_SETTINGS[channel]).some(([key, setting]) =>
    Boolean(variables[variableOf(key, setting, channel)]),
  );
  return isSetHere || Object.keys(file.channels[channel] ?? {}).length > 0;
}
