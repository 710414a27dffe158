// What a command reached and what was refused to it, counted while it runs. Bounded: a command that tries many hosts
// cannot fill memory.
import { hostOfTarget, type Target } from './host.ts';

export interface ReachedHost {
  host: string;
  connections: number;
  sentBytes: number;
  receivedBytes: number;
}

export interface RefusedHost {
  host: string;
  attempts: number;
  reason: RefusalReason;
}

/**
 * not-allowed: nobody permitted this host. private-address: its name leads to an address that is not public.
 * other-server: inside the tunnel another server was asked for than the one that was permitted.
 */
export type RefusalReason = 'not-allowed' | 'private-address' | 'other-server';

export interface FailedHost {
  host: string;
  attempts: number;
  /** The system's words: a name that is not known, a host that does not answer. */
  error: string;
}

export interface Traffic {
  reached: readonly ReachedHost[];
  refused: readonly RefusedHost[];
  /** Permitted hosts that could not be reached. */
  failed: readonly FailedHost[];
  /** More hosts were refused than are listed. */
  more?: true;
}

const MOST_HOSTS = 50;

export function createTrafficCounter() {
  const reached = new Map<string, ReachedHost>();
  const refused = new Map<string, RefusedHost>();
  const failed = new Map<string, FailedHost>();
  let more = false;

  function row(target: Target): ReachedHost {
    const name = hostOfTarget(target);
    const host = reached.has(name) || reached.size < MOST_HOSTS ? name : 'other hosts';
    const found = reached.get(host) ?? { host, connections: 0, sentBytes: 0, receivedBytes: 0 };
    reached.set(host, found);
    return found;
  }

  return {
    /** Call `close` once with the bytes of the connection. */
    connected(target: Target): { close(bytes: { sent: number; received: number }): void } {
      const counted = row(target);
      counted.connections += 1;
      return {
        close({ sent, received }) {
          counted.sentBytes += sent;
          counted.receivedBytes += received;
        },
      };
    },
    refuse(host: string, reason: RefusalReason): void {
      const found = refused.get(host);
      if (found) found.attempts += 1;
      else if (refused.size < MOST_HOSTS) refused.set(host, { host, attempts: 1, reason });
      else more = true;
    },
    fail(target: Target, error: string): void {
      const host = hostOfTarget(target);
      const found = failed.get(host);
      if (found) found.attempts += 1;
      else if (failed.size < MOST_HOSTS) failed.set(host, { host, attempts: 1, error });
    },
    traffic: (): Traffic => ({
      reached: [...reached.values()],
      refused: [...refused.values()],
      failed: [...failed.values()],
      ...(more && { more: true as const }),
    }),
  };
}
