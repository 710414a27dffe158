// `lainclaw up`: the gateway with its web console, opened in a browser. A gateway that runs is used as it is.
import { createConsoleLink } from '../../operations/console.ts';
import { startGateway } from '../../operations/gateway.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { integerFrom, single, withOutput } from '../flags.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';

const USUAL_PORT = 4747;

interface UpFlags extends OutputFlags {
  open: boolean;
  port?: number;
}

export const configureUp: ConfigureCommand = (command, terminal) => {
  withOutput(command)
    .option('--no-open', 'print the link and open no browser')
    .addOption(
      single(
        '--port <N>',
        'the port of the gateway when it is started (default: 4747 when it is free)',
        integerFrom(0),
      ),
    )
    .action(async (flags: UpFlags) => up(flags, terminal));
};

async function up(flags: UpFlags, terminal: Terminal): Promise<void> {
  const asJson = wantsJson(terminal, flags);
  await withRuntime(terminal, async (runtime) => {
    const context = { runtime, signal: terminal.signal, warn: () => {} };
    const { states } = await runtime.gatewayAdmin();
    const running = await states.running();
    const { port, pid } = running ?? (await startGateway.run({ settings: await portSetting(flags, runtime) }, context));
    if (running && flags.port !== undefined && flags.port !== 0 && flags.port !== port)
      warn(terminal, `the gateway runs already, on port ${port}: "lainclaw gateway stop" ends it`);
    const { url } = await createConsoleLink.run({}, context);
    if (asJson) {
      writeJson(terminal, { url, port, pid });
      return;
    }
    const { green, dim } = colorsFor(terminal.out, terminal);
    terminal.out.write(`${green('✓')} Lainclaw runs (pid ${pid})\n  ${printable(url)}\n`);
    terminal.out.write(dim('  The link signs you in once, within ten minutes. "lainclaw up" makes another one.\n'));
    if (flags.open && terminal.out.isTTY) await openBrowser(url, terminal);
  });
}

/** The page is found again at a port that stays, also after a restart. */
async function portSetting({ port }: UpFlags, runtime: Runtime): Promise<{ port?: number }> {
  if (port !== undefined) return { port };
  const { settingsFile } = await runtime.gatewayAdmin();
  const isSet =
    (await settingsFile.read()).default.port !== undefined ||
    runtime.environment.variables.LAINCLAW_GATEWAY_PORT !== undefined;
  return !isSet && (await isFree(USUAL_PORT)) ? { port: USUAL_PORT } : {};
}

async function isFree(port: number): Promise<boolean> {
  const { createServer } = await import('node:net');
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Says nothing when there is no browser: the link is printed. */
async function openBrowser(url: string, { environment: { variables } }: Terminal): Promise<void> {
  const { spawn } = await import('node:child_process');
  const { platform } = process;
  const [program, ...args] =
    platform === 'darwin'
      ? ['open', url]
      : platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url];
  await new Promise<void>((resolve) => {
    const child = spawn(program as string, args, { env: { ...variables }, stdio: 'ignore', detached: true });
    child.once('error', () => resolve());
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });
}
