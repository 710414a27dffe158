import { chosenModel } from '../choices.ts';
import type { ChatCommand } from './command.ts';

export const statusCommand: ChatCommand = {
  name: 'status',
  usage: '/status',
  about: 'what is going on here',
  isForOwner: false,
  isRepeatable: true,
  isImmediate: true,
  async run({ settings, choices, session, sessionKey, activity, questions, systemTimezone, request: { chat } }) {
    const { provider: usualProvider, model: usual, withTools, memory: remembers } = (await settings(chat)).turn;
    const chosenHere = await choices.get(chat);
    const { memory } = chosenHere;
    const entry = await session(sessionKey);
    const { isRunning, waiting } = activity(chat);
    const open = questions.waitingIn(chat);
    const own = chosenModel(chosenHere, usualProvider);
    const chosen = own?.name ?? usual;
    const provider = own?.provider ?? usualProvider;
    return [
      `- Model: ${chosen ? `\`${chosen}\` (${provider})` : provider}`,
      `- Tools: ${withTools ? 'on' : 'off'} · Memory: ${(memory ?? remembers ?? entry?.memoryEnabled) ? 'on' : 'off'}`,
      `- Conversation: ${entry ? `since ${timeIn(systemTimezone(), entry.createdAt)} (\`${sessionKey}\`)` : 'not begun'}`,
      `- Now: ${isRunning ? 'working (`/stop` cancels)' : 'idle'}${waiting > 0 ? `, ${waiting} ${waiting === 1 ? 'message' : 'messages'} waiting` : ''}`,
      ...(open > 0
        ? [`- ${open} ${open === 1 ? 'question waits' : 'questions wait'} for \`/approve\` or \`/deny\``]
        : []),
    ].join('\n');
  },
};

/** With the zone: who reads it may be elsewhere. */
function timeIn(timeZone: string, time: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return `${format.format(new Date(time))} ${timeZone}`;
}
