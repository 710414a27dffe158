import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../../app.ts';
import { onApp as onAppWith } from '../../on-app.ts';
import type { Terminal } from '../../terminal.ts';

export interface OnAppOptions {
  /** From a flag. */
  workspace?: string;
  /** Makes the default one when it is not there. */
  makesWorkspace?: boolean;
}

/**
 * Jobs run where the gateway would run them, never in the directory one happens to be in: system cron has its own, and a
 * HEARTBEAT.md that lies about somewhere must not be obeyed.
 */
export async function onApp<T>(
  { workspace, makesWorkspace }: OnAppOptions,
  terminal: Terminal,
  use: (app: App) => Promise<T>,
): Promise<T> {
  const { home, variables } = terminal.environment;
  const chosen = workspace ?? variables.LAINCLAW_WORKSPACE;
  if (!chosen && makesWorkspace) await mkdir(join(home, 'workspace'), { recursive: true, mode: 0o700 });
  return onAppWith(terminal, use, { workspace: chosen || join(home, 'workspace') });
}
