// Background runs of sub-agents: each is asked in the workspace it was started for, and answered into the chat it names.
import type { AgentAnswer, Background } from '../agents/background.ts';
import type { AgentRun } from '../storage/agent-runs.ts';
import type { Deliver } from '../vocabulary/delivery.ts';
import type { Base } from './base.ts';
import type { OpenWorkspace } from './workspace.ts';

export interface BackgroundOptions {
  /** Through the channels of this process; without it, runs that answer into a chat are left to the gateway. */
  deliver?: Deliver;
  /** Called when one of the runs queues another. */
  onQueued?: () => void;
  warn?(text: string): void;
}

export async function openBackground(
  { config, storage, now, ...base }: Base,
  openWorkspace: OpenWorkspace,
  { deliver, onQueued, warn = base.warn }: BackgroundOptions,
): Promise<Background> {
  const [{ createBackground }, { readBackgroundRequest }] = await Promise.all([
    import('../agents/background.ts'),
    import('../agents/spawn.ts'),
  ]);
  const runs = await storage.agentRuns();

  async function ask(run: AgentRun, signal: AbortSignal): Promise<AgentAnswer> {
    const request = readBackgroundRequest(run.request);
    const workspace = await openWorkspace({ root: request.workspace, baseUrl: request.baseUrl, onQueued, warn });
    try {
      const { askInBackground } = await import('../gateway/background-turn.ts');
      return await askInBackground(await workspace.gateway(), run, request, config, signal);
    } finally {
      await workspace.close();
    }
  }

  const { locks } = storage;
  return createBackground({ runs, locks, ask, deliver, limit: config.backgroundRuns, now, log: warn });
}
