import { counted } from '../../lib/counted.ts';
import { toolName } from '../../mcp/mcp.ts';
import {
  addServer,
  distrustServer,
  listServers,
  removeServer,
  signInToServer,
  signOutOfServer,
  testServer,
  trustServer,
} from '../../operations/mcp.ts';
import type { OutputOf } from '../../operations/operation.ts';
import { colorsFor } from '../colors.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { approve, mode, paths, port, single, text, toolAllow, webAddress, withOutput, workspace } from '../flags.ts';
import { runOperation } from '../run-operation.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn, writeJson } from '../terminal.ts';
import type { ServeFlags } from './mcp-serve.ts';

interface AddFlags extends OutputFlags {
  url?: string;
  env?: string[];
  header?: string[];
  cwd?: string;
  force?: boolean;
}

export const configureMcp: ConfigureCommand = (mcp, terminal, setExitCode) => {
  withOutput(mcp.command('list').description('List the servers of mcp.json and their tools')).action(
    (flags: OutputFlags) => list(flags, terminal),
  );
  withOutput(
    mcp
      .command('add')
      .description('Add a server: a program to start (after --), or an address; "browser" alone adds a browser')
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
    .action((name: string, command: string[], flags: AddFlags) => add(name, command, flags, terminal));
  withOutput(mcp.command('remove').description('Remove a server').argument('<name>')).action(
    (name: string, flags: OutputFlags) => remove(name, flags, terminal),
  );
  for (const [name, operation, about] of [
    ['trust', trustServer, 'Run its tools without asking, and count its results as your own content'],
    ['distrust', distrustServer, 'Stop trusting a server, or one of its tools'],
  ] as const)
    withOutput(
      mcp
        .command(name)
        .description(about)
        .argument('<name>', 'the server')
        .argument('[tool]', 'only this one of its tools'),
    ).action((server: string, tool: string | undefined, flags: OutputFlags) =>
      changeTrust(operation, { name: server, tool }, flags, terminal),
    );
  withOutput(mcp.command('test').description('Start a server and ask for its tools').argument('<name>')).action(
    (name: string, flags: OutputFlags) => test(name, flags, terminal),
  );
  withOutput(mcp.command('login').description('Sign in to a server that needs it').argument('<name>')).action(
    (name: string, flags: OutputFlags) => login(name, flags, terminal),
  );
  withOutput(mcp.command('logout').description('Forget a sign-in').argument('<name>')).action(
    (name: string, flags: OutputFlags) => logout(name, flags, terminal),
  );
  mcp
    .command('serve')
    .description('Offer our tools to other agents, on stdin and stdout or over HTTP')
    .addOption(toolAllow())
    .addOption(mode())
    .addOption(approve())
    .addOption(workspace())
    .option('--http', 'listen on this machine instead, for programs with the token')
    .addOption(single('--port <number>', 'with --http: 0 to 65535, 0 for a free one (default: 0)', port))
    .action(async (flags: ServeFlags) => {
      const { serveMcp } = await import('./mcp-serve.ts');
      setExitCode(await serveMcp(flags, terminal));
    });
};

async function list(flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, listServers, {}, ({ servers, problems }) => {
    for (const problem of problems) warn(terminal, `MCP server ${problem}`);
    if (wantsJson(terminal, flags)) return writeJson(terminal, { servers, problems });
    if (servers.length === 0) return void terminal.out.write('no servers yet: lainclaw mcp add <name> -- <command>\n');
    const colors = colorsFor(terminal.out, terminal);
    for (const { name, tools, trusted, url, command, args = [] } of servers) {
      const where = url ?? [command, ...args].join(' ');
      terminal.out.write(`${colors.bold(name)}  ${colors.dim(printable(where))}\n`);
      for (const tool of tools) {
        const note = trusted.includes(tool) ? `  ${colors.dim('trusted')}` : '';
        terminal.out.write(`  ${printable(tool)}${note}\n`);
      }
    }
  });
}

async function add(name: string, command: string[], flags: AddFlags, terminal: Terminal): Promise<void> {
  const isRecipe = name === 'browser' && command.length === 0 && flags.url === undefined;
  const input = { name, replace: flags.force, ...(isRecipe ? recipeOf(flags) : serverOf(command, flags)) };
  await runOperation(terminal, addServer, input, (added) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, added);
    const { reached, tools } = added;
    terminal.out.write(
      `added ${name}${reached ? ` with ${counted(tools.length, 'tool')}; each asks before it runs` : ''}\n`,
    );
  });
}

function recipeOf({ env, header, cwd }: AddFlags): { recipe: 'browser' } {
  if (env || header || cwd !== undefined)
    throw new UsageError('mcp add browser chooses --env, --header and --cwd itself');
  return { recipe: 'browser' };
}

function serverOf([command, ...args]: string[], { url, env = [], header = [], cwd }: AddFlags) {
  if ((command === undefined) === (url === undefined))
    throw new UsageError('mcp add needs a program (lainclaw mcp add <name> -- <command> …) or --url, one of them');
  if (url !== undefined) {
    if (env.length > 0 || cwd !== undefined) throw new UsageError('--env and --cwd go with a program, not with --url');
    return { url, headers: pairs('--header', header) };
  }
  if (header.length > 0) throw new UsageError('--header goes with --url');
  return { command, args, env: pairs('--env', env), cwd };
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

async function login(name: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const { showAddress } = await import('../login-interaction.ts');
  const onAddress = (address: string): void => showAddress(address, terminal);
  const show = (done: OutputOf<typeof signInToServer>): void => {
    if (wantsJson(terminal, flags)) return void writeJson(terminal, done);
    const said = done.outcome === 'signed-in' ? `signed in to ${name}` : `${name} wants no sign-in`;
    terminal.out.write(`${said}: ${counted(done.tools, 'tool')}; each asks before it runs\n`);
  };
  await runOperation(terminal, signInToServer, { name }, show, { onAddress });
}

async function logout(name: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, signOutOfServer, { name }, (done) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, done);
    terminal.out.write(`signed out of ${name}\n`);
  });
}

async function changeTrust(
  operation: typeof trustServer | typeof distrustServer,
  input: { name: string; tool?: string },
  flags: OutputFlags,
  terminal: Terminal,
): Promise<void> {
  await runOperation(terminal, operation, input, (done) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, done);
    const { name, trusted } = done;
    if (trusted === 'all') return void terminal.out.write(`trusted: all tools of ${name}\n`);
    terminal.out.write(
      `trusted tools of ${name}: ${trusted.length > 0 ? trusted.map(printable).join(', ') : 'none'}\n`,
    );
  });
}

async function remove(name: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, removeServer, { name }, (done) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, done);
    terminal.out.write(`removed ${name}\n`);
  });
}

async function test(name: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, testServer, { name }, ({ tools, leftOut }) => {
    for (const each of leftOut) warn(terminal, `left out ${each}`);
    if (wantsJson(terminal, flags)) return writeJson(terminal, { name, tools, leftOut });
    const colors = colorsFor(terminal.out, terminal);
    for (const tool of tools)
      terminal.out.write(`${colors.bold(printable(toolName(name, tool.name)))}  ${printable(tool.description)}\n`);
  });
}
