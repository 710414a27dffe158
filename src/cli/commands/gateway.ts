// The gateway's verbs; each one's code is loaded when it is used.
import { type Command, Option } from 'commander';
import type { OpenGateway } from '../../gateway/service/gateway-admin.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { integerFrom, single, withOutput } from '../flags.ts';
import { type OutputFlags, wantsJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';
import type { ConfigFlags } from './gateway/config.ts';
import { accountFlag, addSettingFlags, addStartFlags, channelFlag, channelsFlag } from './gateway/flags.ts';
import type { LogsFlags } from './gateway/logs.ts';
import type { StartFlags } from './gateway/start.ts';
import type { StatusFlags } from './gateway/status.ts';
import type { RestartFlags, StopFlags } from './gateway/stop.ts';

export const configureGateway: ConfigureCommand = (...parts) => configureGatewayOn(undefined)(...parts);

/** `open` is what the service runs, where it is not the program's own channels. */
export function configureGatewayOn(open: OpenGateway | undefined): ConfigureCommand {
  return (gateway, terminal) => {
    // A contradiction is refused before anything is done.
    gateway.hook('preAction', (_gateway, verb) => void wantsJson(terminal, verb.opts()));
    const start = async (flags: StartFlags): Promise<void> => {
      const verbs = await import('./gateway/start.ts');
      if (flags.daemon) return verbs.startDaemon(flags, terminal);
      await withRuntime(terminal, (runtime) => verbs.start(runtime, flags, terminal), { openGateway: open });
    };
    const verb = (name: string, description: string): Command =>
      withOutput(gateway.command(name).description(description));

    const starting = verb('start', 'Run the gateway: here, or with --daemon in the background')
      .addOption(channelsFlag())
      .option('--daemon', 'run it in the background: return when it is ready')
      .addOption(hidden('--background'));
    addStartFlags(starting).action(start);
    verb('status', 'Show whether the gateway runs, its channels, and which messages wait or could not be sent')
      .addOption(channelFlag())
      .action(async (flags: StatusFlags) => (await import('./gateway/status.ts')).status(flags, terminal));
    verb('stop', 'Stop the gateway, or one of its channels; running turns may finish')
      .addOption(channelFlag())
      .action(async (flags: StopFlags) => (await import('./gateway/stop.ts')).stop(flags, terminal));
    verb('restart', 'Stop the gateway and start it again with the same flags')
      .option('--set-up', 'also run the channels that were set up since the start')
      .action(async (flags: RestartFlags) => (await import('./gateway/stop.ts')).restart(flags, terminal));
    verb('logs', 'Show the log of the gateway')
      .option('-f, --follow', 'keep showing new lines')
      .addOption(single('-n, --lines <N>', 'how many of the newest lines (default: 50)', integerFrom(1)))
      .action(async (flags: LogsFlags) => (await import('./gateway/logs.ts')).logs(flags, terminal));
    verb('retry', 'Send messages again that could not be sent: one by its key, or all')
      .argument('[key]')
      .action(async (key: string | undefined, flags: OutputFlags) =>
        (await import('./gateway/status.ts')).retry(key, flags, terminal),
      );
    const install = verb('install', 'Write the file by which the system starts the gateway (systemd, launchd)');
    addStartFlags(install.addOption(channelsFlag())).action(async (flags: StartFlags) =>
      (await import('./gateway/install.ts')).install(flags, terminal),
    );
    verb('uninstall', 'Remove the file by which the system starts the gateway').action(async (flags: OutputFlags) =>
      (await import('./gateway/install.ts')).uninstall(flags, terminal),
    );

    const config = gateway.command('config').description('Show and change the settings of the gateway, gateway.json');
    const layered = (name: string, description: string): Command =>
      withOutput(
        config
          .command(name)
          .description(description)
          .addOption(channelFlag())
          .addOption(accountFlag())
          .option('--jobs', 'the settings of scheduled jobs'),
      );
    const configure = (name: 'show' | 'clear' | 'path' | 'validate') => async (flags: ConfigFlags) =>
      (await import('./gateway/config.ts'))[name](flags, terminal);

    addSettingFlags(layered('set', 'Set settings of a layer: key=value, or the flags of start'))
      .argument('[settings...]', 'key=value; "key=" takes one out, "key=-" reads a secret from standard input')
      .action(async (pairs: string[], flags: ConfigFlags) =>
        (await import('./gateway/config.ts')).set(pairs, flags, terminal),
      );
    layered('show', 'Show the settings, without secrets').action(configure('show'));
    layered('clear', 'Empty a layer: the default one, or that of a channel').action(configure('clear'));
    layered('path', 'Print where the file is').action(configure('path'));
    layered('validate', 'Show everything that is wrong with the file').action(configure('validate'));
  };
}

function hidden(flags: string): Option {
  return new Option(flags).hideHelp();
}
