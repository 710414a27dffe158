// Background runs of sub-agents as the person who asks may see them, and as a model reads them.
import type { AgentRun, AgentRuns } from '../../storage/agent-runs.ts';
import { readerOf } from '../../vocabulary/asker.ts';
import { maySee } from '../../vocabulary/memory-scope.ts';
import { type ToolContext, ToolFailure } from '../tool.ts';

export type OpenAgentRuns = () => Promise<AgentRuns>;

export function isVisible({ asker }: AgentRun, { reader }: Pick<ToolContext, 'reader'>): boolean {
  return maySee(reader, readerOf(asker).scope);
}

/** Throws ToolFailure where there is no such run for them. */
export async function visibleRun(open: OpenAgentRuns, id: string, context: ToolContext): Promise<AgentRun> {
  const run = await (await open()).get(id);
  if (run && isVisible(run, context)) return run;
  throw new ToolFailure(`there is no run ${id}: subagent_list shows them`);
}

export function summaryOfRun({ id, name, message, state, createdAt, endedAt, error }: AgentRun) {
  return {
    id,
    name,
    message: message.length > 200 ? `${message.slice(0, 200)}…` : message,
    state,
    createdAt: new Date(createdAt).toISOString(),
    ...(endedAt !== undefined && { endedAt: new Date(endedAt).toISOString() }),
    ...(error !== undefined && { error }),
  };
}
