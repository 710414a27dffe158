// What set-up will store: gathered and tried first, written at the end. A person who leaves before that has changed nothing.
import type { Language, SEARCH_SERVICES } from '../../config/settings.ts';
import type { OperationContext } from '../../operations/operation.ts';
import { connectModel, storePreferences } from '../../operations/setup.ts';
import { type Bot, connectChannel } from '../../operations/setup-channel.ts';
import type { ReusableProgram } from '../../operations/setup-reuse.ts';
import { connectSearch } from '../../operations/setup-search.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import { type InstalledCompletion, installCompletion } from '../completion/install.ts';
import type { Shell } from '../completion/scripts.ts';

/** What is asked of `setup.try` and stored by `setup.connect`. */
export interface Connection {
  provider: string;
  model?: string;
  key?: string;
  baseUrl?: string;
  signedIn?: boolean;
  /** The program on this machine whose sign-in is used. */
  reuse?: ReusableProgram;
}

/** What is asked of `setup.trySearch` and stored by `setup.search`. */
export interface Search {
  service: (typeof SEARCH_SERVICES)[number];
  apiKey?: string;
  address?: string;
  /** Of the model that searches. */
  provider?: string;
}

export interface SetupPlan {
  /** Tried; undefined leaves the model as it is. */
  connection?: Connection & { model: string };
  language?: Language;
  memory?: boolean;
  /** Tried. */
  search?: Search;
  /** Tried. `name`: the bot's, as its platform knows it. */
  bot?: Bot & { name: string };
  completion?: Shell;
}

export interface SetupOutcome {
  model?: Awaited<ReturnType<typeof connectModel.run>>;
  language?: Language;
  memory?: boolean;
  search?: Awaited<ReturnType<typeof connectSearch.run>>;
  channel?: { channel: string; bot: string; path: string };
  completion?: InstalledCompletion;
}

/** Each part is written whole or not at all. */
export async function storePlan(plan: SetupPlan, context: OperationContext): Promise<SetupOutcome> {
  const { connection, language, memory, search, bot, completion } = plan;
  const preferences = { ...(language !== undefined && { language }), ...(memory !== undefined && { memory }) };
  const model = connection && (await connectModel.run({ ...connection, ...preferences, check: false }, context));
  if (!model) await storePreferences.run(preferences, context);
  return {
    ...(model && { model }),
    ...preferences,
    ...(search && { search: await connectSearch.run({ ...search, check: false }, context) }),
    ...(bot && { channel: await storeBot(bot, context) }),
    ...(completion && { completion: await storeCompletion(completion, context) }),
  };
}

async function storeBot({ name, ...bot }: Bot & { name: string }, context: OperationContext) {
  const { path } = await connectChannel.run({ ...bot, check: false }, context);
  return { channel: bot.channel, bot: name, path };
}

async function storeCompletion(shell: Shell, { runtime }: OperationContext): Promise<InstalledCompletion> {
  try {
    return await installCompletion(shell, runtime.environment);
  } catch (error) {
    throw new CodedError(
      'COMPLETION_FAILED',
      `completion could not be installed (${(error as Error).message}); everything else is stored. By hand: lainclaw completion ${shell}`,
    );
  }
}
