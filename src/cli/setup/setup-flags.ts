// Every answer of set-up as a flag.
import type { Command } from 'commander';
import { LANGUAGES, type Language, SEARCH_SERVICES } from '../../config/settings.ts';
import type { SetupChannel } from '../../operations/setup-channel.ts';
import { REUSABLE_PROGRAMS, type ReusableProgram } from '../../operations/setup-reuse.ts';
import { SHELLS, type Shell } from '../completion/scripts.ts';
import { oneOf, single, switchOf, text, webAddress, withOutput } from '../flags.ts';
import { type OutputFlags, UsageError } from '../terminal.ts';
import { botFlags, isGiven } from './bot-flags.ts';

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
  webSearch?: (typeof SEARCH_SERVICES)[number] | 'none';
  webSearchKeyStdin?: boolean;
  webSearchKeyEnv?: string;
  webSearchUrl?: string;
  /** The name of one, or `none`. */
  channel?: string;
  completion?: Shell | 'none';
}

export function addSetupFlags(command: Command, channels: readonly SetupChannel[]): Command {
  const names = channels.map(({ name }) => name);
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
      single(
        '--web-search <service>',
        `what web_search asks: ${SEARCH_SERVICES.join(', ')} or none`,
        oneOf([...SEARCH_SERVICES, 'none']),
      ),
    )
    .option('--web-search-key-stdin', 'read the key of that service from standard input')
    .addOption(single('--web-search-key-env <NAME>', 'the variable that holds the key of that service', text))
    .addOption(single('--web-search-url <url>', 'the address of that service: needed for searxng', webAddress))
    .addOption(single('--channel <channel>', `${names.join(', ')} or none`, oneOf([...names, 'none'])));
  for (const { flag, value, about } of botFlags(channels)) {
    if (value === undefined) command.option(flag, about);
    else command.addOption(single(`${flag} <${value}>`, about, text));
  }
  command.addOption(single('--completion <shell>', `${SHELLS.join(', ')} or none`, oneOf([...SHELLS, 'none'])));
  return withOutput(command);
}

/** Flags that contradict each other, or belong to what is not set up. Throws UsageError. */
export function checkSetupFlags(
  flags: SetupFlags,
  { isPiped, channels }: { isPiped: boolean; channels: readonly SetupChannel[] },
): void {
  const given = botFlags(channels).filter(({ property }) => isGiven(flags, property));
  const fromStdin = [
    ...(flags.apiKeyStdin ? ['--api-key-stdin'] : []),
    ...(flags.webSearchKeyStdin ? ['--web-search-key-stdin'] : []),
    ...given.filter(({ from }) => from === 'stdin').map(({ flag }) => flag),
  ];
  if (isPiped && fromStdin.length > 1)
    throw wrongUsage(
      `standard input holds one secret: give one of ${fromStdin.join(', ')}, and the other by its -env flag`,
    );
  if (flags.apiKeyStdin && flags.apiKeyEnv) throw wrongUsage('--api-key-stdin and --api-key-env exclude each other');
  if (flags.webSearchKeyStdin && flags.webSearchKeyEnv)
    throw wrongUsage('--web-search-key-stdin and --web-search-key-env exclude each other');
  const ofSearch = flags.webSearchKeyStdin || flags.webSearchKeyEnv || flags.webSearchUrl;
  if (ofSearch && (flags.webSearch === undefined || flags.webSearch === 'none'))
    throw wrongUsage('the other flags of --web-search need it: --web-search brave, tavily, exa or searxng');
  for (const one of given) {
    const other = given.find(({ key, flag }) => key === one.key && flag !== one.flag);
    if (other) throw wrongUsage(`${one.flag} and ${other.flag} exclude each other`);
    if (!one.channels.includes(flags.channel ?? ''))
      throw wrongUsage(`${one.flag} needs --channel ${one.channels.join(' or ')}`);
  }
  if (flags.reuse && (flags.provider || flags.apiKeyStdin || flags.apiKeyEnv || flags.baseUrl))
    throw wrongUsage('--reuse names the sign-in: it excludes --provider, --base-url and the flags of an API key');
}

export function wrongUsage(message: string): UsageError {
  return new UsageError(message, { usage: SETUP_USAGE });
}
