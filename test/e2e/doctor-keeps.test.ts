// What `doctor --fix` must not take away: turns of a sound conversation, rows of a sound database, and the backups of the days to come.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { createLocalBackups } from '../../src/storage/local/backup/local-backups.ts';
import { createLocks } from '../../src/storage/local/locks.ts';
import { runningGateway } from '../support/gateway-service.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

async function run(home: Home, ...args: string[]) {
  const finished = await lainclaw(args, { home });
  expect(finished.code, finished.stderr + finished.stdout).toBe(0);
  return finished;
}

/** Backups are named by the second. */
async function backUpLater(home: Home): Promise<void> {
  const made = await lainclaw(['backup', '--automatic'], { home, now: () => Date.UTC(2030, 0, 1) });
  expect(made.json(), made.stderr).toMatchObject({ made: true });
}

/** What a repair has set aside, by its path in the home. */
const damagedFiles = (home: Home): string[] =>
  readdirSync(home.path, { recursive: true, encoding: 'utf8' })
    .flatMap((name) => /^damaged-[^/]*\/(.*\.\w+)$/.exec(name)?.[1] ?? [])
    .toSorted();

function inDatabase<T>(home: Home, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(home.path, 'lainclaw.db'), { defensive: false });
  try {
    return use(database);
  } finally {
    database.close();
  }
}

/** As a power cut leaves it while a model thinks. */
function putIndexAhead(home: Home): void {
  const path = join(home.path, 'sessions/sessions.json');
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/"updatedAt": ?"\d{4}/g, '"updatedAt":"2099'));
}

describe('doctor --fix', () => {
  it.each([
    ['with a backup', true],
    ['without a backup', false],
  ])('leaves a sound conversation whose index is ahead of it, %s', async (_name, hasBackup) => {
    const home = testHome();
    await ask(home, 'the bridge is old');
    if (hasBackup) await run(home, 'backup', '--automatic');
    await ask(home, 'the river is wide');
    const path = home.transcriptPath();
    const written = readFileSync(path);
    putIndexAhead(home);
    expect((await lainclaw(['doctor'], { home })).stdout).toContain('ends before its last turn');
    expect((await run(home, 'doctor', '--fix')).json()).toMatchObject({ healthy: true });
    expect(readFileSync(path).equals(written)).toBe(true);
    // The index is made again from it.
    expect(damagedFiles(home)).toEqual(['sessions/sessions.db', 'sessions/sessions.json']);
    expect((await lainclaw(['doctor'], { home })).stdout).not.toContain('ends before its last turn');
    expect(home.entry().updatedAt).not.toMatch(/^2099/);
    await backUpLater(home);
  });

  it('keeps the new turns of a conversation that is shorter than its backup, and backups continue', async () => {
    const home = testHome();
    await ask(home, `the bridge is old ${'x'.repeat(5_000)}`);
    await run(home, 'backup', '--automatic');
    const path = home.transcriptPath();
    const [first = ''] = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, `${first}\n`);
    await ask(home, 'the river is wide');
    const written = readFileSync(path);
    expect((await lainclaw(['doctor'], { home })).stdout).toContain('is shorter than it was');
    expect((await run(home, 'doctor', '--fix')).json()).toMatchObject({ healthy: true });
    expect(readFileSync(path).equals(written)).toBe(true);
    await backUpLater(home);
  });

  it('says nothing about files of the workspace in the home, which a backup has too', async () => {
    const home = testHome();
    await ask(home, 'the bridge is old');
    mkdirSync(join(home.path, 'workspace'), { recursive: true, mode: 0o700 });
    for (const name of ['stays', 'goes', 'changes']) writeFileSync(join(home.path, 'workspace', name), name);
    await run(home, 'backup', '--automatic');
    rmSync(join(home.path, 'workspace', 'goes'));
    writeFileSync(join(home.path, 'workspace', 'changes'), 'and is longer now');
    expect((await run(home, 'doctor')).stdout).not.toMatch(/workspace\/(stays|goes|changes)/);
  });

  it('makes a damaged search index again, and keeps what was saved since the backup', async () => {
    const home = testHome();
    await run(home, 'memory', 'save', 'The bridge over the river is old.');
    await run(home, 'backup', '--automatic');
    await run(home, 'memory', 'save', 'The garden has roses.');
    inDatabase(home, (database) => {
      const { generation } = database.prepare('SELECT generation FROM archive_state').get() ?? {};
      database.exec(`DELETE FROM archive_index_${generation}_data WHERE id > 10`);
    });
    expect((await lainclaw(['doctor'], { home })).code).toBe(1);
    const fixed = await run(home, 'doctor', '--fix');
    expect(fixed.json()).toMatchObject({ healthy: true, repaired: [{ path: 'lainclaw.db', isRepaired: true }] });
    for (const word of ['roses', 'bridge']) expect((await run(home, 'memory', 'search', word)).stdout).toContain(word);
  });

  it('holds back what waited in a database that it restores', async () => {
    const home = testHome();
    await run(home, 'schedule', 'add', 'morning', '--cron', '0 8 * * *', '--message', 'what is new?');
    inDatabase(home, (database) => {
      database.exec(`
        INSERT INTO outbox (key, channel, account, chat, body, state, attempts, due_at) VALUES ('a', 'telegram', '1', '2', '{}', 'waiting', 0, 0);
        INSERT INTO inbox (channel, account, chat, id, position, received_at, body) VALUES ('telegram', '1', '2', '3', 1, 0, '{}');
        UPDATE schedule_jobs SET next_due = 1, due_at = 1, next_slot = 1;
      `);
    });
    await run(home, 'backup', '--automatic');
    writeFileSync(join(home.path, 'lainclaw.db'), 'x'.repeat(8_192));
    const fixed = await run(home, 'doctor', '--fix');
    const [{ done = '' } = {}] = fixed.json<{ repaired: { done?: string }[] }>().repaired;
    const held = done
      .split('; ')
      .slice(1)
      .map((each) => each.replace(/^.*: /, ''));
    expect(held).toEqual(['1 outgoing message', '1 incoming message', '1 scheduled job']);
    inDatabase(home, (database) => {
      expect(database.prepare('SELECT state FROM outbox').all()).toEqual([{ state: 'dead' }]);
      expect(database.prepare('SELECT seq FROM inbox WHERE finished_at IS NULL').all()).toEqual([]);
      expect(database.prepare('SELECT status, due_at FROM schedule_jobs').all()).toEqual([
        { status: 'paused', due_at: null },
      ]);
    });
  });
});

describe('automatic backups', () => {
  it('are made while a gateway runs, whose state is not damage', async () => {
    const { home } = await runningGateway();
    await ask(home, 'the bridge is old');
    expect((await lainclaw(['doctor'], { home })).stdout).not.toContain('service/');
    await run(home, 'backup', '--automatic');
    expect(readdirSync(join(home.path, 'backups')).filter((name) => name.endsWith('.backup'))).toHaveLength(1);
    const state = join(home.path, 'service', 'gateway-service.json');
    const written = readFileSync(state);
    writeFileSync(state, '{"pid":');
    expect((await lainclaw(['doctor'], { home })).stdout).toContain('gateway-service.json');
    await backUpLater(home);
    // The end of the tests stops the gateway by it.
    writeFileSync(state, written);
  });

  it('remove the record of the home together with themselves', async () => {
    const home = testHome();
    await ask(home, 'the bridge is old');
    await run(home, 'backup', '--automatic');
    const backups = createLocalBackups(home.path, createLocks(join(home.path, 'locks')));
    expect(await backups.removeAutomatic('remove')).toBe(1);
    expect(readdirSync(join(home.path, 'backups'))).toEqual([]);
  });

  it('continue when the newest one, or a lock, is damaged', async () => {
    const home = testHome();
    await ask(home, 'the bridge is old');
    await run(home, 'backup', '--automatic');
    const [name = ''] = readdirSync(join(home.path, 'backups')).filter((each) => each.endsWith('.backup'));
    writeFileSync(join(home.path, 'backups', name), 'nothing');
    writeFileSync(join(home.path, 'locks', 'a.lock'), 'text', { mode: 0o600 });
    await backUpLater(home);
  });

  it('do not miss the cut-off line that the next turn removes', async () => {
    const home = testHome();
    await ask(home, 'the bridge is old');
    const sound = readFileSync(home.transcriptPath());
    writeFileSync(home.transcriptPath(), Buffer.concat([sound, Buffer.from('{"type":"message","te')]));
    await run(home, 'backup', '--automatic');
    writeFileSync(home.transcriptPath(), sound);
    expect((await lainclaw(['doctor'], { home })).stdout).not.toContain('is shorter than it was');
    await backUpLater(home);
  });
});
