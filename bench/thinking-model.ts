// The fake model as a process that takes its time: sub-agents in the background call a tool again and again, a person gets a
// short answer.
import { startModelServer } from '../test/fakes/model-server/model-server.ts';

const server = await startModelServer({
  record: false,
  script: ({ messages, system, tools }) => {
    const inBackground = system.some((text) => text.includes('in the background'));
    const done = messages.filter(({ role }) => role === 'tool').length;
    if (!inBackground) return { text: ['Hello', ' there.'], fault: { kind: 'delay', beforeHeadersMs: 50 } };
    const thinking = { kind: 'delay' as const, beforeHeadersMs: 150, betweenFramesMs: 20 };
    return done < 20
      ? { text: ['Let me', ' look', ' again.'], toolCalls: [{ name: tools[0]?.name ?? '', args: {} }], fault: thinking }
      : { text: 'Done.', fault: thinking };
  },
});
console.log(server.url);
