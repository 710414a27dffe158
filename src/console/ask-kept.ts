// A message that a turn did not take up, asked as the next question of its conversation in the name of who wrote it.
import { MODES } from '../config/mode.ts';
import { OWNER_ID } from '../gateway/console-access/console-access.ts';
import type { KeptQuestion } from '../gateway/turns/kept-messages.ts';
import { beginTurn, startTurn } from '../operations/start-turn.ts';
import type { AskResult } from '../pipeline/events.ts';
import type { ConsoleContext } from './context.ts';
import { answererOf } from './exchange.ts';

type AskingContext = Pick<ConsoleContext, 'runtime' | 'access' | 'workspaceFor' | 'limits' | 'feed' | 'warn'>;

/**
 * Resolves when its turn has ended, and at once when its sender was removed meanwhile. Rejects when the turn failed before the question was on record (a full
 * disk, for example): the message must then be asked again.
 */
export async function askKept(
  { sessionKey, text, sender: { name, person }, mode, model, origin }: KeptQuestion,
  { runtime, access, workspaceFor, limits, feed, warn }: AskingContext,
): Promise<void> {
  if (person !== undefined && !(await access.people()).some(({ id }) => id === person)) return;
  const { signal } = new AbortController();
  const opened = await workspaceFor(sessionKey);
  const context = {
    runtime,
    signal,
    by: answererOf({ id: person ?? OWNER_ID, name, isOwner: person === undefined }),
    opened,
    workspace: opened.files.root,
    onTitled: (session: string) => feed.publish(person, { type: 'changed', noun: 'sessions', session }),
    warn,
  };
  const input = { session: sessionKey, text, mode: MODES.find((each) => each === mode), model };
  const begin = () => beginTurn(input, context, { origin });
  const { turn } = await (person === undefined ? begin() : limits.run(person, startTurn.name, begin));
  let result: AskResult | undefined;
  for await (const item of runtime.hub.read(turn))
    if (item.kind === 'event' && item.event.type === 'run-end') result = item.event.result;
  if (result?.stage !== 'failed' || result.success) return;
  const [first = ''] = origin.split(' ');
  if (!(await runtime.sessions.isInConversation(sessionKey, first, signal))) throw new Error(result.error.message);
}
