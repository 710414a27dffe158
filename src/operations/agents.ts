// Sub-agents: which there are, what of them runs in the background, and how it ended.
import type { AgentRun } from '../storage/agent-runs.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { openFiles } from './open-files.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { listOf, objectWith, POSITIVE, TEXT, TIME, YES_OR_NO } from './schemas.ts';

const SOURCE = { enum: ['builtin', 'home', 'workspace'] } as const;
const AGENT = objectWith(
  {
    name: TEXT,
    description: TEXT,
    tools: { anyOf: [{ const: 'all' }, listOf(TEXT)] },
    source: SOURCE,
    instructions: TEXT,
  },
  { model: TEXT, path: TEXT },
);
const RUN = objectWith(
  {
    id: TEXT,
    name: TEXT,
    message: TEXT,
    state: { enum: ['queued', 'running', 'done', 'failed', 'cancelled', 'interrupted'] },
    createdAt: TIME,
    cancelRequested: YES_OR_NO,
  },
  {
    startedAt: TIME,
    endedAt: TIME,
    injectInto: TEXT,
    asker: { type: 'object' },
    result: TEXT,
    error: TEXT,
    sessionId: TEXT,
    waitsFor: { const: 'gateway', description: 'it answers into a chat, and no gateway runs' },
  },
);
const MESSAGE = objectWith({ role: TEXT, timestamp: TIME, content: TEXT });
const RUN_ID = { type: 'object', properties: { id: TEXT }, required: ['id'], additionalProperties: false } as const;

export const listAgents = defineOperation({
  name: 'agents.list',
  class: 'read',
  summary: 'List the sub-agents and the definitions that cannot be used.',
  input: { type: 'object', properties: {}, additionalProperties: false },
  output: objectWith({
    agents: listOf(AGENT),
    problems: listOf(objectWith({ source: SOURCE, path: TEXT, reason: TEXT })),
  }),
  async run(_input, context) {
    const { runtime, signal } = context;
    return (await runtime.agents()).list({ workspace: await openFiles(context), signal });
  },
});

export const listAgentRuns = defineOperation({
  name: 'agents.runs',
  class: 'read',
  summary: 'List background runs of sub-agents, the newest first.',
  input: {
    type: 'object',
    properties: { name: TEXT, limit: { ...POSITIVE, default: 20 } },
    additionalProperties: false,
  },
  output: objectWith({ runs: listOf(RUN) }),
  async run(input, context) {
    const runs = await (await context.runtime.agentRuns()).list(input);
    return { runs: await shownRuns(runs, context) };
  },
});

export const getAgentRun = defineOperation({
  name: 'agents.run',
  class: 'read',
  summary: 'Read one background run: its state and its result.',
  input: RUN_ID,
  output: RUN,
  async run({ id }, context) {
    const [shown] = await shownRuns([await existingRun(id, context)], context);
    if (!shown) throw noSuchRun(id);
    return shown;
  },
});

export const cancelAgentRun = defineOperation({
  name: 'agents.cancel',
  class: 'change',
  summary: 'End a background run.',
  input: RUN_ID,
  output: objectWith({ id: TEXT, cancelled: YES_OR_NO }),
  async run({ id }, { runtime }) {
    await (await runtime.openBackground()).cancel(id);
    return { id, cancelled: true };
  },
});

export const readAgentRun = defineOperation({
  name: 'agents.logs',
  class: 'read',
  summary: 'Read the conversation of a background run.',
  input: RUN_ID,
  output: objectWith({ run: RUN, messages: listOf(MESSAGE) }),
  async run({ id }, context) {
    const { runtime } = context;
    const run = await existingRun(id, context);
    const { sessionKeyOfRun } = await import('../gateway/background-turn.ts');
    const session = await runtime.sessions.show(sessionKeyOfRun(run), 10);
    const since = run.startedAt === undefined ? undefined : iso(run.startedAt);
    const until = run.endedAt === undefined ? '9999' : iso(run.endedAt);
    const messages = (session?.messages ?? [])
      .filter(({ timestamp }) => since !== undefined && timestamp >= since && timestamp <= until)
      .map(({ role, timestamp, content }) => ({ role, timestamp, content }));
    const [shown] = await shownRuns([run], context);
    if (!shown) throw noSuchRun(id);
    return { run: shown, messages };
  },
});

async function existingRun(id: string, { runtime }: OperationContext): Promise<AgentRun> {
  const run = await (await runtime.agentRuns()).get(id);
  if (!run) throw noSuchRun(id);
  return run;
}

function noSuchRun(id: string): CodedError {
  return new CodedError('AGENT_RUN_NOT_FOUND', `there is no run ${id}: "lainclaw agents status" lists them`);
}

/** Without what only the runner needs. A run that answers into a chat waits while no gateway runs. */
async function shownRuns(runs: readonly AgentRun[], { runtime }: OperationContext) {
  const isForGateway = ({ state, injectInto }: AgentRun): boolean => state === 'queued' && injectInto !== undefined;
  const isWaiting = runs.some(isForGateway) && !(await runtime.isGatewayRunning());
  return runs.map((each) => {
    const { request: _request, isUndelivered: _isUndelivered, createdAt, startedAt, endedAt, asker, ...run } = each;
    return {
      ...run,
      asker: { ...asker },
      createdAt: iso(createdAt),
      ...(startedAt !== undefined && { startedAt: iso(startedAt) }),
      ...(endedAt !== undefined && { endedAt: iso(endedAt) }),
      ...(isWaiting && isForGateway(each) && { waitsFor: 'gateway' as const }),
    };
  });
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
