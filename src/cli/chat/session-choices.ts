// The conversations that a person can resume, those of this project first.
import { basename } from 'node:path';
import { localTime } from '../../lib/local-time.ts';
import type { OperationContext, OutputOf } from '../../operations/operation.ts';
import { listSessions } from '../../operations/sessions.ts';
import type { Choice } from './prompt.ts';

const OFFERED = 100;

type Listed = OutputOf<typeof listSessions>['sessions'][number];

export async function sessionChoices(context: OperationContext, root: string): Promise<Choice[]> {
  const list = async (workspace?: string): Promise<readonly Listed[]> =>
    (await listSessions.run({ workspace, limit: OFFERED, firstWords: true }, context)).sessions;
  const [own, all] = await Promise.all([list(root), list()]);
  const known = new Set(own.map(({ sessionKey }) => sessionKey));
  return [...own, ...all.filter(({ sessionKey }) => !known.has(sessionKey))].map((session) => choiceOf(session, root));
}

function choiceOf({ sessionKey, updatedAt, title, firstWords, workspace }: Listed, root: string): Choice {
  const label = title ?? firstWords ?? sessionKey;
  const begins = firstWords === undefined || firstWords.startsWith(label.replace(/…$/, '')) ? [] : [firstWords];
  const folder = workspace === undefined || workspace === root ? [] : [`in ${basename(workspace)}`];
  const facts = [localTime(updatedAt).slice(0, 16), sessionKey, ...folder, ...begins];
  return { value: sessionKey, label, description: facts.join(' · ') };
}
