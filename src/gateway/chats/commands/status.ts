import type { ChatState } from './chat-operations.ts';
import { defineChatCommand } from './command.ts';

export const statusCommand = defineChatCommand<'chat.show'>({
  name: 'status',
  usage: '/status',
  about: 'what is going on here',
  isRepeatable: true,
  isImmediate: true,
  read: () => ({ operation: 'chat.show', input: {} }),
  render: (state, _argument, { systemTimezone }) => written(state, systemTimezone()),
});

function written(state: ChatState, timeZone: string): string {
  const { model, provider, withTools, memory, sessionKey, createdAt, isRunning, waiting, openQuestions } = state;
  const begun = createdAt === undefined ? 'not begun' : `since ${timeIn(timeZone, createdAt)} (\`${sessionKey}\`)`;
  const queued = waiting > 0 ? `, ${waiting} ${waiting === 1 ? 'message' : 'messages'} waiting` : '';
  return [
    `- Model: ${model ? `\`${model}\` (${provider})` : provider}`,
    `- Tools: ${withTools ? 'on' : 'off'} · Memory: ${memory ? 'on' : 'off'}`,
    `- Conversation: ${begun}`,
    `- Now: ${isRunning ? 'working (`/stop` cancels)' : 'idle'}${queued}`,
    ...(openQuestions > 0
      ? [
          `- ${openQuestions} ${openQuestions === 1 ? 'question waits' : 'questions wait'} for \`/approve\` or \`/deny\``,
        ]
      : []),
  ].join('\n');
}

/** With the zone: who reads it may be elsewhere. */
function timeIn(timeZone: string, time: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return `${format.format(new Date(time))} ${timeZone}`;
}
