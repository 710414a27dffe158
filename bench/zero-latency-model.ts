// The fake model as a process: calls a tool as many times as the question says ("steps 10"), then answers.
import { startModelServer } from '../test/fakes/model-server/model-server.ts';

const server = await startModelServer({
  record: false,
  script: ({ messages, tools }) => {
    const question = messages.findLast(({ role }) => role === 'user')?.text ?? '';
    const wanted = Number(/steps (\d+)/.exec(question)?.[1] ?? process.env.STEPS ?? 0);
    const done = messages.filter(({ role }) => role === 'tool').length;
    const name = tools[0]?.name ?? 'time_now';
    return done < wanted ? { toolCalls: [{ name, args: {} }] } : { text: ['Hello', ' there.'] };
  },
});
console.log(server.url);
