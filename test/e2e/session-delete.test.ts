// `lainclaw sessions delete` and `search`. Deleted means that no byte of it is left in the home.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import { createLocks } from '../../src/storage/local/locks.ts';
import type { InboxMessage } from '../../src/storage/mailbox.ts';
import { ask, lainclaw, startLainclaw, startTerminal } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

type Home = ReturnType<typeof testHome>;
const MARKER = 'xylophonecactus';

/** The files of the home that hold the marker, as text or in capitals. */
function holding(home: Home): string[] {
  const names = readdirSync(home.path, { recursive: true, withFileTypes: true });
  return names
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .filter((path) => readFileSync(path).toString('latin1').toLowerCase().includes(MARKER));
}

/** A conversation that leaves something in every store. */
async function talk(home: Home, session: string, marker: string): Promise<void> {
  const flags = ['--session', session, '--memory', '--approve', 'auto'];
  await ask(home, `About the ${marker} plan`, ...flags);
  const write = { path: `${session}.txt`, content: `the ${marker} file\n`.repeat(4_000) };
  await ask(home, `tool:file_write ${JSON.stringify(write)}`, ...flags);
  await ask(home, `tool:fs.read ${JSON.stringify({ path: `${session}.txt` })}`, ...flags);
  await ask(home, `tool:tools.echo ${JSON.stringify({ text: write.content })}`, ...flags);
  await ask(home, `tool:file_write ${JSON.stringify({ ...write, content: `small ${marker}` })}`, ...flags);
  for (let turn = 0; turn < 10; turn += 1) await ask(home, `The ${marker} needs step ${turn}.`, ...flags);
}

/** What extractions have cost counts for the day's limit; they hold no words. */
const STAYING = new Set(['fact_extractions']);

/** Rows that name a session, in every table of the home's databases with a column for it. */
function rowsThatName(home: Home, session: Readonly<Record<string, string>>) {
  const databases = ['lainclaw.db', 'undo/undo.db', 'sessions/sessions.db'].map(
    (path) => new DatabaseSync(join(home.path, path)),
  );
  onTestFinished(() => {
    for (const db of databases) db.close();
  });
  const tables = databases.flatMap((db) => {
    const found = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .filter(({ name }) => !STAYING.has(String(name)));
    return found.flatMap(({ name: table }) => {
      const columns = db.prepare(`PRAGMA table_info("${table}")`).all();
      const naming = columns.map(({ name }) => String(name)).filter((name) => Object.hasOwn(session, name));
      return naming.length > 0 ? [{ db, table: String(table), columns, naming }] : [];
    });
  });
  const count = ({ db, table, naming }: (typeof tables)[number]): number => {
    const where = naming.map((name) => `"${name}" = ?`).join(' OR ');
    const statement = db.prepare(`SELECT count(*) AS count FROM "${table}" WHERE ${where}`);
    return Number(statement.get(...naming.map((name) => session[name] ?? ''))?.count);
  };
  return {
    /** One where there is none; what else a row must have is made up. */
    add() {
      for (const found of tables.filter((each) => count(each) === 0)) {
        const needed = found.columns.filter(
          ({ name, notnull, pk }) => notnull || pk || found.naming.includes(String(name)),
        );
        const row = needed.map(({ name, type }) => session[String(name)] ?? (type === 'TEXT' ? '{}' : 1_000_000));
        const [names, marks] = [needed.map(({ name }) => `"${name}"`).join(', '), row.map(() => '?').join(', ')];
        found.db.prepare(`INSERT INTO "${found.table}" (${names}) VALUES (${marks})`).run(...row);
      }
    },
    /** The tables that have any. */
    left: () => tables.filter((each) => count(each) > 0).map(({ table }) => table),
  };
}

describe('sessions delete', () => {
  it('leaves no byte of a conversation in the home, and every other one as it was', async () => {
    const home = testHome();
    await talk(home, 'kept', 'umbrella');
    await talk(home, 'secret', MARKER);
    await ask(home, `An earlier ${MARKER}`, '--session', 'twice');
    await ask(home, 'tool:time.now {}', '--session', 'twice', '--new-session');
    await lainclaw(['sessions', 'rename', 'secret', `${MARKER} for ever`], { home });
    await lainclaw(['sessions', 'fork', 'secret', '--as', 'copy'], { home });
    const places = holding(home).map((path) => path.slice(home.path.length + 1).split('/')[0]);
    expect(new Set(places)).toEqual(new Set(['sessions', 'outputs', 'undo', 'memory', 'lainclaw.db', 'audit']));
    const before = home.lines('kept');

    for (const key of ['copy', 'secret', 'twice']) {
      const { code, stderr } = await lainclaw(['sessions', 'delete', key, '--yes'], { home });
      expect([code, stderr]).toEqual([0, '']);
    }
    expect(holding(home)).toEqual([]);
    expect((await lainclaw(['audit', 'verify'], { home })).code).toBe(0);
    expect(home.lines('kept')).toEqual(before);
    const list = (await lainclaw(['sessions', 'list', '--json'], { home })).json<{ sessionKey: string }[]>();
    expect(list.map(({ sessionKey }) => sessionKey)).toEqual(['kept']);
    const undone = await lainclaw(['undo', '--session', 'kept', '--json'], { home });
    expect(undone.json()).toMatchObject({ success: true });
    const found = await lainclaw(['memory', 'search', 'umbrella', '--json'], { home });
    expect(found.json<{ results: unknown[] }>().results.length).toBeGreaterThan(0);
  });

  it('empties every table that names a session of it, also one that is added', async () => {
    const home = testHome();
    await ask(home, 'Keep this in mind', '--session', 'gone', '--memory');
    const write = { path: 'a.txt', content: 'a' };
    await ask(home, `tool:file_write ${JSON.stringify(write)}`, '--session', 'gone', '--approve', 'auto');
    await lainclaw(['sessions', 'search', 'mind'], { home });
    const [{ sessionId = '' } = {}] = (await lainclaw(['sessions', 'list', '--json'], { home })).json<
      { sessionId: string }[]
    >();
    const named = rowsThatName(home, { session: sessionId, session_id: sessionId, session_key: 'gone' });
    named.add();
    expect(named.left()).toEqual(expect.arrayContaining(['agent_runs', 'fact_sources', 'archive_documents', 'turns']));
    const { code, stderr } = await lainclaw(['sessions', 'delete', 'gone', '--yes'], { home });
    expect([code, stderr]).toEqual([0, '']);
    expect(named.left()).toEqual([]);
  });

  it('takes the messages of its chat, files of code, and damaged indexes with it', async () => {
    const home = testHome();
    const code = join(home.path, 'outputs', 'code');
    const left = ['report-1.txt', 'report-2.txt'].map((name) => join(code, name));
    await ask(home, 'tool:tools.echo {}', '--session', 'local:secret');
    leaveAsEarlierVersions(home, 'local:secret', left[0] ?? '');
    mkdirSync(code, { recursive: true });
    for (const path of left) writeFileSync(path, `the ${MARKER}`);
    for (const name of ['sessions.db.damaged-1', 'sessions.json.damaged-2'])
      writeFileSync(join(home.path, 'sessions', name), `the ${MARKER}`);
    const storage = createLocalStorage({ home: home.path, now: Date.now });
    const mailbox = await storage.mailbox();
    const lock = await storage.locks.acquire('gateway-1');
    for (const chatId of ['secret', 'kept']) {
      const chat = { channel: 'local', account: 'default', chatId };
      const body = chatId === 'secret' ? MARKER : 'umbrella';
      await mailbox.receive(lock, { chat, id: `in-${chatId}`, order: 1, receivedAt: 1, body });
      await mailbox.enqueue(
        [`waits-${chatId}`, `dead-${chatId}`].map((key) => ({ key, chat, body })),
        1,
      );
      await mailbox.die(`dead-${chatId}`, `no ${body}`, 1);
    }
    const { code: exit } = await lainclaw(['sessions', 'delete', 'local:secret', '--yes'], { home });
    // What another conversation may have left stays.
    expect([exit, holding(home)]).toEqual([0, [left[1]]]);
    expect(await mailbox.counts()).toEqual({ inbox: 1, outbox: 1, dead: 1 });
    expect(await mailbox.receive(lock, { ...(await mailbox.unfinished())[0], id: 'in-secret' } as InboxMessage)).toBe(
      'known',
    );
    await lock.release();
    await storage.close();
  });

  it('takes no file along that code of the conversation has only named', async () => {
    const home = testHome();
    const folder = join(home.path, 'outputs/code');
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'theirs-x.txt');
    writeFileSync(path, 'of another conversation');
    const code = `print("theirs (23 bytes) is in ${path}")`;
    await ask(home, `tool:code_execute ${JSON.stringify({ code })}`, '--session', 'naming', '--approve', 'auto');
    expect(JSON.stringify(home.lines('naming'))).toContain(`theirs (23 bytes) is in ${path}`);
    expect((await lainclaw(['sessions', 'delete', 'naming', '--yes'], { home })).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe('of another conversation');
  });

  it('killed anywhere, is finished by the next command or had not begun', async () => {
    const home = testHome();
    await talk(home, 'kept', 'umbrella');
    let total = 0;
    for (let round = 0; round < 12; round += 1) {
      await talk(home, 'secret', MARKER);
      const before = holding(home).length;
      const started = performance.now();
      const running = startLainclaw(['sessions', 'delete', 'secret', '--yes'], { home });
      // The first is left alone, and says how long it takes.
      if (round > 0) await Promise.race([sleep((total * (round + 3)) / 14), running.ended]);
      if (round > 0) running.kill('SIGKILL');
      await running.ended;
      if (round === 0) total = performance.now() - started;
      const { code, stderr } = await lainclaw(['sessions', 'list', '--json'], { home });
      expect([code, stderr]).toEqual([0, '']);
      const after = holding(home).length;
      expect([0, before]).toContain(after);
      if (after > 0) await lainclaw(['sessions', 'delete', 'secret', '--yes'], { home });
      expect(holding(home)).toEqual([]);
    }
    expect(home.lines('kept').length).toBeGreaterThan(20);
  });

  it('takes one session by its id and leaves the others of the key', async () => {
    const home = testHome();
    await ask(home, `first ${MARKER}`);
    const earlier = home.entry().sessionId;
    await ask(home, 'second', '--new-session');
    const { stdout } = await lainclaw(['sessions', 'delete', earlier, '--yes', '--json'], { home });
    expect(JSON.parse(stdout)).toEqual({ success: true, sessionKey: 'main', deleted: [earlier] });
    expect(home.entry().sessionId).not.toBe(earlier);
    expect([holding(home), home.transcripts().length]).toEqual([[], 1]);
  });

  it('is refused while a turn of the session is running', async () => {
    const home = testHome();
    await ask(home, 'hello');
    const lock = await createLocks(join(home.path, 'locks')).acquire('session:main');
    const { code, stderr } = await lainclaw(['sessions', 'delete', 'main', '--yes'], { home });
    expect([code, stderr]).toEqual([1, expect.stringContaining('a turn of "main" is running')]);
    await lock.release();
    expect(home.messages()).toHaveLength(2);
  });

  it('needs --yes without a terminal, and names the nearest key', async () => {
    const home = testHome();
    await ask(home, 'hello');
    const unconfirmed = await lainclaw(['sessions', 'delete', 'main'], { home });
    expect([unconfirmed.code, unconfirmed.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    for (const name of ['mian', 'session-nowhere']) {
      const { code, stderr } = await lainclaw(['sessions', 'delete', name, '--yes'], { home });
      expect([code, stderr]).toEqual([1, expect.stringContaining(`there is no session "${name}"`)]);
    }
    expect(home.messages()).toHaveLength(2);
  });

  it.each([
    ['n', 1, 2],
    ['y', 0, 0],
  ])('asks at a terminal: %s', async (answer, code, left) => {
    const home = testHome();
    await ask(home, 'hello');
    const running = startTerminal(['sessions', 'delete', 'main'], { home });
    await running.saw('Delete main');
    await running.write(`${answer}\n`);
    expect((await running.ended).code).toBe(code);
    expect(home.transcripts().length === 0 ? 0 : home.messages().length).toBe(left);
  });
});

describe('sessions search', () => {
  it('finds words of titles and messages over all sessions, the newest first', async () => {
    const home = testHome();
    await ask(home, 'The walrus likes "quoted" ice', '--session', 'one');
    await ask(home, 'Nothing here', '--session', 'two');
    await ask(home, 'A WALRUS again', '--session', 'three');
    await ask(home, 'later', '--session', 'one', '--new-session');
    await lainclaw(['sessions', 'rename', 'two', 'Walrus title'], { home });
    const search = async (...args: string[]) =>
      (await lainclaw(['sessions', 'search', ...args, '--json'], { home })).json<{ sessionKey: string }[]>();
    const all = await search('walrus');
    expect(all.map(({ sessionKey }) => sessionKey).toSorted()).toEqual(['one', 'three', 'two']);
    expect(all).toContainEqual(
      expect.objectContaining({
        sessionKey: 'one',
        isCurrent: false,
        snippet: expect.stringContaining('walrus likes'),
      }),
    );
    expect(await search('walrus', '"quoted"')).toMatchObject([{ sessionKey: 'one', matches: 2 }]);
    expect(await search('walrus', '--limit', '1')).toHaveLength(1);
    expect(await search('walrus', 'Nothing')).toEqual([]);
    const shown = await lainclaw(['sessions', 'search', 'again', '--text'], { home });
    expect(shown.stdout).toMatch(/^three {2}.* {2}A WALRUS again .*2 messages\n {2}.*A WALRUS again/);
    const empty = await lainclaw(['sessions', 'search', ' '], { home });
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('give some words')]);
  });
});

/** As if the call of the session had been code that left a file in the folder that earlier versions kept for all sessions. */
function leaveAsEarlierVersions(home: Home, sessionKey: string, path: string): void {
  const transcript = home.transcriptPath(sessionKey);
  const lines = readFileSync(transcript, 'utf8')
    .trimEnd()
    .split('\n')
    .map((text) => {
      const line = JSON.parse(text) as { type?: string; call?: object };
      if (line.type === 'tool-call') return { ...line, call: { ...line.call, name: 'code_execute' } };
      return line.type === 'tool-result' ? { ...line, text: `done\nreport.txt (12 bytes) is in ${path}` } : line;
    });
  writeFileSync(transcript, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
}
