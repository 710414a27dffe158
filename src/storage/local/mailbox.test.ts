import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { describeMailbox, type MailboxSubject } from '../../../test/conformance/mailbox.ts';
import { describeMailboxClaims } from '../../../test/conformance/mailbox-claims.ts';
import { createLainclawDb } from './lainclaw-db/schema.ts';
import { createLocalStorage } from './local-storage.ts';
import { createLocks } from './locks.ts';
import { createLocalMailbox } from './mailbox.ts';

function subject(): MailboxSubject {
  const base = mkdtempSync(join(tmpdir(), 'lainclaw-mailbox-'));
  const home = join(base, 'home');
  const source = new URL('./local-storage.ts', import.meta.url).href;
  return {
    async open() {
      const storage = createLocalStorage({ home, now: Date.now });
      return { mailbox: await storage.mailbox(), locks: storage.locks, close: () => storage.close() };
    },
    openElsewhere: `(await import(${JSON.stringify(source)})).createLocalStorage({ home: ${JSON.stringify(home)}, now: Date.now })`,
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

describeMailbox('local storage', subject);
describeMailboxClaims('local storage', subject);

const CLAIMANT = { name: 'gateway', token: 1 };

it('over many days it holds no more than what is remembered and what is dead', async () => {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-mailbox-'));
  const storage = createLocalStorage({ home, now: Date.now });
  const mailbox = await storage.mailbox();
  try {
    const database = createLainclawDb(home);
    const rows = (table: string): Promise<number> =>
      database.use((db) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n));
    const most = { inbox: 0, outbox: 0 };
    for (let day = 1; day <= 60; day += 1) {
      for (let each = 0; each < 10; each += 1) {
        const key = `${day}-${each}`;
        const chat = { channel: 'local', account: 'default', chatId: key };
        await mailbox.receive(CLAIMANT, { chat, id: key, order: day, receivedAt: day, body: '{}' });
        await mailbox.finish(CLAIMANT, [{ chat, id: key }], [{ key, chat, body: 'an answer' }], day);
        await (each === 0 ? mailbox.die(key, 'gone', day) : mailbox.sent(key, 'x', day));
      }
      while ((await mailbox.prune({ handledMs: 14, deadMs: 30 }, 3, day)) === 3);
      most.inbox = Math.max(most.inbox, await rows('inbox'));
      most.outbox = Math.max(most.outbox, await rows('outbox'));
    }
    await database.close();
    expect(most).toEqual({ inbox: 15 * 10, outbox: 15 * 9 + 31 });
    expect(await mailbox.counts()).toEqual({ inbox: 0, outbox: 0, dead: 31 });
    expect(await mailbox.revive(undefined, 61)).toBe(31);
  } finally {
    await storage.close();
    rmSync(home, { recursive: true, force: true });
  }
});

it('a home from before waits had a beginning is taken over as it is', async () => {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-mailbox-'));
  const old = new DatabaseSync(join(home, 'lainclaw.db'));
  old.exec(`
      CREATE TABLE outbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, channel TEXT NOT NULL, account TEXT NOT NULL,
        chat TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER NOT NULL,
        last_error TEXT, message_id TEXT, ended_at INTEGER);
      INSERT INTO outbox (key, channel, account, chat, body, state, attempts, due_at)
        VALUES ('k', 'local', 'default', 'a', 'hello', 'waiting', 1, 50)`);
  old.close();
  const storage = createLocalStorage({ home, now: Date.now });
  try {
    const mailbox = await storage.mailbox();
    expect(await mailbox.due(49, 9)).toEqual([]);
    expect(await mailbox.due(50, 9)).toMatchObject([{ key: 'k', body: 'hello' }]);
  } finally {
    await storage.close();
    rmSync(home, { recursive: true, force: true });
  }
});

it('a message that was written but could not be synced was not received: delivered again it is new, once', async () => {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-mailbox-'));
  const database = createLainclawDb(home);
  try {
    const problem = { left: 1 };
    const sync = async (): Promise<void> => {
      problem.left -= 1;
      if (problem.left === 0) throw new Error('the disk is full');
    };
    const mailbox = createLocalMailbox({
      database,
      locks: createLocks(join(home, 'locks')),
      log: { prepare() {}, sync, close: async () => {} },
    });
    const chat = { channel: 'local', account: 'default', chatId: 'anna' };
    const message = { chat, id: 'a', order: 1, receivedAt: 1, body: '{}' };
    await expect(mailbox.receive(CLAIMANT, message)).rejects.toThrow('full');
    expect([await mailbox.receive(CLAIMANT, message), await mailbox.receive(CLAIMANT, message)]).toEqual([
      'claimed',
      'known',
    ]);
    // One that was received before stays so, whatever happens to its repeat.
    problem.left = 1;
    await expect(mailbox.receive(CLAIMANT, message)).rejects.toThrow('full');
    expect(await mailbox.receive(CLAIMANT, message)).toBe('known');
  } finally {
    await database.close();
    rmSync(home, { recursive: true, force: true });
  }
});
