// What `ask` and `chat` have in common: the flags of a turn, and the turn they ask for.

import type { Command } from 'commander';
import { EFFORTS, type Effort } from '../config/effort.ts';
import type { Environment } from '../config/environment.ts';
import type { Approval, Mode } from '../config/mode.ts';
import type { AskRequest } from '../gateway/gateway.ts';
import { askedCaps, askedProvider, type TurnSources } from '../runtime/asked-turn.ts';
import {
  amount,
  approve,
  integerFrom,
  mode,
  oneOf,
  single,
  switchOf,
  text,
  toolAllow,
  webAddress,
  workspace,
} from './flags.ts';
import { UsageError } from './terminal.ts';

export interface TurnFlags {
  provider?: string;
  profile?: string;
  model?: string;
  effort?: Effort;
  system?: string;
  session?: string;
  newSession?: boolean;
  memory?: boolean;
  withTools?: boolean;
  toolAllow?: string[];
  toolMaxSteps?: number;
  mode?: Mode;
  approve?: Approval;
  workspace?: string;
  baseUrl?: string;
  maxTokens?: number;
  maxCostUsd?: number;
  debug?: boolean;
}

/** How turns are asked, whatever is asked. */
export type TurnSettings = Pick<
  AskRequest,
  | 'provider'
  | 'profileId'
  | 'model'
  | 'effort'
  | 'system'
  | 'memoryDefault'
  | 'withTools'
  | 'toolAllow'
  | 'toolMaxSteps'
  | 'memory'
  | 'caps'
> & { mode: Mode };

const COMPATIBLE = 'openai-compatible';

export function addTurnFlags(
  command: Command,
  { maxSteps, session = 'main' }: { maxSteps: number; session?: string },
): Command {
  return command
    .addOption(single('--provider <name>', 'the model provider (default: LAINCLAW_PROVIDER, config.json, stub)', text))
    .addOption(single('--profile <id>', 'the sign-in profile of the provider', text))
    .addOption(single('--model <name>', 'the model, or provider/model', text))
    .addOption(
      single('--effort <level>', `how long the model thinks, where it can: ${EFFORTS.join(', ')}`, oneOf(EFFORTS)),
    )
    .addOption(
      single(
        '--system <text>',
        'instructions for the model, beside its own prompt; @file reads them from a file',
        text,
      ),
    )
    .addOption(single('--session <key>', `the conversation to continue (default: ${session})`, text))
    .option('--new-session', 'start a new conversation under this key')
    .addOption(
      single('--memory <on|off>', 'memory of this session; also --memory alone and --no-memory', switchOf('on', 'off')),
    )
    .addOption(
      single(
        '--with-tools <true|false>',
        'let the model call tools (default: true); also --no-with-tools',
        switchOf('true', 'false'),
      ),
    )
    .addOption(toolAllow())
    .addOption(
      single(
        '--tool-max-steps <N>',
        `model calls in one turn: a whole number of at least 1 (default: ${maxSteps})`,
        integerFrom(1),
      ),
    )
    .addOption(single('--base-url <url>', 'the address of an openai-compatible server', webAddress))
    .addOption(single('--max-tokens <N>', 'end the turn when it has used this many tokens', integerFrom(1)))
    .addOption(single('--max-cost-usd <amount>', 'end the turn when it has cost this much', amount))
    .option('--debug', 'also say what each model call, tool call and turn took and used')
    .addOption(mode())
    .addOption(approve())
    .addOption(workspace());
}

export interface TurnDefaults {
  maxSteps: number;
  usage: string;
}

/** Flags over the configuration. */
export async function turnOf(
  flags: TurnFlags,
  sources: TurnSources,
  { maxSteps, usage }: TurnDefaults,
): Promise<TurnSettings> {
  const { config } = sources;
  const asked = await askedProvider(flags, sources);
  if (flags.baseUrl !== undefined && asked.provider !== COMPATIBLE)
    throw new UsageError(`--base-url goes with --provider ${COMPATIBLE}, not with ${asked.provider}`, { usage });
  return {
    ...asked,
    effort: flags.effort ?? config.effort,
    system: await systemText(flags.system ?? config.system),
    memoryDefault: config.memory,
    memory: flags.memory,
    withTools: flags.withTools ?? true,
    toolAllow: flags.toolAllow,
    toolMaxSteps: flags.toolMaxSteps ?? config.toolMaxSteps ?? maxSteps,
    mode: flags.mode ?? flags.approve ?? config.mode ?? config.approve ?? 'ask',
    caps: askedCaps(flags, config),
  };
}

const LARGEST_SYSTEM_BYTES = 200_000;

async function systemText(written: string | undefined): Promise<string | undefined> {
  if (!written?.startsWith('@')) return written;
  const path = written.slice(1);
  const { readFile, stat } = await import('node:fs/promises');
  try {
    const { size } = await stat(path);
    if (size > LARGEST_SYSTEM_BYTES) throw new Error(`it has ${size} bytes; at most ${LARGEST_SYSTEM_BYTES} are read`);
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--system: ${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Where the provider was named that there is not. */
export function whereProvider({ provider }: Pick<TurnFlags, 'provider'>, variables: Environment['variables']): string {
  if (provider !== undefined) return '--provider';
  return variables.LAINCLAW_PROVIDER ? 'LAINCLAW_PROVIDER' : 'config.json';
}

/** What the gateway refuses outright is wrong usage of the command. */
export async function asUsageError<T>(
  asked: Promise<T>,
  { usage, provider }: { usage: string; provider: string },
): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    // Loaded already: it is what refused.
    const { RefusedRequest } = await import('../gateway/gateway.ts');
    if (!(error instanceof RefusedRequest)) throw error;
    const { code, message } = error;
    const where = code === 'INVALID_SESSION_KEY' ? '--session' : code === 'UNSUPPORTED_PROVIDER' ? provider : undefined;
    throw new UsageError(where === undefined ? message : `${where}: ${message}`, { code, usage });
  }
}
