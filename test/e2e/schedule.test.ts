import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobSummary, RunSummary } from '../../src/schedule/summary.ts';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import type { Home } from '../support/home.ts';
import { ask, type Finished, lainclaw, runBinary, startLainclaw } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

type Ran = RunSummary & { name: string };
interface Listing {
  jobs: JobSummary[];
  problems: { line: number; message: string }[];
}

const schedule = (home: Home, ...args: string[]): Promise<Finished> => lainclaw(['schedule', ...args], { home });
const list = async (home: Home, ...flags: string[]): Promise<Listing> =>
  (await schedule(home, 'list', ...flags)).json<Listing>();
const history = async (home: Home, name: string): Promise<RunSummary[]> =>
  (await schedule(home, 'history', name)).json<RunSummary[]>();
const runDue = async (home: Home, ...flags: string[]): Promise<Ran[]> =>
  (await schedule(home, 'run-due', ...flags)).json<{ runs: Ran[] }>().runs;

/** A job that is due once, and has been for half a minute: it was added a minute ago. */
async function addDue(home: Home, name: string, message: string): Promise<void> {
  const now = (): number => Date.now() - 60_000;
  const moment = new Date(now() + 30_000).toISOString().replace(/\.\d+/, '');
  const added = await lainclaw(['schedule', 'add', name, '--at', moment, '--message', message], { home, now });
  expect(added.stderr + added.stdout).toContain('nextRunAt');
}

/** A model that answers each request only when told to. */
async function holdingModel(home: Home) {
  const asked = Promise.withResolvers<void>();
  const server = await startModelServer({
    script: () => {
      asked.resolve();
      return { text: 'never', fault: { kind: 'hang' } };
    },
  });
  afterFile(() => server.close());
  home.config({ provider: 'openai-compatible', model: 'fake', baseUrl: `${server.url}/v1` });
  return { asked: asked.promise, server };
}

describe('lainclaw schedule', () => {
  it('says where the answers of a job are that no chat gets', async () => {
    const home = testHome();
    const add = (name: string, ...flags: string[]) =>
      schedule(home, 'add', name, '--cron', '@daily', '--message', 'hi', '--text', ...flags);
    expect((await add('own')).stdout).toContain('no chat gets its answers');
    expect((await add('sent', '--inject-into', 'telegram:7')).stdout).not.toContain('no chat');
  });

  it('adds, lists, looks ahead, pauses, resumes and removes', async () => {
    const home = testHome();
    const added = await schedule(
      home,
      ...['add', 'morning', '--cron', '0 9 * * 1-5', '--message', 'Say hello', '--timezone', 'Europe/Berlin'],
    );
    expect(added.code).toBe(0);
    expect(added.stderr).toContain('lainclaw gateway start');
    expect(added.stderr).toContain('lainclaw schedule run-due');
    const { jobs } = await list(home);
    expect(jobs).toMatchObject([
      { name: 'morning', cron: '0 9 * * 1-5', timezone: 'Europe/Berlin', misfire: 'once', status: 'active' },
    ]);
    const [next] = (await schedule(home, 'next', 'morning', '--count', '3')).json<{ runsAt: string[] }[]>();
    expect(next?.runsAt).toHaveLength(3);
    expect(next?.runsAt[0]).toBe(jobs[0]?.nextRunAt);
    expect((await schedule(home, 'pause', 'morning')).json()).toMatchObject({ status: 'paused', nextRunAt: null });
    expect((await schedule(home, 'list', '--text')).stdout).toContain('paused by hand');
    expect((await schedule(home, 'resume', 'morning')).json()).toMatchObject({ status: 'active' });
    expect((await schedule(home, 'remove', 'morning')).json()).toEqual({ removed: 'morning' });
    expect((await list(home)).jobs).toEqual([]);
    for (const verb of ['remove', 'pause', 'resume', 'run', 'history', 'next'])
      expect(await schedule(home, verb, 'morning')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('SCHEDULE_NOT_FOUND'),
      });
  });

  it.each([
    [['--cron', '61 * * * *'], 'SCHEDULE_INVALID'],
    [['--cron', '0 0 30 2 *'], 'SCHEDULE_NEVER_FIRES'],
    [['--at', '2020-01-01T00:00'], 'SCHEDULE_NEVER_FIRES'],
    [['--every', 'now and then'], 'SCHEDULE_INVALID'],
    [['--cron', '@daily', '--timezone', 'Mars/Base'], 'SCHEDULE_BAD_TIMEZONE'],
    [['--cron', '@daily', '--inject-into', 'pigeon:7'], 'SCHEDULE_BAD_VALUE'],
    [['--cron', '@daily', '--jitter', '2d'], 'SCHEDULE_BAD_VALUE'],
    [['--cron', '@daily', '--misfire', 'maybe'], 'Accepted: skip, once, all'],
    [['--cron', '@daily', '--every', '1h'], 'one of --cron, --every and --at'],
    [[], 'one of --cron, --every and --at'],
  ])('refuses %j and keeps nothing', async (flags, reason) => {
    const home = testHome();
    const { code, stderr } = await schedule(home, 'add', 'job', '--message', 'm', ...flags);
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
    expect((await list(home)).jobs).toEqual([]);
  });

  it('refuses a name that is taken, and names that cannot be', async () => {
    const home = testHome();
    const add = (name: string) => schedule(home, 'add', name, '--cron', '@daily', '--message', 'm');
    expect((await add('one')).code).toBe(0);
    expect(await add('one')).toMatchObject({ code: 1, stderr: expect.stringContaining('SCHEDULE_DUPLICATE') });
    for (const name of ['two\nwords', ' ', '-x', 'x'.repeat(101)]) expect((await add(name)).code, name).not.toBe(0);
    expect((await list(home)).jobs.map(({ name }) => name)).toEqual(['one']);
  });

  it('runs what is due in a session of its own, once, and keeps the answer', async () => {
    const home = testHome();
    home.config({ provider: 'stub' });
    await addDue(home, 'greet', 'Say hello');
    const before = await list(home);
    expect(await list(home)).toEqual(before);
    expect(await runDue(home)).toMatchObject([
      { name: 'greet', status: 'ok', answer: expect.stringContaining('Say hello') },
    ]);
    expect(await runDue(home)).toEqual([]);
    expect(home.messages('schedule:greet').map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(await history(home, 'greet')).toMatchObject([{ status: 'ok', trigger: 'slot' }]);
    expect((await list(home)).jobs).toMatchObject([{ status: 'done', nextRunAt: null }]);
  });

  it('runs a job now with the settings that its own times have, as far as the job has none itself', async () => {
    const home = testHome();
    const server = await startModelServer({
      anonymous: true,
      script: ({ messages }) =>
        messages.at(-1)?.role === 'tool'
          ? { text: 'It is made.' }
          : { toolCalls: [{ name: 'bash', args: { command: 'touch made.txt' } }] },
    });
    afterFile(() => server.close());
    home.config({ provider: 'stub', baseUrl: `${server.url}/v1` });
    const config = (...args: string[]) => lainclaw(['gateway', 'config', 'set', ...args], { home });
    await config('provider=stub', 'toolAllow=fs.read_file', 'mode=never');
    const provider = ['provider=openai-compatible', 'model=fake'];
    expect((await config('--jobs', ...provider, 'toolAllow=bash,time.now', 'mode=auto', 'toolMaxSteps=2')).code).toBe(
      0,
    );
    await schedule(home, 'add', 'maker', '--cron', '0 9 * * *', '--message', 'Make it');
    const asked = (): { model: string; tools: string[] }[] =>
      server.requests.map(({ body }) => {
        const { model, tools } = body as { model: string; tools: { function: { name: string } }[] };
        return { model, tools: tools.map((tool) => tool.function.name).toSorted() };
      });
    expect((await schedule(home, 'run', 'maker')).json()).toMatchObject({ status: 'ok', answer: 'It is made.' });
    expect(existsSync(join(home.path, 'workspace', 'made.txt'))).toBe(true);
    const request = { model: 'fake', tools: ['bash', 'time_now'] };
    expect(asked()).toEqual([request, request]);
    // A real slot has the same.
    const later = (): number => Date.now() + 48 * 3_600_000;
    await lainclaw(['schedule', 'run-due'], { home, now: later });
    expect(asked().slice(2)).toEqual([request, request]);
    await schedule(home, 'add', 'other', '--cron', '0 9 * * *', '--message', 'Make it', '--model', 'fake-2');
    await schedule(home, 'run', 'other');
    expect(asked().at(-1)).toEqual({ ...request, model: 'fake-2' });
  });

  it('several processes at the same moment run a slot once', async () => {
    const home = testHome();
    for (const name of ['a', 'b', 'c']) await addDue(home, name, 'x');
    const all = await Promise.all(Array.from({ length: 5 }, () => runBinary(['schedule', 'run-due'], { home })));
    expect(
      all
        .flatMap((finished) => finished.json<{ runs: Ran[] }>().runs)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'b', 'c']) expect(home.messages(`schedule:${name}`)).toHaveLength(2);
  });

  it('a run that is killed is reported as interrupted by the next process, and not repeated', async () => {
    const home = testHome();
    const { asked, server } = await holdingModel(home);
    await addDue(home, 'long', 'Think');
    const env = { LAINCLAW_API_KEY: 'none' };
    const running = startLainclaw(['schedule', 'run-due'], { home, env });
    await asked;
    expect((await list(home)).jobs).toMatchObject([{ status: 'running' }]);
    expect(await schedule(home, 'run', 'long')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('SCHEDULE_RUNNING'),
    });
    running.kill('SIGKILL');
    await running.ended;
    const requests = server.requests.length;
    const next = await lainclaw(['schedule', 'run-due'], { home, env });
    expect(next.json<{ runs: Ran[] }>().runs).toEqual([]);
    expect(next.stderr).toContain('interrupted');
    expect(server.requests).toHaveLength(requests);
    expect(await history(home, 'long')).toMatchObject([{ status: 'interrupted' }]);
  });

  it('Ctrl-C ends a run and leaves it on record', async () => {
    const home = testHome();
    const { asked } = await holdingModel(home);
    await schedule(home, 'add', 'long', '--cron', '@daily', '--message', 'Think');
    const running = startLainclaw(['schedule', 'run', 'long'], { home, env: { LAINCLAW_API_KEY: 'none' } });
    await asked;
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(await history(home, 'long')).toMatchObject([{ status: 'interrupted', trigger: 'manual' }]);
  });

  it('a failing job is reported, and paused after the given number of failures', async () => {
    const home = testHome();
    const server = await startModelServer({ script: [], accept: () => false });
    afterFile(() => server.close());
    home.config({ provider: 'openai-compatible', model: 'fake', baseUrl: `${server.url}/v1` });
    await schedule(home, 'add', 'bad', '--cron', '@yearly', '--message', 'm', '--max-failures', '1');
    const { code, stderr } = await lainclaw(['schedule', 'run', 'bad'], {
      home,
      env: { LAINCLAW_API_KEY: 'none' },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('lainclaw schedule resume bad');
    expect((await list(home)).jobs).toMatchObject([{ status: 'paused', failures: 1, reason: expect.any(String) }]);
  });
});

describe('the schedule tools', () => {
  it('add, list and remove; what is impossible is refused with the reason', async () => {
    const home = testHome();
    const call = async (name: string, args: object) =>
      (await ask(home, `tool:${name} ${JSON.stringify(args)}`)).toolResults[0]?.result;
    const job = {
      name: 'tea',
      cron: 'every 20m',
      message: 'Make tea',
      injectInto: 'telegram:7',
      timezone: 'Asia/Shanghai',
    };
    expect(await call('schedule_add', job)).toMatchObject({
      ok: true,
      data: { name: 'tea', note: expect.stringContaining('gateway') },
    });
    expect(await call('schedule_add', job)).toMatchObject({ ok: false, error: { code: 'execution_error' } });
    expect(await call('schedule_add', { ...job, name: 'b', cron: 'x' })).toMatchObject({ ok: false });
    expect(await call('schedule_add', { name: 'c' })).toMatchObject({ ok: false, error: { code: 'invalid_args' } });
    expect(await call('schedule_list', {})).toMatchObject({ data: { jobs: [{ ...job, source: 'tool' }] } });
    expect(await call('schedule_remove', { name: 'tea' })).toMatchObject({ ok: true });
    expect(await call('schedule_remove', { name: 'tea' })).toMatchObject({ ok: false });
  });
});

describe('HEARTBEAT.md', () => {
  function withHeartbeat(text: string): Home {
    const home = testHome();
    mkdirSync(join(home.path, 'workspace'), { recursive: true });
    writeFileSync(join(home.path, 'workspace', 'HEARTBEAT.md'), text);
    return home;
  }

  it('becomes jobs; mistakes are named by line', async () => {
    const home = withHeartbeat(
      '# Heartbeat\n## check in\ncron: every 1h\nmessage: Look around\n## broken\ncron: 99 * * * *\nmessage: m\n',
    );
    expect(await list(home)).toMatchObject({ jobs: [], problems: [{ line: 6 }] });
    expect(await runDue(home)).toEqual([]);
    const { stderr } = await schedule(home, 'list', '--text');
    expect(stderr).toContain('HEARTBEAT.md:6:');
    expect((await list(home)).jobs).toMatchObject([{ name: 'check-in', source: 'heartbeat', message: 'Look around' }]);
  });

  it('in the directory one happens to be in is not obeyed', async () => {
    const home = testHome();
    home.file('HEARTBEAT.md', '## x\ncron: every 1s\nmessage: m\n');
    await runDue(home);
    expect((await list(home)).jobs).toEqual([]);
    await runDue(home, '--workspace', home.workspace);
    expect((await list(home)).jobs).toMatchObject([{ name: 'x' }]);
  });

  it('counts as content from outside: what the rules allow others it may not do', async () => {
    const home = withHeartbeat('## beat\ncron: @yearly\nmessage: tool:schedule_remove {"name":"mine"}\n');
    writeFileSync(
      join(home.path, 'permissions.json'),
      JSON.stringify({ version: 1, allow: ['schedule_remove', 'file_write'] }),
    );
    await runDue(home);
    const write = 'tool:file_write {"path":"made.txt","content":"x"}';
    await schedule(home, 'add', 'mine', '--cron', '@yearly', '--message', write);
    expect((await schedule(home, 'run', 'beat', '--text')).stdout).toContain('the mode never refuses it');
    const turns = home.lines('schedule:beat').filter((line) => line.type === 'turn-end');
    expect(turns).toMatchObject([{ tainted: true }]);
    // The owner's own job may do what the rules allow.
    await schedule(home, 'run', 'mine');
    expect(existsSync(join(home.path, 'workspace', 'made.txt'))).toBe(true);
  });

  it('is not changed by a tool without a person, even one that is allowed to write', async () => {
    const home = testHome();
    mkdirSync(home.path, { recursive: true });
    writeFileSync(join(home.path, 'permissions.json'), JSON.stringify({ version: 1, allow: ['file_write'] }));
    home.file('HEARTBEAT.md', 'mine');
    const args = JSON.stringify({ path: 'HEARTBEAT.md', content: '## x\ncron: every 1s\nmessage: m' });
    const { toolError } = await ask(home, `tool:file_write ${args}`);
    expect(toolError?.message).toContain('it makes scheduled turns');
    expect((await ask(home, 'tool:file_write {"path":"other.md","content":"x"}')).toolError).toBeUndefined();
    expect(readFileSync(join(home.workspace, 'HEARTBEAT.md'), 'utf8')).toBe('mine');
  });
});
