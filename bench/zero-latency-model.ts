// The fake model as a process: calls a tool as many times as the question says ("steps 10"), then answers. A command behind that
// ("steps 10: touch made%") is run each time with bash, with the number of the step for the percent sign.
import { startModelServer } from '../test/fakes/model-server/model-server.ts';

const server = await startModelServer({
  record: false,
  script: ({ messages, tools }) => {
    const question = messages.findLast(({ role }) => role === 'user')?.text ?? '';
    const wanted = Number(/steps (\d+)/.exec(question)?.[1] ?? process.env.STEPS ?? 0);
    const done = messages.filter(({ role }) => role === 'tool').length;
    const command = /steps \d+: (.+)/.exec(question)?.[1]?.replaceAll('%', String(done));
    const call = command ? { name: 'bash', args: { command } } : { name: tools[0]?.name ?? 'time_now', args: {} };
    return done < wanted ? { toolCalls: [call] } : { text: ['Hello', ' there.'] };
  },
});
console.log(server.url);
