import { expect, it } from 'vitest';
import type { Config } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { createStoreAdmin } from './store-admin.ts';

it('an address without a role is refused before the database is asked for anything', async () => {
  // Nothing listens there: a connection would fail with another error.
  const variables = { LAINCLAW_STORE_OWNER: 'postgres://owner@127.0.0.1:1/lainclaw' };
  const config = { store: 'postgres://127.0.0.1:1/lainclaw' } as Config;
  const admin = createStoreAdmin(config, { home: '/nowhere', now: Date.now, variables } as unknown as Environment);
  await expect(admin.migrate()).rejects.toThrow('names no role');
});
