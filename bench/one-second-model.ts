// The fake model as a process that thinks for a second and repeats the question.
import { startModelServer } from '../test/fakes/model-server/model-server.ts';

const server = await startModelServer({
  record: false,
  script: ({ messages }) => ({
    text: messages.findLast(({ role }) => role === 'user')?.text ?? '',
    fault: { kind: 'delay', beforeHeadersMs: 1_000 },
  }),
});
console.log(server.url);
