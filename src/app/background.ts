// Background runs of sub-agents: asked in the workspace they were started for, answered into the chat they name.
import type { AgentAnswer, Background } from '../agents/background.ts';
import type { BackgroundRequest } from '../agents/spawn.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Deliver } from '../schedule/post.ts';
import type { AgentRun } from '../storage/agent-runs.ts';
import type { Base } from './base.ts';
import type { Domain } from './domain.ts';

export interface BackgroundPlace {
  domain: Domain;
  gateway(): Promise<Gateway>;
  /** Through the channels of this process, when it has any: only to chats that may be written to. */
  deliver: Deliver | undefined;
  /** Everything again, for another workspace or address. */
  openElsewhere(place: {
    workspace: string;
    baseUrl?: string;
  }): Promise<{ gateway(): Promise<Gateway>; close(): void }>;
}

export async function openBackground(base: Base, place: BackgroundPlace): Promise<Background> {
  const { config, storage, now, warn } = base;
  const { createBackground } = await import('../agents/background.ts');
  const runs = await storage.agentRuns();
  const { locks } = storage;
  const { deliver } = place;

  async function ask(run: AgentRun, signal: AbortSignal): Promise<AgentAnswer> {
    const request = JSON.parse(run.request) as BackgroundRequest;
    const here = (await place.domain.workspace()).root;
    const isHere = request.workspace === here && request.baseUrl === base.baseUrl;
    const there = isHere ? undefined : await place.openElsewhere(request);
    try {
      const { askInBackground } = await import('../gateway/background-turn.ts');
      return await askInBackground(await (there ?? place).gateway(), run, request, config, signal);
    } finally {
      there?.close();
    }
  }

  return createBackground({ runs, locks, ask, deliver, limit: config.backgroundRuns, now, log: warn });
}
