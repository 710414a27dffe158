// The settings of a running gateway: read once at the start, read again when gateway.json changes. A file that cannot be used
// changes nothing: the old settings hold, and the reason is kept for the status.
import { compareGateways, takeUp } from '../settings/compare.ts';
import type { ResolvedGateway } from '../settings/resolve.ts';
import type { Log } from './service-log.ts';
import { watchFile } from './watch-file.ts';

export interface LiveSettings {
  current(): ResolvedGateway;
  problem(): string | undefined;
  restartNeeded(): string[];
  /** Until the signal fires. */
  watch(path: string, log: Log, signal: AbortSignal): Promise<void>;
}

export async function createLiveSettings(read: () => Promise<ResolvedGateway>): Promise<LiveSettings> {
  const started = await read();
  let current = started;
  let problem: string | undefined;
  let restartNeeded: string[] = [];

  async function reload(log: Log): Promise<void> {
    let next: ResolvedGateway;
    try {
      next = await read();
    } catch (error) {
      problem = (error as Error).message;
      log({ level: 'error', event: 'settings-refused', message: `${problem}; the settings stay as they were` });
      return;
    }
    const wasRefused = problem !== undefined;
    problem = undefined;
    const { live } = compareGateways(current, next);
    restartNeeded = compareGateways(started, next).restart;
    current = takeUp(current, next);
    const parts = [
      live.length > 0 ? `now in use: ${live.join(', ')}` : 'nothing to take up',
      ...(restartNeeded.length > 0 ? [`after a restart: ${restartNeeded.join(', ')}`] : []),
      ...(wasRefused ? ['gateway.json can be used again'] : []),
    ];
    log({
      level: restartNeeded.length > 0 ? 'warn' : 'info',
      event: 'settings-changed',
      message: parts.join('; '),
      live,
      restartNeeded,
    });
  }

  return {
    current: () => current,
    problem: () => problem,
    restartNeeded: () => restartNeeded,
    watch: (path, log, signal) => watchFile(path, () => reload(log), signal),
  };
}
