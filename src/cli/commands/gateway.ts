// The gateway's verbs; each one's code is loaded when it is used.
import { type Command, Option } from 'commander';
import type { OpenGateway } from '../../gateway/service/gateway-admin.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { integerFrom, single, withOutput } from '../flags.ts';
import { type OutputFlags, wantsJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';
import type { ConfigFlags } from './gateway/config.ts';
import { accountFlag, addSettingFlags, addStartFlags, channelFlag, channelsFlag } from './gateway/flags.ts';
import type { LogsFlags } from './gateway/logs.ts';
import type { StartFlags } from './gateway/start.ts';
import type { StatusFlags } from './gateway/status.ts';

export const configureGateway: ConfigureCommand = (...parts) => configureGatewayOn(undefined)(...parts);

/** `open` is what the service runs, where it is not the program's own channels. */
export function configureGatewayOn(open: OpenGateway | undefined): ConfigureCommand {
  return (gateway, terminal) => {
    const onRuntime = async (flags: OutputFlags, use: (runtime: Runtime) => Promise<void>): Promise<void> => {
      wantsJson(terminal, flags);
      await withRuntime(terminal, use, { openGateway: open });
    };
    const verb = (name: string, description: string): Command =>
      withOutput(gateway.command(name).description(description));

    const start = verb('start', 'run the gateway: here, or with --daemon in the background')
      .addOption(channelsFlag())
      .option('--daemon', 'return when it is ready, and leave it running')
      .addOption(hidden('--background'));
    addStartFlags(start).action((flags: StartFlags) =>
      onRuntime(flags, async (runtime) => (await import('./gateway/start.ts')).start(runtime, flags, terminal)),
    );
    verb('status', 'whether it runs, its channels, what waits and what could not be sent')
      .addOption(channelFlag())
      .action((flags: StatusFlags) =>
        onRuntime(flags, async (runtime) => (await import('./gateway/status.ts')).status(runtime, flags, terminal)),
      );
    verb('stop', 'end it; running turns may finish').action((flags: OutputFlags) =>
      onRuntime(flags, async (runtime) => (await import('./gateway/stop.ts')).stop(runtime, flags, terminal)),
    );
    verb('restart', 'end it and start it again with the same flags').action((flags: OutputFlags) =>
      onRuntime(flags, async (runtime) => (await import('./gateway/stop.ts')).restart(runtime, flags, terminal)),
    );
    verb('logs', 'what it did')
      .option('-f, --follow', 'keep showing new lines')
      .addOption(single('-n, --lines <N>', 'how many of the newest lines (default: 50)', integerFrom(1)))
      .action((flags: LogsFlags) =>
        onRuntime(flags, async (runtime) => (await import('./gateway/logs.ts')).logs(runtime, flags, terminal)),
      );
    verb('retry', 'send dead letters again: one by its key, or all')
      .argument('[key]')
      .action((key: string | undefined, flags: OutputFlags) =>
        onRuntime(flags, async (runtime) => (await import('./gateway/status.ts')).retry(runtime, key, flags, terminal)),
      );
    const install = verb('install', 'write the file that has the system start it (systemd, launchd)');
    addStartFlags(install.addOption(channelsFlag())).action((flags: StartFlags) =>
      onRuntime(flags, async (runtime) => (await import('./gateway/install.ts')).install(runtime, flags, terminal)),
    );
    verb('uninstall', 'remove that file').action((flags: OutputFlags) =>
      onRuntime(flags, async () => (await import('./gateway/install.ts')).uninstall(flags, terminal)),
    );

    const config = gateway.command('config').description('its settings, gateway.json');
    const layered = (name: string, description: string): Command =>
      withOutput(
        config
          .command(name)
          .description(description)
          .addOption(channelFlag())
          .addOption(accountFlag())
          .option('--jobs', 'the settings of scheduled jobs'),
      );
    const configure = (name: 'show' | 'clear' | 'path' | 'validate') => (flags: ConfigFlags) =>
      onRuntime(flags, async (runtime) => (await import('./gateway/config.ts'))[name](runtime, flags, terminal));

    addSettingFlags(layered('set', 'put settings into a layer: key=value, or the flags of start'))
      .argument('[settings...]', 'key=value; "key=" takes one out, "key=-" reads a secret from standard input')
      .action((pairs: string[], flags: ConfigFlags) =>
        onRuntime(flags, async (runtime) => (await import('./gateway/config.ts')).set(runtime, pairs, flags, terminal)),
      );
    layered('show', 'the settings, without secrets').action(configure('show'));
    layered('clear', 'empty a layer: the default one, or a channel’s').action(configure('clear'));
    layered('path', 'where the file is').action(configure('path'));
    layered('validate', 'everything that is wrong with it').action(configure('validate'));
  };
}

function hidden(flags: string): Option {
  return new Option(flags).hideHelp();
}
