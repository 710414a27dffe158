import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Runtime } from '../../../runtime/runtime.ts';
import type { RuntimeWorkspace } from '../../../runtime/workspace.ts';
import type { Terminal } from '../../terminal.ts';
import { withRuntime } from '../../with-runtime.ts';

export interface JobsFlags {
  workspace?: string;
}

/**
 * Jobs run where the gateway would run them, never in the current directory: system cron has its own, and a HEARTBEAT.md
 * that happens to be there must not be obeyed.
 */
export function jobsRoot({ workspace }: JobsFlags, { environment: { home, variables } }: Terminal): string {
  return workspace ?? (variables.LAINCLAW_WORKSPACE || join(home, 'workspace'));
}

/** Runs a command in the workspace of the jobs; the default one is made when it is missing. */
export async function withJobsWorkspace<T>(
  flags: JobsFlags,
  terminal: Terminal,
  use: (workspace: RuntimeWorkspace, runtime: Runtime) => Promise<T>,
): Promise<T> {
  const { home } = terminal.environment;
  const root = jobsRoot(flags, terminal);
  if (root === join(home, 'workspace')) await mkdir(root, { recursive: true, mode: 0o700 });
  return withRuntime(terminal, async (runtime) => use(await runtime.openWorkspace({ root }), runtime));
}
