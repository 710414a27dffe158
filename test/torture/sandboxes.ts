// Kills of a process while it starts sandboxes: nothing of them may stay, whatever moment of their start it was.
import { setTimeout as sleep } from 'node:timers/promises';
import { killWhileStarting, type StartWay } from '../support/sandbox-kills.ts';
import { createTrial } from '../support/sandbox-trial.ts';

/** Several starts long. */
const MOST_MS = 150;

/** Why there can be none here; undefined when there can. */
export async function sandboxProblem(): Promise<string | undefined> {
  const trial = createTrial();
  const sandbox = trial.bubblewrap();
  try {
    const availability = await sandbox.available();
    return availability.ok ? undefined : availability.reason;
  } finally {
    await sandbox.close?.();
    trial.remove();
  }
}

export async function killSandboxes(way: StartWay, kills: number, random: () => number): Promise<string[]> {
  const problems: string[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const afterMs = random() * MOST_MS;
    const left = await killWhileStarting({ way, until: () => sleep(afterMs) });
    if (left.length > 0) problems.push(`${way}, killed after ${Math.round(afterMs)} ms: ${left.length} processes left`);
  }
  return problems;
}
