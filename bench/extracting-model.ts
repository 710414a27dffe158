// The fake model as a process that answers questions at once and never says which facts are in a conversation: the slowest there can be. It prints a
// line when it is asked for facts.
import { startModelServer } from '../test/fakes/model-server/model-server.ts';

const server = await startModelServer({
  record: false,
  script: ({ system, messages }) => {
    if (!system.join().includes('worth knowing in later'))
      return { text: `You said ${messages.findLast(({ role }) => role === 'user')?.text.length ?? 0} characters.` };
    console.log('asked for facts');
    return { text: '{"facts":[]}', fault: { kind: 'hang' } };
  },
});
console.log(server.url);
