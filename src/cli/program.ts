// The program: every command by name, only the one that was asked for in full.
import { Command } from 'commander';
import { printable, type Terminal } from './terminal.ts';

export type SetExitCode = (code: number) => void;

/** Adds a command's arguments, flags and action to its (empty) command. */
export type ConfigureCommand = (command: Command, terminal: Terminal, setExitCode: SetExitCode) => void;

interface CommandEntry {
  name: string;
  description: string;
  load(): Promise<ConfigureCommand>;
}

const COMMANDS: CommandEntry[] = [
  {
    name: 'ask',
    description: 'one turn: ask a question, or run tools with "tool:name {json}"',
    load: async () => (await import('./commands/ask.ts')).configureAsk,
  },
  {
    name: 'chat',
    description: 'an interactive session in this terminal',
    load: async () => (await import('./commands/chat.ts')).configureChat,
  },
  {
    name: 'setup',
    description: 'connect a model, and what goes with it',
    load: async () => (await import('./commands/setup.ts')).configureSetup,
  },
  {
    name: 'tools',
    description: 'the tools: what there is, how each is called, and calling one',
    load: async () => (await import('./commands/tools.ts')).configureTools,
  },
  {
    name: 'gateway',
    description: 'the service that talks to you on Feishu, Telegram and local files',
    load: async () => (await import('./commands/gateway.ts')).configureGateway,
  },
  {
    name: 'pairing',
    description: 'who may write to the gateway: who waits, letting in, taking back',
    load: async () => (await import('./commands/pairing.ts')).configurePairing,
  },
  {
    name: 'memory',
    description: 'what Lainclaw remembers: save, search, forget, import, core facts',
    load: async () => (await import('./commands/memory.ts')).configureMemory,
  },
  {
    name: 'schedule',
    description: 'what is asked when: add, list, pause, run, look back',
    load: async () => (await import('./commands/schedule.ts')).configureSchedule,
  },
  {
    name: 'sessions',
    description: 'the conversations kept on this machine',
    load: async () => (await import('./commands/sessions.ts')).configureSessions,
  },
  {
    name: 'trust',
    description: 'Decide which folders may instruct the assistant',
    load: async () => (await import('./commands/trust.ts')).configureTrust,
  },
  {
    name: 'undo',
    description: 'take back what the agent changed in a turn',
    load: async () => (await import('./commands/undo.ts')).configureUndo,
  },
  {
    name: 'skills',
    description: 'the skills: what there is, and installing one',
    load: async () => (await import('./commands/skills.ts')).configureSkills,
  },
  {
    name: 'agents',
    description: 'the sub-agents, and what they do in the background',
    load: async () => (await import('./commands/agents.ts')).configureAgents,
  },
  {
    name: 'mcp',
    description: 'tools of MCP servers, and our tools for other agents',
    load: async () => (await import('./commands/mcp.ts')).configureMcp,
  },
  {
    name: 'docs',
    description: 'the documentation of this version',
    load: async () => (await import('./commands/docs.ts')).configureDocs,
  },
  {
    name: 'models',
    description: 'the models each provider offers',
    load: async () => (await import('./commands/models.ts')).configureModels,
  },
  {
    name: 'auth',
    description: 'sign in to a provider, out of it, and who is signed in',
    load: async () => (await import('./commands/auth.ts')).configureAuth,
  },
  {
    name: 'config',
    description: 'your settings: list, get, set, edit',
    load: async () => (await import('./commands/config.ts')).configureConfig,
  },
  {
    name: 'doctor',
    description: 'check this installation, with a fix for each finding',
    load: async () => (await import('./commands/doctor.ts')).configureDoctor,
  },
  {
    name: 'completion',
    description: 'a script with which your shell completes commands, flags and values',
    load: async () => (await import('./commands/completion.ts')).configureCompletion,
  },
];

/** Where the output is not a terminal. */
const HELP_WIDTH = 80;

export interface ProgramOptions {
  version: string;
  terminal: Terminal;
  /** The command that will be run, when it is known. */
  commandName: string | undefined;
  replaced: Readonly<Record<string, ConfigureCommand>>;
  setExitCode: SetExitCode;
}

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

/** What the library says, and what to do about it. */
function explained(text: string, command: Command): string {
  const [, flags] = /option '(.+)' argument missing/.exec(text) ?? [];
  const option = command.options.find((candidate) => candidate.flags === flags);
  if (option) return `${text.trimEnd()}. Accepted: ${option.description}\n`;
  const path = pathOf(command);
  const [, unknown] = /unknown option '(--[^=']+)/.exec(text) ?? [];
  if (unknown !== undefined && !text.includes('Did you mean')) {
    const owner = command.commands.find(({ options }) => options.some(({ long }) => long === unknown));
    const hint = owner ? `it goes behind "${path} ${owner.name()}"` : `"${path} --help" lists the flags`;
    return `${text}(${hint})\n`;
  }
  if (/unknown command/.test(text) && !text.includes('Did you mean')) return `${text}("${path} --help" lists them)\n`;
  if (/too many arguments|missing required argument/.test(text)) return `${text}usage: ${path} ${command.usage()}\n`;
  return text;
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
