// Waiting until another process answers as the gateway.
import type { Output } from '../api/operations.ts';

const LOOK_EVERY_MS = 500;
const LONGEST_MS = 90_000;

export interface WaitDependencies {
  status(): Promise<Output<'gateway.status'>>;
  now(): number;
  sleep(ms: number): Promise<void>;
}

/** Resolves when another process than `pid` runs as the gateway. Rejects when none does for long. */
export async function anotherGateway(pid: number, { status, now, sleep }: WaitDependencies): Promise<void> {
  const deadline = now() + LONGEST_MS;
  for (;;) {
    let problem: unknown;
    const found = await status().catch((reason: unknown) => {
      problem = reason;
      return undefined;
    });
    if (found?.status === 'running' && found.pid !== pid && found.phase === 'running') return;
    if (now() > deadline) throw problem ?? new Error(`the gateway did not restart within ${LONGEST_MS / 1000} s`);
    await sleep(LOOK_EVERY_MS);
  }
}
