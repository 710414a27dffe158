// Finds out early that a process is gone. Each process holds an advisory lock on the connection on which it listens, under a random key that its leases name. The
// server frees that lock when the connection closes, which is the moment at which the process is killed. The others see with their renewals which keys are held.
// When one disappears, they wait a moment for the process to connect again (it then renews its leases under another key), and end its leases, so that they can be
// acquired before their time. All of them are informed.
//
// This is a hint and protects nothing: a process that lives and has lost its connection renews what nobody acquired, and its writes are refused by the token of the
// lease otherwise. A frozen process keeps its connection; its leases end by time.
//
// A database that restarts frees every lock. Then the observer's own connection is lost too, and it forgets which keys it saw.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Query } from './database.ts';
import { PRESENT } from './presence-key.ts';
import { CHANNEL, type Topic } from './signals.ts';

const GRACE_MS = 200;

/** Where somebody may wait for a lease that has ended. */
const WAITING: readonly Topic[] = ['locks', 'inbox', 'watchers', 'jobs'];

const END_LEASES = `
  WITH present AS MATERIALIZED (${PRESENT}), ended AS (
    UPDATE lainclaw.leases AS lease SET expires_at = clock_timestamp()
    WHERE presence = ANY ($1::integer[]) AND presence_holder = holder AND expires_at > clock_timestamp()
      AND EXISTS (SELECT 1 FROM present WHERE key = $2)
      AND NOT EXISTS (SELECT 1 FROM present WHERE key = lease.presence)
    RETURNING 1
  )
  SELECT pg_notify($3, topic) FROM unnest($4::text[]) AS topic WHERE EXISTS (SELECT 1 FROM ended)`;

export interface PresenceWatch {
  /** `own` is the key of this process while the server read which keys are held. */
  look(own: number, present: readonly number[]): void;
  close(): void;
}

export function createPresenceWatch(query: Query, graceMs = GRACE_MS): PresenceWatch {
  const closed = new AbortController();
  let seen = new Set<number>();
  let seenUnder: number | undefined;

  /** The server's own lock of `own` proves that it has not restarted since. */
  async function endLeases(gone: readonly number[], own: number): Promise<void> {
    await sleep(graceMs, undefined, { signal: closed.signal, ref: false });
    await query(END_LEASES, [gone, own, CHANNEL, WAITING]);
  }

  return {
    look(own, present) {
      if (!present.includes(own)) return;
      const gone = own === seenUnder ? [...seen].filter((key) => !present.includes(key)) : [];
      seen = new Set(present);
      seenUnder = own;
      // Where it fails, the leases end by time.
      if (gone.length > 0) void endLeases(gone, own).catch(() => {});
    },
    close: () => closed.abort(),
  };
}
