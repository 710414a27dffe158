import { type McpServerConfig, toolName } from '../../mcp/mcp.ts';
import type { Mcp } from '../../mcp/open-mcp.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { approve, paths, port, single, text, toolAllow, webAddress, withOutput, workspace } from '../flags.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn, writeJson } from '../terminal.ts';
import { withRuntime } from '../with-runtime.ts';
import type { ServeFlags } from './mcp-serve.ts';

interface AddFlags extends OutputFlags {
  url?: string;
  env?: string[];
  header?: string[];
  cwd?: string;
  force?: boolean;
}

export const configureMcp: ConfigureCommand = (mcp, terminal, setExitCode) => {
  const withMcp = (use: (mcp: Mcp) => Promise<void>): Promise<void> =>
    withRuntime(terminal, async (runtime) => use(await runtime.mcp()));

  withOutput(mcp.command('list').description('the servers of mcp.json and their tools')).action((flags: OutputFlags) =>
    withMcp((service) => list(service, flags, terminal)),
  );
  withOutput(
    mcp
      .command('add')
      .description('a server: a program to start (after --), or an address')
      .argument('<name>')
      .argument('[command...]', 'the program and its arguments'),
  )
    .addOption(single('--url <url>', 'the address of a server that runs', webAddress))
    .addOption(
      paths(
        '--env <NAME=value>',
        'for the program, its value may name a variable of your environment in braces after a dollar sign',
      ),
    )
    .addOption(paths('--header <Name=value>', 'for the address; may be repeated'))
    .addOption(single('--cwd <dir>', 'where the program runs', text))
    .option('--force', 'replace a server of the same name')
    .action((name: string, command: string[], flags: AddFlags) =>
      withMcp((service) => add(name, command, service, flags, terminal)),
    );
  withOutput(mcp.command('remove').description('forget a server').argument('<name>')).action(
    (name: string, flags: OutputFlags) => withMcp((service) => remove(name, service, flags, terminal)),
  );
  withOutput(mcp.command('test').description('start a server and ask for its tools').argument('<name>')).action(
    (name: string, flags: OutputFlags) => withMcp((service) => test(name, service, flags, terminal)),
  );
  withOutput(mcp.command('login').description('sign in to a server that wants it').argument('<name>')).action(
    (name: string, flags: OutputFlags) => withMcp((service) => login(name, service, flags, terminal)),
  );
  withOutput(mcp.command('logout').description('forget a sign-in').argument('<name>')).action(
    (name: string, flags: OutputFlags) => withMcp((service) => logout(name, service, flags, terminal)),
  );
  mcp
    .command('serve')
    .description('offer our tools to other agents, on stdin and stdout or over HTTP')
    .addOption(toolAllow())
    .addOption(approve())
    .addOption(workspace())
    .option('--http', 'listen on this machine instead, for whoever has the token')
    .addOption(single('--port <number>', 'with --http: 0 to 65535, 0 for a free one (default: 0)', port))
    .action(async (flags: ServeFlags) => {
      const { serveMcp } = await import('./mcp-serve.ts');
      setExitCode(await serveMcp(flags, terminal));
    });
};

async function list(mcp: Mcp, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const servers = await mcp.config.read();
  const { tools, problems } = await mcp.servers.tools(terminal.signal);
  for (const problem of problems) warn(terminal, `MCP server ${problem}`);
  const rows = [...servers].map(([name, server]) => ({
    name,
    ...shown(server),
    tools: tools.filter((each) => each.server === name).map(({ tool }) => toolName(name, tool.name)),
  }));
  if (wantsJson(terminal, flags)) return writeJson(terminal, { servers: rows, problems });
  if (rows.length === 0) return void terminal.out.write('no servers yet: lainclaw mcp add <name> -- <command>\n');
  const colors = colorsFor(terminal.out, terminal);
  for (const { name, tools: own, ...server } of rows) {
    const where = server.url ?? [server.command, ...(server.args ?? [])].join(' ');
    terminal.out.write(`${colors.bold(name)}  ${colors.dim(printable(where))}\n`);
    for (const tool of own) terminal.out.write(`  ${printable(tool)}\n`);
  }
}

async function add(name: string, command: string[], mcp: Mcp, flags: AddFlags, terminal: Terminal): Promise<void> {
  const server = serverOf(command, flags);
  await mcp.config.add(name, server, { replace: flags.force ?? false });
  const found = await mcp.servers.refresh(name, terminal.signal).catch((error: unknown) => {
    terminal.signal.throwIfAborted();
    warn(terminal, `${(error as Error).message}. It is kept; try "lainclaw mcp test ${name}"`);
    return undefined;
  });
  for (const each of found?.leftOut ?? []) warn(terminal, `left out ${each}`);
  const tools = found?.tools.map((tool) => toolName(name, tool.name)) ?? [];
  if (wantsJson(terminal, flags)) return writeJson(terminal, { name, ...shown(server), reached: !!found, tools });
  terminal.out.write(`added ${name}${found ? ` with ${tools.length} tools; each asks before it runs` : ''}\n`);
}

function serverOf([command, ...args]: string[], { url, env = [], header = [], cwd }: AddFlags): McpServerConfig {
  if ((command === undefined) === (url === undefined))
    throw new UsageError('mcp add needs a program (lainclaw mcp add <name> -- <command> …) or --url, one of them');
  if (url !== undefined) {
    if (env.length > 0 || cwd !== undefined) throw new UsageError('--env and --cwd go with a program, not with --url');
    return { kind: 'url', url, headers: pairs('--header', header) };
  }
  if (header.length > 0) throw new UsageError('--header goes with --url');
  return { kind: 'command', command: command ?? '', args, env: pairs('--env', env), ...(cwd !== undefined && { cwd }) };
}

function pairs(flag: string, values: string[]): Record<string, string> {
  return Object.fromEntries(
    values.map((value) => {
      const at = value.indexOf('=');
      if (at < 1) throw new UsageError(`${flag} ${value} is not accepted. Accepted: NAME=value`);
      return [value.slice(0, at), value.slice(at + 1)];
    }),
  );
}

async function login(name: string, mcp: Mcp, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const { showAddress } = await import('../login-interaction.ts');
  const outcome = await mcp.login(name, (url) => showAddress(url.href, terminal), terminal.signal);
  const { tools } = await mcp.servers.refresh(name, terminal.signal);
  if (wantsJson(terminal, flags)) return writeJson(terminal, { name, outcome, tools: tools.length });
  const said = outcome === 'signed-in' ? `signed in to ${name}` : `${name} wants no sign-in`;
  terminal.out.write(`${said}: ${tools.length} tools; each asks before it runs\n`);
}

async function logout(name: string, mcp: Mcp, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await mcp.logout(name);
  if (wantsJson(terminal, flags)) return writeJson(terminal, { signedOut: name });
  terminal.out.write(`signed out of ${name}\n`);
}

async function remove(name: string, mcp: Mcp, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await mcp.config.remove(name);
  await mcp.logout(name);
  if (wantsJson(terminal, flags)) return writeJson(terminal, { removed: name });
  terminal.out.write(`removed ${name}\n`);
}

async function test(name: string, mcp: Mcp, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const { tools, leftOut } = await mcp.servers.refresh(name, terminal.signal);
  for (const each of leftOut) warn(terminal, `left out ${each}`);
  if (wantsJson(terminal, flags)) return writeJson(terminal, { name, tools, leftOut });
  const colors = colorsFor(terminal.out, terminal);
  for (const tool of tools)
    terminal.out.write(`${colors.bold(printable(toolName(name, tool.name)))}  ${printable(tool.description)}\n`);
}

const MASKED = '***';
const SECRET_FLAG = /^--?[\w-]*(key|token|secret|password|auth)[\w-]*(=|$)/i;

/** Values may be secrets: only their names are shown, and references as they are. */
function shown(server: McpServerConfig): { command?: string; args?: readonly string[]; url?: string } {
  const masked = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, maskedValue(value)]));
  if (server.kind === 'url') return { url: maskedUrl(server.url), ...{ headers: masked(server.headers) } };
  const { kind: _, args, env, ...rest } = server;
  return { ...rest, args: maskedArgs(args), ...{ env: masked(env) } };
}

function maskedValue(value: string): string {
  return /^\$\{\w+\}$/.test(value) ? value : MASKED;
}

function maskedUrl(address: string): string {
  const url = new URL(address);
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, MASKED);
  return url.href;
}

/** Of `--api-key x` and `--api-key=x`, only the name. */
function maskedArgs(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    if (SECRET_FLAG.test(arg) && arg.includes('=')) return `${arg.slice(0, arg.indexOf('='))}=${MASKED}`;
    const before = args[index - 1] ?? '';
    return SECRET_FLAG.test(before) && !before.includes('=') && !arg.startsWith('-') ? maskedValue(arg) : arg;
  });
}
