import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeMailbox } from '../mailbox-conformance.ts';
import { createDatabase } from './database.ts';
import { createLocalStorage } from './local-storage.ts';
import { createLocalMailbox } from './mailbox.ts';

describeMailbox('local storage', () => {
  const base = mkdtempSync(join(tmpdir(), 'lainclaw-mailbox-'));
  return {
    async open() {
      const storage = createLocalStorage({ home: join(base, 'home'), now: Date.now });
      return { mailbox: await storage.mailbox(), close: () => storage.close() };
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
});

it('a message that was written but could not be synced was not received: delivered again it is new, once', async () => {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-mailbox-'));
  const database = createDatabase(home);
  try {
    const problem = { left: 1 };
    const sync = async (): Promise<void> => {
      problem.left -= 1;
      if (problem.left === 0) throw new Error('the disk is full');
    };
    const mailbox = createLocalMailbox({ database, log: { prepare() {}, sync, close: async () => {} } });
    const chat = { channel: 'local', account: 'default', chatId: 'anna' };
    const message = { chat, id: 'a', order: 1, receivedAt: 1, body: '{}' };
    await expect(mailbox.receive(message)).rejects.toThrow('full');
    expect([await mailbox.receive(message), await mailbox.receive(message)]).toEqual([true, false]);
    // One that was received before stays so, whatever happens to its repeat.
    problem.left = 1;
    await expect(mailbox.receive(message)).rejects.toThrow('full');
    expect(await mailbox.receive(message)).toBe(false);
  } finally {
    database.close();
    rmSync(home, { recursive: true, force: true });
  }
});
