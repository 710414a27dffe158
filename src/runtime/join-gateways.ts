// What a gateway does besides its channels where several share the storage.
import type { Log } from '../gateway/service/service-log.ts';
import { openTurnExchange } from '../gateway/turns/turn-exchange.ts';
import type { Base } from './base.ts';
import { createStoreAdmin } from './store-admin.ts';

/** Returns what ends it. */
export async function joinGateways(base: Base, log: Log): Promise<() => Promise<void>> {
  const { hub, newId, now, config, environment, storage } = base;
  const { cluster, locks } = storage;
  if (!cluster) return async () => {};
  const warn = (message: string): void => log({ level: 'warn', event: 'note', message });
  // Nobody waits for it: without the bucket larger files stay here, and the first one would tell only when it is needed elsewhere.
  void createStoreAdmin(config, environment)
    .tryBucket()
    .catch((error: Error) => warn(`other gateways cannot read larger files of this one: ${error.message}`));
  return (await openTurnExchange({ hub, cluster, locks, newId, now, warn })).close;
}
