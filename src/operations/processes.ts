// Commands that agents run in the background, in any process of this home.
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation } from './operation.ts';
import { listOf, NO_INPUT, objectWith, POSITIVE, TEXT, TIME } from './schemas.ts';

const PROCESS = objectWith(
  { id: TEXT, pid: POSITIVE, sessionId: TEXT, command: TEXT, cwd: TEXT, startedAt: TIME },
  { sessionKey: TEXT },
);

export const listProcesses = defineOperation({
  name: 'processes.list',
  class: 'read',
  summary: 'List the commands that run in the background of conversations, oldest first.',
  input: NO_INPUT,
  output: listOf(PROCESS),
  async run(_input, { runtime }) {
    const known = await (await runtime.knownProcesses()).list();
    return known.map(({ sessionKey, startedAt, ...rest }) => ({
      ...rest,
      startedAt: new Date(startedAt).toISOString(),
      ...(sessionKey !== undefined && { sessionKey }),
    }));
  },
});

export const endProcess = defineOperation({
  name: 'processes.end',
  class: 'change',
  summary: 'End a command that runs in the background, with everything that it has started.',
  input: { type: 'object', properties: { id: TEXT }, required: ['id'], additionalProperties: false },
  output: objectWith({ id: TEXT }),
  async run({ id }, { runtime }) {
    const known = await runtime.knownProcesses();
    const alike = (await known.list()).filter((each) => each.id === id || each.id.startsWith(id));
    const [found] = alike;
    if (!found || alike.length > 1 || !(await known.kill(found.id))) {
      const why = alike.length > 1 ? `${alike.length} commands begin with "${id}"` : `no command "${id}" runs`;
      throw new CodedError('PROCESS_UNKNOWN', `${why} in the background; "lainclaw ps" lists them`);
    }
    return { id: found.id };
  },
});
