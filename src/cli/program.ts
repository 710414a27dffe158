// The program: every command by name, only the one that was asked for in full.
import { Command } from 'commander';
import type { ConfigureCommand, ProgramOptions } from './configure-command.ts';
import { printable } from './terminal.ts';

interface CommandEntry {
  name: string;
  description: string;
  load(): Promise<ConfigureCommand>;
}

const COMMANDS: CommandEntry[] = [
  {
    name: 'ask',
    description: 'Ask one question, or run tools with "tool:name {json}"',
    load: async () => (await import('./commands/ask.ts')).configureAsk,
  },
  {
    name: 'chat',
    description: 'Chat in this terminal',
    load: async () => (await import('./commands/chat.ts')).configureChat,
  },
  {
    name: 'up',
    description: 'Start the gateway and open the web console',
    load: async () => (await import('./commands/up.ts')).configureUp,
  },
  {
    name: 'setup',
    description: 'Connect a model, choose language, memory and a channel',
    load: async () => (await import('./commands/setup.ts')).loadSetup(),
  },
  {
    name: 'tools',
    description: 'List, describe and call tools',
    load: async () => (await import('./commands/tools.ts')).configureTools,
  },
  {
    name: 'gateway',
    description: 'Run the service that answers on chat platforms and runs scheduled prompts',
    load: async () => (await import('./commands/gateway.ts')).configureGateway,
  },
  {
    name: 'console',
    description: 'Decide who may use the web console and the API',
    load: async () => (await import('./commands/console.ts')).configureConsole,
  },
  {
    name: 'pairing',
    description: 'Approve or revoke who may message the bot',
    load: async () => (await import('./commands/pairing.ts')).configurePairing,
  },
  {
    name: 'memory',
    description: 'Save, search, import and forget what Lainclaw remembers',
    load: async () => (await import('./commands/memory.ts')).configureMemory,
  },
  {
    name: 'schedule',
    description: 'Manage scheduled prompts',
    load: async () => (await import('./commands/schedule.ts')).configureSchedule,
  },
  {
    name: 'sessions',
    description: 'Manage the conversations on this machine',
    load: async () => (await import('./commands/sessions.ts')).configureSessions,
  },
  {
    name: 'ps',
    description: 'List and end commands that run in the background',
    load: async () => (await import('./commands/ps.ts')).configurePs,
  },
  {
    name: 'trust',
    description: 'Decide which folders may instruct the assistant',
    load: async () => (await import('./commands/trust.ts')).configureTrust,
  },
  {
    name: 'permissions',
    description: 'List, add and remove permission rules',
    load: async () => (await import('./commands/permissions.ts')).configurePermissions,
  },
  {
    name: 'undo',
    description: 'Take back what a turn changed in files',
    load: async () => (await import('./commands/undo.ts')).configureUndo,
  },
  {
    name: 'skills',
    description: 'List, show, install and remove skills',
    load: async () => (await import('./commands/skills.ts')).configureSkills,
  },
  {
    name: 'agents',
    description: 'List sub-agents and their background runs',
    load: async () => (await import('./commands/agents.ts')).configureAgents,
  },
  {
    name: 'mcp',
    description: 'Use tools of MCP servers, or offer ours to other agents',
    load: async () => (await import('./commands/mcp.ts')).configureMcp,
  },
  {
    name: 'docs',
    description: 'Read and search the documentation of this version',
    load: async () => (await import('./commands/docs.ts')).configureDocs,
  },
  {
    name: 'models',
    description: 'List the models of each provider',
    load: async () => (await import('./commands/models.ts')).configureModels,
  },
  {
    name: 'auth',
    description: 'Sign in to a provider, sign out, show who is signed in',
    load: async () => (await import('./commands/auth.ts')).configureAuth,
  },
  {
    name: 'config',
    description: 'List, read and change settings',
    load: async () => (await import('./commands/config.ts')).configureConfig,
  },
  {
    name: 'doctor',
    description: 'Check this installation and say how to repair what is wrong',
    load: async () => (await import('./commands/doctor.ts')).configureDoctor,
  },
  {
    name: 'selftest',
    description: 'Test what Lainclaw needs of this machine and its disk',
    load: async () => (await import('./commands/selftest.ts')).configureSelftest,
  },
  {
    name: 'audit',
    description: 'Show who did what and why it was allowed; check that nobody changed that log',
    load: async () => (await import('./commands/audit.ts')).configureAudit,
  },
  {
    name: 'backup',
    description: 'Write everything Lainclaw keeps into one file, or check such a file',
    load: async () => (await import('./commands/backup.ts')).configureBackup,
  },
  {
    name: 'restore',
    description: 'Restore a backup',
    load: async () => (await import('./commands/restore.ts')).configureRestore,
  },
  {
    name: 'store',
    description: 'Keep the records in PostgreSQL: create, check and upgrade its tables, copy records',
    load: async () => (await import('./commands/store.ts')).configureStore,
  },
  {
    name: 'completion',
    description: 'Print a script that completes commands in your shell',
    load: async () => (await import('./commands/completion.ts')).configureCompletion(createProgram),
  },
];

/** Where the output is not a terminal. */
const HELP_WIDTH = 80;

export async function createProgram(options: ProgramOptions): Promise<Command> {
  const { version, terminal, commandName, replaced, setExitCode } = options;
  const program = new Command('lainclaw')
    .description('A local-first agent: asks a model, calls tools under a policy, remembers.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(printable(text)),
      // The library would look at this process's own streams.
      getOutHelpWidth: () => terminal.out.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => terminal.err.columns ?? HELP_WIDTH,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });
  for (const { name, description, load } of COMMANDS) {
    const command = program.command(name).description(description);
    if (name === commandName) (replaced[name] ?? (await load()))(command, terminal, setExitCode);
  }
  explainErrors(program);
  return program;
}

function explainErrors(command: Command): void {
  command.configureOutput({ outputError: (text, write) => write(explained(text, command)) });
  for (const each of command.commands) explainErrors(each);
}

/** Words that people know from other programs, and what they mean here. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ['start', '"lainclaw up", or "lainclaw gateway start"'],
  ['stop', '"lainclaw gateway stop"'],
  ['restart', '"lainclaw gateway restart"'],
  ['status', '"lainclaw gateway status", or "lainclaw doctor"'],
  ['login', '"lainclaw auth login"'],
  ['run', '"lainclaw ask"'],
  ['version', '"lainclaw --version"'],
]);

/** What the library says, and what to do about it. */
function explained(text: string, command: Command): string {
  const [, flags] = /option '(.+)' argument missing/.exec(text) ?? [];
  const option = command.options.find((candidate) => candidate.flags === flags);
  if (option) return `${text.trimEnd()}. Accepted: ${option.description}\n`;
  const path = pathOf(command);
  const [, unknown] = /unknown option '(--[^=']+)/.exec(text) ?? [];
  if (unknown !== undefined && !text.includes('Did you mean')) {
    const owner = command.commands.find(({ options }) => options.some(({ long }) => long === unknown));
    // No command is loaded where none is named.
    const elsewhere = command.parent ? '' : '; those of a conversation go behind "lainclaw chat"';
    const hint = owner ? `it goes behind "${path} ${owner.name()}"` : `"${path} --help" lists the flags${elsewhere}`;
    return `${text}(${hint})\n`;
  }
  const [said, word = ''] = /^error: unknown command '(\S+)'/.exec(text) ?? [];
  const meant = command.parent ? undefined : MEANT.get(word);
  if (meant) return `${said}\n(Did you mean ${meant}?)\n`;
  if (said !== undefined && !text.includes('Did you mean')) return `${text}("${path} --help" lists them)\n`;
  if (/too many arguments|missing required argument/.test(text)) return `${text}usage: ${path} ${command.usage()}\n`;
  return text;
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
