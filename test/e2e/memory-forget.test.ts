// `lainclaw memory forget --everywhere`: forgotten means that no byte of it is left in the home, whatever is killed.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import { createLocks } from '../../src/storage/local/locks.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw, runBinary, startTerminal } from '../support/lainclaw.ts';
import { modelFor } from '../support/model-providers.ts';
import { testHome } from '../support/test-home.ts';

const MARKER = 'magpie-3306';
const PRELOAD = { NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, '../support/kill-at-write.ts'))}` };

interface Report {
  forgotten: boolean;
  places: { place: string; name: string; count: number }[];
  conversations: { sessionKey: string; lines: number }[];
  waiting: string[];
  left: string[];
}

/** The files of the home that hold the marker, in any case. */
function holding(home: Home, word = MARKER): string[] {
  return readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .filter((path) => readFileSync(path).toString('latin1').toLowerCase().includes(word))
    .map((path) => path.slice(home.path.length + 1));
}

const forget = (home: Home, ...flags: string[]) =>
  lainclaw(['memory', 'forget', '--everywhere', 'Magpie-3306', ...flags], { home });

/** A home with the marker in every store, and with another word beside it that stays. */
async function live(home: Home): Promise<void> {
  const flags = ['--session', 'vault', '--memory', '--approve', 'auto'];
  await ask(home, `The vault opens with ${MARKER}, and the door is blue.`, ...flags);
  const write = { path: 'vault.txt', content: `the ${MARKER} file\n`.repeat(4_000) };
  await ask(home, `tool:file_write ${JSON.stringify(write)}`, ...flags);
  await ask(home, `tool:tools.echo ${JSON.stringify({ text: write.content })}`, ...flags);
  await ask(home, `tool:fs.read_file ${JSON.stringify({ path: 'vault.txt', maxLines: 3 })}`, ...flags);
  for (let turn = 0; turn < 11; turn += 1) await ask(home, `Step ${turn} of the ${MARKER} plan.`, ...flags);
  await ask(home, 'The door of the other house is green.', '--session', 'kept', '--memory');
  const run = (...args: string[]) => lainclaw(args, { home });
  await run('sessions', 'rename', 'vault', `About ${MARKER}`);
  await run('memory', 'save', `Remember ${MARKER.toUpperCase()} well.`);
  await run('memory', 'save', 'Remember the umbrella.');
  await run('memory', 'core', 'set', 'user', 'vault', MARKER);
  await run('memory', 'core', 'set', 'user', 'vault', `${MARKER} again`);
  await run('memory', 'core', 'set', 'user', 'city', 'Riga');
  await run('memory', 'core', 'set', 'user', 'code', MARKER, '--scope', 'person:telegram:7');
  await run('schedule', 'add', 'nightly', '--cron', '0 3 * * *', '--message', `is ${MARKER} safe?`);
  await run('sessions', 'search', 'door');
  const storage = createLocalStorage({ home: home.path, now: Date.now });
  const mailbox = await storage.mailbox();
  const lock = await storage.locks.acquire('gateway-1');
  const chat = { channel: 'local', account: 'default', chatId: 'one' };
  await mailbox.receive(lock, { chat, id: 'in-1', order: 1, receivedAt: 1, body: JSON.stringify({ text: MARKER }) });
  await mailbox.enqueue([{ key: 'out-1', chat, body: `it is ${MARKER}` }], 1);
  const runs = await storage.agentRuns();
  await runs.add({ id: 'run-1', name: 'n', message: MARKER, asker: { kind: 'nobody' }, request: '{}' }, 1);
  await lock.release();
  await storage.close();
}

describe('memory forget --everywhere', () => {
  it('shows where a text is, and leaves no byte of it in the home', async () => {
    const home = testHome();
    await live(home);
    const before = new Set(holding(home).map((path) => path.split('/')[0]));
    for (const place of [
      'sessions',
      'memory',
      'outputs',
      'undo',
      'lainclaw.db',
      'core_memory.json',
      'core_memory.history.jsonl',
    ])
      expect(before).toContain(place);
    expect(holding(home)).toContain('sessions/history.db');
    const kept = home.lines('kept');

    const unconfirmed = await forget(home);
    expect([unconfirmed.code, unconfirmed.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    const done = (await forget(home, '--yes')).json<Report>();
    expect(done).toMatchObject({ forgotten: true, waiting: [], left: [] });
    const counts = Object.fromEntries(done.places.map(({ place, count }) => [place, count]));
    for (const place of [
      'note',
      'archived message',
      'core memory',
      'history of core memory',
      'undo record',
      'kept output',
    ])
      expect(counts).toHaveProperty(place);
    for (const place of ['message of a chat', 'message to a chat', 'scheduled job', 'run of a sub-agent'])
      expect(counts).toHaveProperty(place, 1);
    expect(done.conversations).toMatchObject([{ sessionKey: 'vault' }]);

    expect(holding(home)).toEqual([]);
    expect(counts).toHaveProperty('line of the audit log');
    const audit = await lainclaw(['audit', 'verify', '--json'], { home });
    expect(audit.json()).toMatchObject({ isSound: true, notes: [expect.stringContaining('a text was forgotten')] });
    expect(home.lines('kept')).toEqual(kept);
    const [question] = home.messages('vault');
    expect(question?.content).toBe('The vault opens with [forgotten], and the door is blue.');
    expect(home.lines('vault').at(-1)).toMatchObject({ type: 'redaction' });
    expect((await lainclaw(['memory', 'core', 'get'], { home })).json()).toEqual({ user: { city: 'Riga' }, agent: {} });
    const found = await lainclaw(['memory', 'search', 'umbrella'], { home });
    expect(found.json<{ results: unknown[] }>().results).toHaveLength(1);
    expect((await ask(home, 'and now?', '--session', 'vault')).success).toBe(true);
    const log = (await lainclaw(['memory', 'log'], { home })).json<{ forgotten: { places: object }[] }>();
    expect(log.forgotten).toMatchObject([{ conversations: 1, places: { note: 1 } }]);
    expect((await forget(home, '--yes', '--text')).stdout).toBe('nothing found\n');
  });

  it('takes a text of a hundred thousand characters away', async () => {
    const home = testHome();
    const text = Array.from({ length: 12_000 }, (_, index) => `line-${index}`).join(' ');
    expect(text.length).toBeGreaterThan(100_000);
    await ask(home, `Before. ${text} After.`, '--memory');
    const forgotten = await lainclaw(['memory', 'forget', '--everywhere', text, '--yes'], { home });
    expect({ code: forgotten.code, stderr: forgotten.stderr }).toEqual({ code: 0, stderr: '' });
    expect(home.messages()[0]?.content).toBe('Before. [forgotten] After.');
    expect(holding(home, 'line-11999')).toEqual([]);
  });

  it('takes words away, and nothing that keeps a conversation readable', async () => {
    const home = testHome();
    const run = (...args: string[]) => lainclaw(args, { home });
    await ask(home, 'The first question.', '--memory');
    const date = home.messages()[0]?.timestamp.slice(0, 10) ?? '';
    await ask(home, `The main user met the agent on ${date}.`, '--memory');
    await run('memory', 'core', 'set', 'agent', 'city', 'Riga');
    await run('memory', 'core', 'set', 'user', 'code', 'blue', '--scope', 'person:telegram:7');
    await run('schedule', 'add', 'nightly', '--cron', '0 3 * * *', '--message', 'tell the user and the agent');
    const before = home.messages();
    for (const text of ['user', 'main', date, 'agent', 'message', 'telegram'])
      expect((await run('memory', 'forget', '--everywhere', text, '--yes')).code).toBe(0);

    const shape = ({ id, role, timestamp, route, stage }: (typeof before)[number]) => [
      id,
      role,
      timestamp,
      route,
      stage,
    ];
    expect(home.messages().map(shape)).toEqual(before.map(shape));
    expect(home.messages()[2]?.content).toBe('The [forgotten] [forgotten] met the [forgotten] on [forgotten].');
    expect(home.lines()[0]).toMatchObject({ type: 'session', sessionKey: 'main' });
    const core = (...flags: string[]) => run('memory', 'core', 'get', ...flags);
    expect((await core()).json()).toEqual({ user: {}, agent: { city: 'Riga' } });
    expect((await core('--scope', 'person:telegram:7')).json()).toEqual({ user: { code: 'blue' }, agent: {} });
    const { stdout } = await run('schedule', 'list', '--json');
    expect(stdout).toContain('tell the [forgotten] and the [forgotten]');
    expect((await run('audit', 'verify', '--json')).json()).toMatchObject({ isSound: true });
    expect((await ask(home, 'and now?')).success).toBe(true);
    expect(home.messages()).toHaveLength(before.length + 2);
  });

  it('names the files that are the person’s own and still hold it', async () => {
    const home = testHome();
    await lainclaw(['memory', 'save', `Remember ${MARKER}.`], { home });
    writeFileSync(join(home.path, 'USER.md'), `I say ${MARKER} a lot.\n`);
    const { stderr } = await forget(home, '--yes', '--text');
    expect(stderr).toContain('USER.md still holds it');
    expect(holding(home)).toEqual(['USER.md']);
  });

  it('killed before any of its writes, is finished by the next command', async () => {
    const home = testHome();
    await live(home);
    const aside = join(home.base, 'saved');
    cpSync(home.path, aside, { recursive: true });
    const before = holding(home).length;
    let ended = false;
    let begun = 0;
    for (let at = 1; !ended; at += Math.ceil(at / 3) + 2) {
      rmSync(home.path, { recursive: true });
      cpSync(aside, home.path, { recursive: true });
      const env = { ...PRELOAD, LAINCLAW_TEST_KILL_AT: String(at) };
      const killed = await runBinary(['memory', 'forget', '--everywhere', MARKER, '--yes'], { home, env });
      ended = killed.signal === null;
      const { code, stderr } = await lainclaw(['sessions', 'list', '--json'], { home });
      expect([at, code, stderr]).toEqual([at, 0, '']);
      // Without its final name the record of what is to be forgotten says nothing: the next one takes its place.
      const after = holding(home).filter((path) => path !== '.forgetting.json.tmp').length;
      expect([at, [0, before].includes(after)]).toEqual([at, true]);
      if (after === 0) begun += 1;
    }
    expect(begun).toBeGreaterThan(5);
    expect(holding(home)).toEqual([]);
  });

  it('leaves a conversation whose turn is running to the next command', async () => {
    const home = testHome();
    await ask(home, `The code is ${MARKER}.`, '--session', 'busy');
    await ask(home, `The code is ${MARKER}.`, '--session', 'free');
    const lock = await createLocks(join(home.path, 'locks')).acquire('session:busy');
    const done = (await forget(home, '--yes')).json<Report>();
    expect(done.waiting).toEqual(['busy']);
    expect(holding(home)).toEqual(expect.arrayContaining(['forgetting.json']));
    await lock.release();
    await lainclaw(['sessions', 'list'], { home });
    expect(holding(home)).toEqual([]);
  });

  it('lets every command work where a forgetting cannot be finished', async () => {
    const home = testHome();
    await ask(home, 'hello');
    // A store that cannot be opened.
    rmSync(join(home.path, 'lainclaw.db'), { force: true });
    mkdirSync(join(home.path, 'lainclaw.db'));
    const forgettings = [{ text: MARKER, conversations: false }];
    writeFileSync(join(home.path, 'forgetting.json'), JSON.stringify({ version: 1, forgettings }));
    const { code, stderr } = await lainclaw(['sessions', 'list', '--json'], { home });
    expect([code, stderr.slice(0, 200)]).toEqual([0, expect.stringContaining('is not forgotten everywhere yet')]);
  });

  it('--conversations deletes the conversations that hold it', async () => {
    const home = testHome();
    await ask(home, `The code is ${MARKER}.`, '--session', 'vault', '--memory');
    await ask(home, 'hello', '--session', 'kept');
    await forget(home, '--yes', '--conversations');
    expect(holding(home)).toEqual([]);
    expect(Object.keys(home.index().sessions)).toEqual(['kept']);
  });

  it('asks at a terminal, after showing what it found', async () => {
    const home = testHome();
    await lainclaw(['memory', 'save', `Remember ${MARKER}.`], { home });
    const running = startTerminal(['memory', 'forget', '--everywhere', MARKER], { home });
    await running.saw('Remove all of this for good?');
    await running.write('n\n');
    const { code, stdout } = await running.ended;
    expect([code, stdout]).toEqual([1, expect.stringContaining(`Remember ${MARKER}.`)]);
    expect(holding(home)).toContain('lainclaw.db');
  });

  it.each([
    [['--everywhere', 'ab', '--yes'], 1, 'at least 3 characters'],
    [['mem-1', '--everywhere', 'abc', '--yes'], 2, 'takes the text alone'],
    [['mem-1', '--conversations'], 2, 'goes with --everywhere'],
  ])('refuses %j', async (args, code, message) => {
    const refused = await lainclaw(['memory', 'forget', ...args], { home: testHome() });
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});

describe('the tool memory_forget', () => {
  it.each(['--memory', '--no-memory'])(
    'forgets a text everywhere, also in the turn that asks for it, once a person allowed it (%s)',
    async (flag) => {
      const model = await modelFor('anthropic', ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? { text: 'Done.' }
          : { toolCalls: [{ name: 'memory_forget', args: { text: MARKER } }] },
      );
      const { home } = model;
      await lainclaw(['memory', 'save', `The vault opens with ${MARKER}.`], { home });
      const refused = (await model.ask(`forget ${MARKER}`)).json();
      expect(refused.toolError?.message).toContain('needs permission');
      const asked = model.startOnTerminal(`forget ${MARKER} everywhere`, flag);
      await asked.saw('[y] once');
      expect(asked.said()).toContain('1 note: The vault opens with');
      await asked.write('y\n');
      expect((await asked.ended).code).toBe(0);
      expect(holding(home)).toEqual([]);
      expect(home.messages().some(({ content }) => content.includes('forget [forgotten] everywhere'))).toBe(true);
    },
  );

  it('deletes a conversation by its key', async () => {
    const model = await modelFor('anthropic', ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'Done.' }
        : { toolCalls: [{ name: 'memory_forget', args: { session: 'screenshots' } }] },
    );
    const { home } = model;
    await ask(home, `The picture shows ${MARKER}.`, '--session', 'screenshots', '--memory');
    const asked = model.startOnTerminal('forget the conversation about the picture');
    await asked.saw('[y] once');
    await asked.write('y\n');
    expect((await asked.ended).code).toBe(0);
    expect(holding(home)).toEqual([]);
    expect(Object.keys(home.index().sessions)).toEqual(['main']);
  });
});
