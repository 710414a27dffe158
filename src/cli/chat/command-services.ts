// What the commands of the chat work on.

import type { ChoicesStore } from '../../gateway/chats/choices.ts';
import type { Conversations } from '../../gateway/gateway.ts';
import { type ContextSize, sizeOfReport } from '../../pipeline/context-size.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { RuntimeWorkspace } from '../../runtime/workspace.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { TurnSettings } from '../turn-flags.ts';
import type { CommandsDependencies } from './commands.ts';
import type { Conversation } from './conversation.ts';
import type { ChatPerson } from './person.ts';
import { shownText } from './shown-text.ts';
import { terminalChat } from './terminal-chat.ts';

export interface CommandServicesDependencies {
  runtime: Pick<Runtime, 'sessions' | 'undo'>;
  workspace: Pick<RuntimeWorkspace, 'toolbox' | 'listModels' | 'chooseModel' | 'conversations'>;
  turn: TurnSettings;
  choices: ChoicesStore;
  person: ChatPerson;
  conversation(): Pick<Conversation, 'turn' | 'queued' | 'cancel' | 'sendLater'> | undefined;
  sessionKey(): string;
  renew: Sessions['renew'];
  /** The conversation takes so much of the window now. */
  showSize(size: ContextSize): void;
  switchTo: CommandsDependencies['switchTo'];
  sessions: CommandsDependencies['sessions'];
  sessionCommands: CommandsDependencies['sessionCommands'];
  leave(): void;
  /** Fires when the chat is left. */
  signal: AbortSignal;
}

export function createCommandServices(dependencies: CommandServicesDependencies): CommandsDependencies {
  const {
    runtime,
    workspace,
    turn,
    choices,
    person,
    conversation,
    sessionKey,
    renew,
    showSize,
    switchTo,
    leave,
    signal,
  } = dependencies;
  const session = runtime.sessions.get;

  return {
    context: () => ({
      ...terminalChat,
      sessionKey: sessionKey(),
      settings: async () => ({ turn, groups: false }),
      choices,
      models: workspace.listModels,
      chooseModel: workspace.chooseModel,
      session,
      renew,
      conversations: withMeter(workspace.conversations, showSize),
      undo: async (entry, until) => (await runtime.undo()).undo({ ...entry, force: false, signal: until }),
      questions: { answer: async ({ scope }) => person.answer(scope), waitingIn: () => person.waiting() },
      systemTimezone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
      stop: async () => (conversation()?.cancel() ? 'stopped' : 'nothing'),
      activity: () => ({
        isRunning: conversation()?.turn !== undefined,
        waiting: conversation()?.queued.length ?? 0,
      }),
      signal,
    }),
    sessions: dependencies.sessions,
    sessionCommands: dependencies.sessionCommands,
    switchTo,
    async changes() {
      const entry = await session(sessionKey());
      return entry ? (await runtime.undo()).turns(entry.sessionId) : [];
    },
    confirm: (question) => person.confirm(shownText(question), signal),
    async tools() {
      if (!turn.withTools) return [];
      const toolbox = await workspace.toolbox();
      await toolbox.refresh(signal);
      const visible = toolbox.visible(turn.toolAllow).distinct();
      const described = await toolbox.describe(visible);
      return described.map(({ name, description }, index) => {
        const [about = ''] = description.split(/(?<=[.。])\s|\n/);
        return { name, description: about, asksFirst: visible[index]?.spec.requiresPermission ?? false };
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
    describe,
    async compact(request, signal) {
      const report = await conversations.compact(request, signal);
      if (report.kind === 'compacted') await describe(request, signal);
      return report;
    },
  };
}
