// Whether an answer to a chat would be refused, found out while it can still be corrected: by the rules of delivery and the settings as
// the gateway that runs has them, or the next one would.
import type { ChannelTable } from '../../channels/channel-table.ts';
import type { ChannelDefinition } from '../../channels/definition.ts';
import type { Config } from '../../config/config.ts';
import type { Environment } from '../../config/environment.ts';
import type { OwnerFiles } from '../../storage/storage.ts';
import type { Asker } from '../../vocabulary/asker.ts';
import { DEFAULT_ACCOUNT, parseChatName } from '../../vocabulary/chat-name.ts';
import { createAccess } from '../access/access.ts';
import type { GatewayFile } from '../settings/gateway-file.ts';
import { accountsOf, isSetUp, resolveBot } from '../settings/resolve.ts';
import { type AnswerBot, type AnswerRules, answerTarget } from './answer-target.ts';
import type { ServiceState } from './service-state.ts';

export interface AnswerProblemOptions extends Pick<AnswerRules, 'people' | 'hasSession'> {
  definitions: ChannelTable;
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
  { definitions, file, running, environment, config, files, now, ...known }: AnswerProblemOptions,
): Promise<string | undefined> {
  const settings = ({ channel, account }: { channel: string; account: string }) =>
    resolveBot(channel, account, { file, flags: running?.flags ?? {}, environment, config });
  const channels = [...definitions.values()].filter(({ name }) => !running || running.channels.includes(name));
  const bots = channels.flatMap((definition) =>
    accountsOf(definition, file, environment).map((account): AnswerBot => {
      const bot = { channel: definition.name, account };
      return { ...bot, settings: settings(bot) };
    }),
  );
  const access = createAccess({ files, settings, now });
  const target = await answerTarget(name, asker, { bots: () => bots, access, ...known });
  const channel = parseChatName(name)?.channel ?? '';
  const definition = definitions.get(channel);
  const isMissing = !running && definition !== undefined && !isSetUp(definition, file, environment);
  if (isMissing && !(target.ok && needsNothing(definition, environment)))
    return `nothing is set up for the channel ${channel}, so the answer cannot be sent: "lainclaw docs read gateway/${channel}.md" tells how`;
  return target.ok ? undefined : target.reason;
}

/** A bot of it runs without any settings. */
function needsNothing(definition: ChannelDefinition, { home }: Environment): boolean {
  return definition.needed(definition.defaults({ account: DEFAULT_ACCOUNT, home })).length === 0;
}
