// The commands of a chat at the terminal. Those that a chat on a platform has too are the very same ones (gateway/chats/commands), with
// this chat around them; the others are here.

import { MODES } from '../../config/mode.ts';
import { approveCommand, readApproval } from '../../gateway/chats/commands/approve.ts';
import type { CommandContext, ChatCommand as SharedCommand } from '../../gateway/chats/commands/command.ts';
import { compactCommand } from '../../gateway/chats/commands/compact.ts';
import { contextCommand } from '../../gateway/chats/commands/context.ts';
import { denyCommand } from '../../gateway/chats/commands/deny.ts';
import { memoryCommand } from '../../gateway/chats/commands/memory.ts';
import { modeCommand } from '../../gateway/chats/commands/mode.ts';
import { modelCommand } from '../../gateway/chats/commands/model.ts';
import { modelsCommand } from '../../gateway/chats/commands/models.ts';
import { newCommand } from '../../gateway/chats/commands/new.ts';
import { statusCommand } from '../../gateway/chats/commands/status.ts';
import { stopCommand } from '../../gateway/chats/commands/stop.ts';
import { undoCommand } from '../../gateway/chats/commands/undo.ts';
import { CONTINUE_HELP } from '../../gateway/chats/continuing.ts';
import { localTime } from '../../lib/local-time.ts';
import { nearest } from '../../lib/nearest.ts';
import type { OutputOf } from '../../operations/operation.ts';
import type { listSessions } from '../../operations/sessions.ts';
import type { listChanges } from '../../operations/undo.ts';
import type { Scope } from '../../tools/permissions/decision.ts';
import { aboutSession } from '../about-session.ts';

export interface ChatCommand {
  name: string;
  /** As it is written, with its arguments. */
  usage: string;
  about: string;
  /** Answered at once, also while a turn is running. */
  isImmediate: boolean;
  /** The values its argument can have. */
  complete?(): Promise<readonly string[]>;
  /** The answer as Markdown; undefined when there is nothing to say. */
  run(argument: string): Promise<string | undefined>;
}

type ListedSession = OutputOf<typeof listSessions>['sessions'][number];

export interface CommandsDependencies {
  /** What the shared commands work on. */
  context(): Omit<CommandContext, 'argument'>;
  sessions(): Promise<readonly ListedSession[]>;
  /** Continues with another conversation; resolves with the reason when it cannot. */
  switchTo(sessionKey: string): Promise<string | undefined>;
  /** Turns of this conversation that changed files, the newest first. */
  changes(): Promise<OutputOf<typeof listChanges>>;
  /** Answers the question that is open, here or elsewhere; undefined scope: no. Resolves with why not. */
  answer(scope: Scope | undefined, id?: string): Promise<string | undefined>;
  /** Called when /new has begun another conversation. */
  onNewConversation(): void;
  confirm(question: string): Promise<boolean>;
  /** Commands that are made elsewhere. */
  moreCommands: readonly ChatCommand[];
  tools(): Promise<readonly { name: string; description: string; asksFirst: boolean }[]>;
  /** Sends a message once nothing runs. */
  sendLater(text: string): void;
  leave(): void;
}

const SHOWN_FILES = 20;
const SHOWN_SESSIONS = 30;
const KEYS = [
  ['Enter', 'send; while a turn runs, the message joins it after the running call'],
  ['Shift+Enter, Alt+Enter, Ctrl+J', 'a new line'],
  ['Esc', 'cancel the turn'],
  ['Shift+Tab', 'the next mode: ask, accept-edits, plan, auto'],
  ['Ctrl+O', 'unfold the tool cards, or fold them'],
  ['Ctrl+T', 'unfold what the model thought, or fold it'],
  ['Ctrl+G', 'write the message in your own editor'],
  ['Ctrl+V', 'attach the picture in the clipboard; a path of a picture that is pasted or dropped is attached too'],
  ['Ctrl+Z', 'suspend the chat; fg comes back'],
  ['Up, Down', 'what was sent before'],
  ['Tab', 'take what is offered: a command, its argument, a file'],
  ['Ctrl+C', 'clear the input; on an empty one cancel the turn; twice leaves'],
  ['Ctrl+D', 'leave'],
] as const;

export function createCommands(dependencies: CommandsDependencies): ChatCommand[] {
  const { context, sessions, switchTo, tools, answer, onNewConversation, leave } = dependencies;
  const shared = (
    { name, usage, about, isImmediate, run }: SharedCommand,
    complete?: ChatCommand['complete'],
  ): ChatCommand => ({
    name,
    usage,
    about,
    isImmediate,
    ...(complete && { complete }),
    run: (argument) => run({ ...context(), argument }),
  });
  const models = async (): Promise<string[]> => {
    const { models: listed } = await context().invoke('chat.models', {});
    return listed.length > 0 ? ['default', ...listed.map(({ id }) => id)] : [];
  };
  const keys = async (): Promise<string[]> => (await sessions()).map(({ sessionKey }) => sessionKey);

  const commands: ChatCommand[] = [
    {
      ...shared(newCommand),
      async run(argument) {
        const answered = await shared(newCommand).run(argument);
        onNewConversation();
        return answered;
      },
    },
    shared(statusCommand),
    shared(modelCommand, models),
    shared(modelsCommand),
    shared(memoryCommand, async () => ['on', 'off']),
    shared(modeCommand, async () => MODES),
    // Asked of the model, as a turn.
    { ...CONTINUE_HELP, name: 'continue', isImmediate: false, run: async () => undefined },
    shared(contextCommand),
    shared(compactCommand),
    {
      name: 'sessions',
      usage: '/sessions',
      about: 'the conversations there are',
      isImmediate: true,
      run: async () => listed(await sessions(), context().sessionKey),
    },
    {
      name: 'session',
      usage: '/session <key>',
      about: 'continue another conversation, or begin it',
      isImmediate: false,
      complete: keys,
      run: async (argument) =>
        argument === ''
          ? `This is \`${context().sessionKey}\`. \`/session <key>\` goes to another.`
          : switchTo(argument),
    },
    ...dependencies.moreCommands,
    {
      name: 'tools',
      usage: '/tools',
      about: 'what the model can call',
      isImmediate: true,
      async run() {
        const lines = (await tools()).map(
          ({ name, description, asksFirst }) => `- \`${name}\`${asksFirst ? ' (asks first)' : ''}: ${description}`,
        );
        return lines.length > 0 ? lines.join('\n') : 'There are no tools here.';
      },
    },
    { ...shared(undoCommand), run: (argument) => undo(dependencies, argument) },
    shared(stopCommand),
    {
      name: 'queue',
      usage: '/queue <message>',
      about: 'ask it when the turn has ended, instead of sending it into the turn',
      isImmediate: true,
      async run(argument) {
        if (argument === '') return '`/queue <message>`: which message?';
        dependencies.sendLater(argument);
        return undefined;
      },
    },
    {
      ...shared(approveCommand),
      usage: '/approve [question] [once|session|always]',
      about: 'allow what is asked for, as its keys do',
      async run(argument) {
        const read = readApproval(argument);
        return typeof read === 'string' ? read : answer(read.scope, read.id);
      },
    },
    {
      ...shared(denyCommand),
      about: 'refuse it',
      run: async (argument) => answer(undefined, argument === '' ? undefined : argument),
    },
    {
      name: 'help',
      usage: '/help',
      about: 'this list',
      isImmediate: true,
      run: async () => help(commands),
    },
    {
      name: 'exit',
      usage: '/exit',
      about: 'leave',
      isImmediate: true,
      async run() {
        leave();
        return undefined;
      },
    },
  ];
  return commands;
}

export interface ReadCommand {
  command: ChatCommand;
  argument: string;
}

/** A command that was typed; undefined for everything else. A path is not a command. */
export function readCommand(text: string, commands: readonly ChatCommand[]): ReadCommand | undefined {
  const [, name = '', rest = ''] = /^\/([a-zA-Z][\w-]{0,31})(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? [];
  if (name === '') return undefined;
  const command = commands.find((each) => each.name === name.toLowerCase()) ?? unknown(name, commands);
  return { command, argument: rest.trim() };
}

function unknown(name: string, commands: readonly ChatCommand[]): ChatCommand {
  const close = nearest(
    name,
    commands.map((command) => command.name),
  );
  const hint = close ? `did you mean \`/${close}\`?` : '`/help` lists what there is.';
  const run = async (): Promise<string> => `There is no command \`/${name}\`: ${hint}`;
  return { name, usage: `/${name}`, about: '', isImmediate: true, run };
}

/** Says first what would be put back. */
async function undo(
  { changes, confirm, context }: CommandsDependencies,
  argument: string,
): Promise<string | undefined> {
  const last = (await changes()).find((turn) => turn.undoes === undefined && !turn.undone);
  if (last) {
    const shown = last.paths.slice(0, SHOWN_FILES).map((path) => `  ${path}`);
    if (last.paths.length > SHOWN_FILES) shown.push(`  … ${last.paths.length - SHOWN_FILES} more`);
    const isWanted = await confirm(['? Take back the last changes to these files?', ...shown].join('\n'));
    if (!isWanted) return 'Nothing was taken back.';
  }
  return undoCommand.run({ ...context(), argument });
}

function aboutOf(session: Parameters<typeof aboutSession>[0]): string {
  const about = aboutSession(session);
  return about === '' ? '' : `: ${about.replace(/[`*_[\]<>]/g, ' ')}`;
}

function listed(entries: readonly ListedSession[], current: string): string {
  if (entries.length === 0) return 'There are no conversations yet.';
  const lines = entries
    .slice(0, SHOWN_SESSIONS)
    .map(
      ({ sessionKey, updatedAt, provider, title, firstWords }) =>
        `- \`${sessionKey}\` ${localTime(updatedAt).slice(0, 16)}${provider ? `, ${provider}` : ''}${sessionKey === current ? ' (this one)' : ''}${aboutOf({ title, firstWords })}`,
    );
  if (entries.length > SHOWN_SESSIONS) lines.push(`- … ${entries.length - SHOWN_SESSIONS} more`);
  return `${lines.join('\n')}\n\n\`/session <key>\` goes to one, \`/resume\` lets you choose.`;
}

function help(commands: readonly ChatCommand[]): string {
  const lines = commands.map(({ usage, about }) => `- \`${usage}\`: ${about}`);
  const keys = KEYS.map(([key, what]) => `- **${key}**: ${what}`);
  return [
    'Write what you want to know or have done. `@path` attaches a file or a picture, `!command` runs a command of your own and tells the model what it printed, `tool:name {json}` calls a tool by hand.',
    lines.join('\n'),
    'Keys:',
    keys.join('\n'),
  ].join('\n\n');
}
