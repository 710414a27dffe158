// Commands of the chat for conversations as a whole: another one, its title, a copy, an earlier turn. And /init, which asks the
// model for the project's first instructions.

import { counted } from '../../lib/counted.ts';
import { localTime } from '../../lib/local-time.ts';
import type { Operation, OutputOf } from '../../operations/operation.ts';
import { forkSession, renameSession, rewindSession } from '../../operations/session-changes.ts';
import { listTurns } from '../../operations/sessions.ts';
import type { ChatCommand } from './commands.ts';
import { INIT_PROMPT } from './init-prompt.ts';
import type { Choice } from './prompt.ts';

const SHOWN_TURNS = 50;
const QUESTION_CHARACTERS = 60;

export interface SessionCommandServices {
  sessionKey(): string;
  operate<Input, Output>(operation: Operation<Input, Output>, input: Input): Promise<Output>;
  /** The conversations there are, those of this project first. */
  choices(): Promise<readonly Choice[]>;
  /** Undefined when the person does not want to choose. */
  choose(question: string, choices: readonly Choice[]): Promise<string | undefined>;
  /** Continues another conversation, or this one as it is by now; resolves with why not. */
  switchTo(sessionKey: string): Promise<string | undefined>;
  /** Why a model cannot be asked to write files; undefined when it can. */
  cannotWrite(): string | undefined;
  /** Sends a message as if the person had written it. */
  send(text: string): void;
}

export function createSessionCommands(services: SessionCommandServices): ChatCommand[] {
  const { sessionKey, operate, choices, choose, switchTo, cannotWrite, send } = services;
  return [
    {
      name: 'resume',
      usage: '/resume',
      about: 'choose another conversation from a list',
      isImmediate: false,
      async run() {
        const offered = (await choices()).filter(({ value }) => value !== sessionKey());
        if (offered.length === 0) return 'There is no other conversation yet.';
        const key = await choose('? Which conversation?', offered);
        return key === undefined ? `Still in \`${sessionKey()}\`.` : switchTo(key);
      },
    },
    {
      name: 'rename',
      usage: '/rename <title>',
      about: 'give this conversation a title',
      isImmediate: false,
      async run(title) {
        if (title === '') return '`/rename <title>`: which title?';
        const renamed = await operate(renameSession, { key: sessionKey(), title });
        return `This conversation is now “${renamed.title}”.`;
      },
    },
    {
      name: 'fork',
      usage: '/fork [key]',
      about: 'continue in a copy of this conversation; the original stays as it is',
      isImmediate: false,
      async run(as) {
        const before = sessionKey();
        const { session } = await operate(forkSession, { key: before, ...(as !== '' && { as }) });
        return (await switchTo(session.sessionKey)) ?? `This is \`${session.sessionKey}\`, a copy of \`${before}\`.`;
      },
    },
    {
      name: 'rewind',
      usage: '/rewind',
      about: 'go back to an earlier turn, with or without the files',
      isImmediate: false,
      run: () => rewind(services),
    },
    {
      name: 'init',
      usage: '/init',
      about: 'have the model write a first AGENTS.md for this project',
      isImmediate: false,
      async run() {
        const problem = cannotWrite();
        if (problem === undefined) send(INIT_PROMPT);
        return problem;
      },
    },
  ];
}

async function rewind({ sessionKey, operate, choose, switchTo }: SessionCommandServices): Promise<string | undefined> {
  const key = sessionKey();
  const { turns } = await operate(listTurns, { key, last: SHOWN_TURNS });
  // The last one is where the conversation is.
  const earlier = turns.slice(0, -1);
  if (earlier.length === 0) return 'There is no earlier turn. `/new` begins another conversation.';
  const turn = await choose(
    '? Back to which turn? What came after it is kept aside.',
    earlier.toReversed().map(choiceOf),
  );
  if (turn === undefined) return 'Nothing was changed.';
  const at = turns.findIndex(({ turnId }) => turnId === turn);
  const files = [...new Set(turns.slice(at + 1).flatMap(({ changed }) => changed))];
  const answer = files.length === 0 ? 'keep' : await choose(`? ${describeFiles(files)}`, FILE_CHOICES);
  if (answer === undefined) return 'Nothing was changed.';
  const { restored, keptAside } = await operate(rewindSession, { key, turn, files: answer === 'restore' });
  const problem = await switchTo(key);
  const told = restored.length === 0 ? '' : ` Restored: ${restored.map((path) => `\`${path}\``).join(', ')}.`;
  return problem ?? `Back at that turn.${told} What came after is kept as \`${keptAside}\`.`;
}

const FILE_CHOICES: readonly Choice[] = [
  { value: 'restore', label: 'Restore the files', description: 'as they were after that turn' },
  { value: 'keep', label: 'Leave the files', description: 'only the conversation goes back' },
];

function describeFiles(files: readonly string[]): string {
  const shown = files.slice(0, 10).join(', ') + (files.length > 10 ? `, … ${files.length - 10} more` : '');
  return `Later turns changed ${shown}.`;
}

function choiceOf({ turnId, startedAt, question, changed }: OutputOf<typeof listTurns>['turns'][number]): Choice {
  const when = startedAt === undefined ? '' : localTime(startedAt).slice(0, 16);
  const files = changed.length === 0 ? '' : ` · ${counted(changed.length, 'file')} changed`;
  return { value: turnId, label: question.slice(0, QUESTION_CHARACTERS) || '(no question)', description: when + files };
}
