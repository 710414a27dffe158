import { parseAsker } from '../vocabulary/asker.ts';
import type { AgentRun } from './agent-runs.ts';

/** A row of the table of runs. The columns have the same names in every database; what is true or false is 1 or 0. */
export function agentRunOf(row: Readonly<Record<string, unknown>>): AgentRun {
  const optional = <K extends string>(key: K, value: unknown): Record<K, never> | Record<string, never> =>
    (value === null ? {} : { [key]: value }) as Record<K, never>;
  return {
    id: row.id as string,
    name: row.name as string,
    message: row.message as string,
    request: row.request as string,
    state: row.state as AgentRun['state'],
    createdAt: row.created_at as number,
    cancelRequested: row.cancel_requested === 1,
    asker: parseAsker(row.asker),
    ...optional('injectInto', row.inject_into),
    ...optional('startedAt', row.started_at),
    ...optional('endedAt', row.ended_at),
    ...optional('result', row.result),
    ...optional('error', row.error),
    ...optional('sessionId', row.session_id),
    ...(row.untold === 1 && { isUndelivered: true as const }),
  };
}
