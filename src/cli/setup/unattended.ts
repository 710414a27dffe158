// Set-up without questions: every answer is a flag, and what is missing is named.
import type { OperationContext } from '../../operations/operation.ts';
import { detectSetup, tryModel } from '../../operations/setup.ts';
import { type SetupChannel, tryChannel } from '../../operations/setup-channel.ts';
import { trySearch } from '../../operations/setup-search.ts';
import { readSecret } from '../read-secret.ts';
import { type Terminal, warn } from '../terminal.ts';
import { botIn } from './bot-flags.ts';
import { type Detected, givenConnection, reusedConnection } from './given-connection.ts';
import type { Connection, SetupPlan } from './plan.ts';
import { searchIn } from './search-flags.ts';
import { type SetupFlags, wrongUsage } from './setup-flags.ts';

/** Tried, and not stored yet. Throws UsageError for what is missing, and what the service said for what it refused. */
export async function planFromFlags(
  flags: SetupFlags,
  channels: readonly SetupChannel[],
  context: OperationContext,
  terminal: Terminal,
): Promise<SetupPlan> {
  const found = await detectSetup.run({}, context);
  const connection =
    (await reusedConnection(flags, context)) ?? (await connectionIn(flags, found, terminal)) ?? onlyKeyFound(found);
  const bot = await botIn(flags, { channels, terminal, refuse: wrongUsage });
  const tried = connection && (await tryModel.run(connection, context));
  if (tried?.warning !== undefined) warn(terminal, tried.warning);
  const checked = bot && (await tryChannel.run(bot, context));
  const search = await searchIn(flags, terminal);
  if (search) await trySearch.run({ provider: connection?.provider ?? found.present.provider, ...search }, context);
  const { language, memory, completion } = flags;
  return {
    ...(connection && tried && { connection: { ...connection, model: tried.model } }),
    ...(language !== undefined && { language }),
    ...(memory !== undefined && { memory }),
    ...(search && { search }),
    ...(bot && checked && { bot: { ...bot, name: checked.bot } }),
    ...(completion !== undefined && completion !== 'none' && { completion }),
  };
}

function connectionIn(flags: SetupFlags, found: Detected, terminal: Terminal): Promise<Connection | undefined> {
  return givenConnection(flags, found, terminal.environment, () => readSecret('API key', terminal));
}

/** Where nothing is connected and one key is in the environment, there is nothing to choose. */
function onlyKeyFound({ connections, present }: Detected): Connection | undefined {
  if (present.isConnected) return undefined;
  const [only, ...others] = connections.keys;
  if (only && others.length === 0) return { provider: only.provider };
  const names = [...connections.keys, ...connections.servers].map(({ provider }) => provider);
  const seen = names.length > 0 ? `; found here: ${[...new Set(names)].join(', ')}` : '';
  throw wrongUsage(`--provider is missing: nothing is connected yet${seen}`);
}
