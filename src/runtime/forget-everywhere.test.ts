import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import type { Base } from './base.ts';
import { createForgetEverywhere } from './forget-everywhere.ts';
import { createForgettings } from './forgettings.ts';

it('reads nothing of the home while the conversations that are left are in use', async () => {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-forget-'));
  const storage = createLocalStorage({ home, now: Date.now });
  onTestFinished(async () => {
    await storage.close();
    rmSync(home, { recursive: true });
  });
  const reads = (): never => {
    throw new Error('the home is read');
  };
  const watched = { ...storage, catalogue: { ...storage.catalogue, list: reads }, filesHolding: reads };
  const { finish } = createForgetEverywhere({ storage: watched, now: Date.now } as unknown as Base, {
    services: { memory: reads, pastConversations: reads },
    sessionChanges: reads,
  });
  const forgetting = { text: 'magpie', conversations: false, onlySessions: ['busy'] };
  await createForgettings(storage.ownerFiles).begin(forgetting);
  const lock = await storage.locks.acquire('session:busy');
  await finish();
  await lock.release();
  await expect(finish()).rejects.toThrow('the home is read');
});
