// Every answer of set-up as a flag.
import type { Command } from 'commander';
import { LANGUAGES, type Language } from '../../config/settings.ts';
import { SETUP_CHANNELS, type SetupChannel } from '../../operations/setup-channel.ts';
import { REUSABLE_PROGRAMS, type ReusableProgram } from '../../operations/setup-reuse.ts';
import { SHELLS, type Shell } from '../completion/scripts.ts';
import { oneOf, single, switchOf, text, webAddress, withOutput } from '../flags.ts';
import { type OutputFlags, UsageError } from '../terminal.ts';

export const SETUP_USAGE = 'lainclaw setup [flags]   (lainclaw setup --help lists the flags)';

export interface SetupFlags extends OutputFlags {
  yes?: boolean;
  provider?: string;
  model?: string;
  apiKeyStdin?: boolean;
  apiKeyEnv?: string;
  baseUrl?: string;
  reuse?: ReusableProgram;
  language?: Language;
  memory?: boolean;
  channel?: SetupChannel | 'none';
  botTokenStdin?: boolean;
  botTokenEnv?: string;
  appId?: string;
  appSecretStdin?: boolean;
  appSecretEnv?: string;
  domain?: string;
  completion?: Shell | 'none';
}

export function addSetupFlags(command: Command): Command {
  command
    .option('--yes', 'ask nothing: what is not given stays as it is')
    .addOption(single('--provider <name>', 'the model provider: "lainclaw models" lists them', text))
    .addOption(single('--model <model>', "the model, or provider/model (default: the provider's own)", text))
    .option('--api-key-stdin', 'read the API key from standard input, unseen at a terminal')
    .addOption(single('--api-key-env <NAME>', 'the variable that holds the API key', text))
    .addOption(single('--base-url <url>', 'the address of the server', webAddress))
    .addOption(
      single(
        '--reuse <program>',
        `use the sign-in of ${REUSABLE_PROGRAMS.join(' or ')} on this machine, read only then`,
        oneOf(REUSABLE_PROGRAMS),
      ),
    )
    .addOption(single('--language <language>', LANGUAGES.join(', '), oneOf(LANGUAGES)))
    .addOption(single('--memory <on|off>', 'memory of sessions', switchOf('on', 'off')))
    .addOption(
      single('--channel <channel>', `${SETUP_CHANNELS.join(', ')} or none`, oneOf([...SETUP_CHANNELS, 'none'])),
    )
    .option('--bot-token-stdin', "read Telegram's bot token from standard input")
    .addOption(single('--bot-token-env <NAME>', 'the variable that holds the bot token; gateway.json names it', text))
    .addOption(single('--app-id <id>', 'of the Feishu app', text))
    .option('--app-secret-stdin', "read the Feishu app's secret from standard input")
    .addOption(single('--app-secret-env <NAME>', 'the variable that holds the secret; gateway.json names it', text))
    .addOption(single('--domain <domain>', 'feishu, lark, or the address of a private deployment', text))
    .addOption(single('--completion <shell>', `${SHELLS.join(', ')} or none`, oneOf([...SHELLS, 'none'])));
  return withOutput(command);
}

/** Flags that contradict each other, or belong to what is not set up. Throws UsageError. */
export function checkSetupFlags(flags: SetupFlags, { isPiped }: { isPiped: boolean }): void {
  const fromStdin = [
    flags.apiKeyStdin && '--api-key-stdin',
    flags.botTokenStdin && '--bot-token-stdin',
    flags.appSecretStdin && '--app-secret-stdin',
  ].filter(Boolean);
  if (isPiped && fromStdin.length > 1)
    throw wrongUsage(
      `standard input holds one secret: give one of ${fromStdin.join(', ')}, and the other by its -env flag`,
    );
  if (flags.apiKeyStdin && flags.apiKeyEnv) throw wrongUsage('--api-key-stdin and --api-key-env exclude each other');
  if (flags.botTokenStdin && flags.botTokenEnv)
    throw wrongUsage('--bot-token-stdin and --bot-token-env exclude each other');
  if (flags.appSecretStdin && flags.appSecretEnv)
    throw wrongUsage('--app-secret-stdin and --app-secret-env exclude each other');
  if (flags.reuse && (flags.provider || flags.apiKeyStdin || flags.apiKeyEnv || flags.baseUrl))
    throw wrongUsage('--reuse names the sign-in: it excludes --provider, --base-url and the flags of an API key');
  const { channel } = flags;
  if (channel !== 'telegram' && (flags.botTokenStdin || flags.botTokenEnv))
    throw wrongUsage('the flags of a bot token need --channel telegram');
  if (channel !== 'feishu' && (flags.appId || flags.appSecretStdin || flags.appSecretEnv || flags.domain))
    throw wrongUsage('the flags of a Feishu app need --channel feishu');
}

export function wrongUsage(message: string): UsageError {
  return new UsageError(message, { usage: SETUP_USAGE });
}
