// Every command of the chat: its own, those that chats on platforms have too, those for conversations, those that look, and those that people wrote.
import { chosenModel } from '../../gateway/chats/choices.ts';
import type { OperationContext } from '../../operations/operation.ts';
import { listSessions } from '../../operations/sessions.ts';
import type { Usage } from '../../vocabulary/usage.ts';
import { type CommandServicesDependencies, createCommandServices } from './command-services.ts';
import { type ChatCommand, createCommands } from './commands.ts';
import { loadCustomCommands } from './custom-commands.ts';
import { createLookCommands } from './look-commands.ts';
import { sessionChoices } from './session-choices.ts';
import { createSessionCommands } from './session-commands.ts';

/** Farther back, `lainclaw sessions list` looks. */
const LISTED_SESSIONS = 200;

export interface AllCommandsDependencies
  extends Omit<CommandServicesDependencies, 'runtime' | 'moreCommands' | 'sessions'> {
  operating: OperationContext;
  root: string;
  usage(): Usage | undefined;
  /** Sends a message as if the person had written it. */
  send(text: string): void;
}

export interface AllCommands {
  /** Grows when the commands that people wrote have been read. */
  readonly list: readonly ChatCommand[];
  /** Resolves with what cannot be used of them, in words. */
  loadCustom(): Promise<string[]>;
}

export function createAllCommands(dependencies: AllCommandsDependencies): AllCommands {
  const { operating, root, chosen, usage, send, person, elsewhere, turn, sessionKey, switchTo, signal } = dependencies;
  const { runtime } = operating;
  const sessionCommands = createSessionCommands({
    sessionKey,
    operate: (operation, input) => operation.run(input, operating),
    choices: () => sessionChoices(operating, root),
    choose: (question, choices) => person.choose(question, choices, signal),
    switchTo,
    cannotWrite() {
      if ((chosenModel(chosen.now(), turn.provider)?.provider ?? turn.provider) === 'stub')
        return 'There is no model yet that could look at the project: connect one first, with `lainclaw auth login` or `--provider`.';
      return turn.withTools ? undefined : 'The model has no tools in this chat: start it without `--no-with-tools`.';
    },
    send,
  });
  const lookCommands = createLookCommands({
    sessionKey,
    root,
    operate: (operation, input, more) => operation.run(input, { ...operating, ...more }),
    usage,
  });
  const list = createCommands(
    createCommandServices({
      ...dependencies,
      runtime,
      moreCommands: [...sessionCommands, ...lookCommands, elsewhere.command],
      sessions: async () => (await listSessions.run({ limit: LISTED_SESSIONS, firstWords: true }, operating)).sessions,
    }),
  );
  return {
    list,
    async loadCustom() {
      const { commands, problems } = await loadCustomCommands({
        home: runtime.environment.home,
        root,
        trustedFolders: runtime.trust.list,
        taken: list.map(({ name }) => name),
        send,
      });
      list.push(...commands);
      return problems;
    },
  };
}
