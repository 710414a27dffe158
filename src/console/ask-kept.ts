// A message that a turn did not take up, asked as the next question of its conversation in the name of who wrote it.
import { MODES } from '../config/mode.ts';
import { OWNER_ID } from '../gateway/console-access/console-access.ts';
import type { KeptQuestion } from '../gateway/turns/kept-messages.ts';
import { beginTurn, startTurn } from '../operations/start-turn.ts';
import type { ConsoleContext } from './context.ts';
import { answererOf } from './exchange.ts';

/** Resolves when its turn has ended; at once where whoever wrote it was removed meanwhile. */
export async function askKept(
  { sessionKey, text, sender: { name, person }, mode, model, origin }: KeptQuestion,
  { runtime, access, workspaceFor, limits, feed, warn }: ConsoleContext,
): Promise<void> {
  if (person !== undefined && !(await access.people()).some(({ id }) => id === person)) return;
  const opened = await workspaceFor(sessionKey);
  const context = {
    runtime,
    signal: new AbortController().signal,
    by: answererOf({ id: person ?? OWNER_ID, name, isOwner: person === undefined }),
    opened,
    workspace: opened.files.root,
    onTitled: (session: string) => feed.publish(person, { type: 'changed', noun: 'sessions', session }),
    warn,
  };
  const input = { session: sessionKey, text, mode: MODES.find((each) => each === mode), model };
  const begin = () => beginTurn(input, context, { origin });
  const { turn } = await (person === undefined ? begin() : limits.run(person, startTurn.name, begin));
  for await (const _ of runtime.hub.read(turn));
}
