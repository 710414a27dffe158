import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { describeAudit } from '../../../../test/conformance/audit.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../../../test/support/postgres.ts';
import { superuser } from '../../../../test/support/postgres-cluster.ts';
import { newId } from '../../../lib/new-id.ts';
import type { Audit, AuditEvent, AuditProblem } from '../../audit.ts';
import type { StorageWithBackups } from '../../backups.ts';
import { createLocalStorage } from '../../local/local-storage.ts';
import { createRedaction } from '../../redaction.ts';
import { createPostgresStorage } from '../postgres-storage.ts';

let database: TestDatabase;
let base: string | undefined;
const opened: StorageWithBackups[] = [];

beforeAll(async () => {
  database = await testDatabase();
});
afterEach(clean);
afterAll(() => database.drop());

const sql = (text: string) =>
  superuser(database.port, async (client) => (await client.query(text)).rows, database.name);

async function clean(): Promise<void> {
  for (const storage of opened.splice(0)) await storage.close();
  await sql('TRUNCATE lainclaw.audit_lines, lainclaw.audit_logs');
  if (base !== undefined) rmSync(base, { recursive: true, force: true });
}

function homeOf(machine: string): string {
  base ??= mkdtempSync(join(tmpdir(), 'lainclaw-pg-audit-'));
  return join(base, machine);
}

/** Each home is a machine. */
function open(home = 'one', url = database.url): Promise<Audit> {
  const local = createLocalStorage({ home: homeOf(home), now: Date.now, secrets: () => ['hunter2hunter2'] });
  const storage = createPostgresStorage({ url, local, key: 'ab'.repeat(32), now: Date.now, newId });
  opened.push(storage);
  return storage.audit();
}

describeAudit('PostgreSQL', async () => ({ open: () => open(), remove: clean }));

describe('the audit logs of several machines', () => {
  const call = (about: string): AuditEvent => ({ kind: 'tool-call', who: 'owner', what: 'bash', about });
  const fill = async (audit: Audit, count: number, word = 'command'): Promise<void> => {
    for (let number = 1; number <= count; number += 1) await audit.append([call(`${word} ${number}`)]);
  };
  const shortly = ({ problem, n, through }: AuditProblem): string =>
    `${problem} ${n}${through === undefined ? '' : `-${through}`}`;

  it('are shown, exported and checked on each of them', async () => {
    const [one, two] = [await open('one'), await open('two')];
    await fill(one, 2, 'first');
    await fill(two, 3, 'second');
    await two.verify();
    const lines = await one.newest(10);
    expect(lines).toHaveLength(5);
    expect(new Set(lines.map(({ machine }) => machine)).size).toBe(2);
    const exported: string[] = [];
    for await (const { line } of two.read()) exported.push(line.about ?? '');
    expect(exported.toSorted()).toEqual(['first 1', 'first 2', 'second 1', 'second 2', 'second 3']);
    expect(await one.verify()).toMatchObject({ isSound: true, lines: 5 });
    // An anchor of another machine counts as well.
    const { anchor } = await two.verify();
    expect((await one.verify({ anchor })).isSound).toBe(true);
  });

  it('get to the database without anybody asking, and hold no secret', async () => {
    const audit = await open();
    await audit.append([call('curl --data hunter2hunter2')]);
    await eventually(async () => expect(await sql('SELECT 1 FROM lainclaw.audit_lines')).toHaveLength(1));
    expect(JSON.stringify(await sql('SELECT json FROM lainclaw.audit_lines'))).not.toContain('hunter2');
  });

  it('of a process that was killed are brought by the next one', async () => {
    const local = createLocalStorage({ home: homeOf('one'), now: Date.now });
    await (await local.audit()).append([call('before the end')]);
    await local.close();
    expect((await (await open()).newest(1))[0]?.about).toBe('before the end');
  });

  it.each<[string, string, string[]]>([
    [
      'a changed line',
      `UPDATE lainclaw.audit_lines SET json = replace(json, 'command 3', 'command 9') WHERE n = 3`,
      ['changed 3'],
    ],
    ['a removed line', 'DELETE FROM lainclaw.audit_lines WHERE n = 3', ['missing 3']],
    ['removed first lines', 'DELETE FROM lainclaw.audit_lines WHERE n <= 2', ['missing 1-2']],
    ['removed last lines', 'DELETE FROM lainclaw.audit_lines WHERE n >= 5', ['missing 5-6']],
    ['a line that is none', `UPDATE lainclaw.audit_lines SET json = '{}' WHERE n = 3`, ['changed 3']],
    ['everything removed', 'DELETE FROM lainclaw.audit_lines', ['missing 1-6']],
  ])('are found changed, with the place: %s', async (_, damage, expected) => {
    const audit = await open();
    await fill(audit, 6);
    await audit.verify();
    await sql(damage);
    const report = await audit.verify();
    expect(report.isSound).toBe(false);
    expect(report.problems.map(shortly).filter((problem) => !problem.startsWith('replaced'))).toEqual(expected);
    expect(report.problems[0]?.file).toMatch(/^machine/);
  });

  it('that were written again as a whole are found by the log in the home', async () => {
    const [audit, forger] = [await open('one'), await open('two')];
    await fill(audit, 3);
    await fill(forger, 3, 'forged');
    await Promise.all([audit.verify(), forger.verify()]);
    const [own] = (await sql(`SELECT machine FROM lainclaw.audit_lines WHERE json LIKE '%command 1%'`)) as {
      machine: string;
    }[];
    // The whole chain of the other machine, under the name of this one.
    await sql(`
      DELETE FROM lainclaw.audit_lines WHERE machine = '${own?.machine}';
      UPDATE lainclaw.audit_lines SET machine = '${own?.machine}';
      UPDATE lainclaw.audit_logs SET hash = (SELECT hash FROM lainclaw.audit_logs WHERE machine <> '${own?.machine}') WHERE machine = '${own?.machine}';
      DELETE FROM lainclaw.audit_logs WHERE machine <> '${own?.machine}'`);
    const report = await (await open('one')).verify();
    expect(report.isSound).toBe(false);
    expect(report.problems.map(shortly)).toEqual(['replaced 3']);
  });

  it('stay sound when one machine forgets a text of another', async () => {
    const [one, two] = [await open('one'), await open('two')];
    await fill(one, 2, 'secret');
    await fill(two, 2, 'other');
    await one.verify();
    expect(await two.redact(createRedaction('secret 2'), 'remove')).toMatchObject([{ count: 1 }]);
    expect(JSON.stringify(await sql('SELECT json FROM lainclaw.audit_lines'))).not.toContain('secret 2');
    expect(await two.verify()).toMatchObject({ isSound: true });
    expect(await one.verify()).toMatchObject({ isSound: true });
    await sql(`UPDATE lainclaw.audit_lines SET json = replace(json, 'secret 1', 'secret 9')`);
    expect((await two.verify()).problems.map(shortly)).toEqual(['changed 1']);
  });

  it('begin beside the old one when the files of a home were removed', async () => {
    await fill(await open('one'), 3);
    await opened.splice(0).at(-1)?.close();
    rmSync(join(homeOf('one'), 'audit'), { recursive: true });
    rmSync(join(homeOf('one'), 'audit-head.json'));
    const audit = await open('one');
    await fill(audit, 1, 'afterwards');
    expect((await audit.newest(10)).map(({ about }) => about)).toEqual([
      'command 1',
      'command 2',
      'command 3',
      'afterwards 1',
    ]);
    const report = await audit.verify();
    expect(report.lines).toBe(4);
    expect(report.problems.map(shortly)).toEqual(['replaced 3']);
  });

  it('keep no call waiting for a database that is away', async () => {
    const audit = await open('one', 'postgres://nobody@127.0.0.1:1/none');
    await fill(audit, 3);
    expect(await (await open('one')).newest(10)).toHaveLength(3);
  });
});
