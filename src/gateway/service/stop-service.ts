// Ends the running gateway: asked to (SIGTERM: it drains), and after a bound made to. Only the process that was seen to be the
// gateway is ever signalled.
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, signalProcess } from './process-identity.ts';
import type { ServiceState, ServiceStates } from './service-state.ts';

export type StopOutcome = { stopped: false } | { stopped: true; state: ServiceState; how: 'drained' | 'killed' };

export interface StopOptions {
  states: ServiceStates;
  /** Longer than the gateway takes for its own drain. */
  patienceMs?: number;
  signal: AbortSignal;
}

const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 25;

export async function stopService({ states, patienceMs = PATIENCE_MS, signal }: StopOptions): Promise<StopOutcome> {
  const state = await states.read();
  if (!state || !(await signalProcess(state, 'SIGTERM'))) {
    // What a killed gateway left behind.
    if (state) await states.clear(state);
    return { stopped: false };
  }
  const drained = await hasEnded(state, patienceMs, signal);
  if (!drained) {
    await signalProcess(state, 'SIGKILL');
    await hasEnded(state, patienceMs, signal);
  }
  await states.clear(state);
  return { stopped: true, state, how: drained ? 'drained' : 'killed' };
}

async function hasEnded(state: ServiceState, patienceMs: number, signal: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while (await isRunning(state)) {
    if (performance.now() > deadline) return false;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
  return true;
}
