// What the commands of the chat work on: operations, called in the name of the person at the terminal.
import type { Conversations } from '../../gateway/gateway.ts';
import { invokeFromChat } from '../../operations/from-chat.ts';
import type { Operation, OperationContext } from '../../operations/operation.ts';
import { listTools } from '../../operations/tools.ts';
import { listChanges } from '../../operations/undo.ts';
import { type ContextSize, sizeOfReport } from '../../pipeline/context-size.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { RuntimeWorkspace } from '../../runtime/workspace.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import type { AskedElsewhere } from './asked-elsewhere.ts';
import type { CommandsDependencies } from './commands.ts';
import type { Conversation } from './conversation.ts';
import type { ChatPerson } from './person.ts';
import { shownText } from './shown-text.ts';
import { type TerminalChatParts, terminalChat } from './terminal-chat.ts';

type GivenCommands = 'switchTo' | 'sessions' | 'moreCommands' | 'onNewConversation' | 'leave';

export interface CommandServicesDependencies extends TerminalChatParts, Pick<CommandsDependencies, GivenCommands> {
  runtime: Runtime;
  workspace: RuntimeWorkspace;
  person: ChatPerson;
  elsewhere: AskedElsewhere;
  conversation(): Pick<Conversation, 'turn' | 'queued' | 'cancel' | 'sendLater'> | undefined;
  /** The conversation takes so much of the window now. */
  showSize(size: ContextSize): void;
  warn(text: string): void;
  /** Fires when the chat is left. */
  signal: AbortSignal;
}

export function createCommandServices(dependencies: CommandServicesDependencies): CommandsDependencies {
  const { runtime, workspace, turn, person, elsewhere, conversation, sessionKey, warn, signal } = dependencies;
  const { switchTo, sessions, moreCommands, onNewConversation, showSize, leave } = dependencies;
  const opened = { ...workspace, conversations: withMeter(workspace.conversations, showSize) };
  const asked = (): OperationContext => ({
    runtime,
    opened,
    workspace: workspace.files.root,
    chat: terminalChat(dependencies),
    by: { place: 'terminal' },
    warn,
    signal,
  });
  const operate = <Input, Output>(operation: Operation<Input, Output>, input: Input): Promise<Output> =>
    operation.run(input, asked());

  return {
    context: () => ({
      sessionKey: sessionKey(),
      questions: [],
      systemTimezone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
      invoke: (name, input) => invokeFromChat(name, input, asked()),
    }),
    sessions,
    moreCommands,
    onNewConversation,
    switchTo,
    changes: () =>
      operate(listChanges, { session: sessionKey() }).catch((error: unknown) => {
        // A conversation that has not begun has changed nothing.
        if (error instanceof CodedError && error.code === 'SESSION_NOT_FOUND') return [];
        throw error;
      }),
    answer: async (scope, id) =>
      person.isAsking() && id === undefined ? person.answer(scope) : elsewhere.answer(scope, id),
    confirm: (question) => person.confirm(shownText(question), signal),
    async tools() {
      if (!turn.withTools) return [];
      const tools = await operate(listTools, { allow: turn.toolAllow, aliases: false });
      return tools.map(({ name, description, requiresPermission: asksFirst }) => {
        const [about = ''] = description.split(/(?<=[.。])\s|\n/);
        return { name, description: about, asksFirst };
      });
    },
    sendLater: (text) => conversation()?.sendLater(text),
    leave,
  };
}

/** The meter says the same as `/context`, also after a compaction. */
function withMeter(conversations: Conversations, showSize: (size: ContextSize) => void): Conversations {
  const describe: Conversations['describe'] = async (request, signal) => {
    const report = await conversations.describe(request, signal);
    if (report) showSize(sizeOfReport(report));
    return report;
  };
  return {
    ...conversations,
    describe,
    async compact(request, signal) {
      const report = await conversations.compact(request, signal);
      if (report.kind === 'compacted') await describe(request, signal);
      return report;
    },
  };
}
