// What the tool memory_forget can do beyond one memory.
import type { SessionChanges } from '../sessions/session-changes.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { ForgetMore } from '../tools/memory/forget.ts';
import type { ForgetEverywhere } from './forget-everywhere.ts';

export function createForgetMore({
  everywhere,
  sessionChanges,
  sessions,
}: {
  everywhere(): Promise<ForgetEverywhere>;
  sessionChanges(): Promise<SessionChanges>;
  sessions: Pick<Sessions, 'find'>;
}): ForgetMore {
  return {
    async findText(text, signal) {
      const { places, conversations } = await (await everywhere()).find(text, signal);
      const named = (name: string): string => (name === '' ? '' : `: ${name}`);
      return [
        ...places.map(({ place, name, count }) => `${count} ${place}${named(name)}`),
        ...conversations.map(
          ({ sessionKey, title, lines }) => `${lines} lines of the conversation ${sessionKey}${named(title ?? '')}`,
        ),
      ];
    },
    async forgetText(text, signal) {
      await (await everywhere()).forget(text, { signal });
    },
    async describeConversation(key) {
      const entry = await sessions.find(key);
      const minute = (moment: string): string => moment.slice(0, 16).replace('T', ' ');
      // Without a word of it: the question is journalled in the conversation that asks.
      return entry && `${entry.sessionKey}: begun ${minute(entry.createdAt)}, last used ${minute(entry.updatedAt)}`;
    },
    async forgetConversation(key) {
      const entry = await sessions.find(key);
      if (!entry) return;
      const isKey = entry.sessionKey === key;
      const { sessionKey, sessionId } = entry;
      await (await sessionChanges()).remove({ sessionKey, ...(!isKey && { sessionId }) });
    },
  };
}
