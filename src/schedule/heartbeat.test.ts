import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Jobs } from '../storage/jobs.ts';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import { parseHeartbeat } from './heartbeat.ts';
import { createHeartbeatLoader, type HeartbeatLoader } from './load-heartbeat.ts';
import { createSchedule, type Schedule } from './schedule.ts';
import { createSlots } from './timetable.ts';

describe('HEARTBEAT.md', () => {
  it('holds sections with a name, a cron and a message to the end of the section', () => {
    const text = [
      '# My heartbeat',
      'Some words: for people.',
      '## Morning report',
      '- cron: `0 9 * * 1-5`',
      '- timezone: Europe/Berlin',
      '* Model: gpt-5',
      'injectinto: telegram:42',
      '',
      'message: Look at the news.',
      'Say: what is new.',
      '### Form',
      'Short.',
      '',
      '<!-- ## hidden',
      'cron: * * * * * -->',
      '## second',
      'message:',
      '  Only this.',
    ].join('\r\n');
    const { sections, problems } = parseHeartbeat(text);
    expect(sections).toEqual([
      {
        name: 'Morning-report',
        line: 3,
        cron: '0 9 * * 1-5',
        cronLine: 4,
        timezone: 'Europe/Berlin',
        model: 'gpt-5',
        injectInto: 'telegram:42',
        message: 'Look at the news.\nSay: what is new.\n### Form\nShort.',
      },
    ]);
    expect(problems).toEqual([{ line: 16, name: 'second', message: expect.stringContaining('no cron') }]);
  });

  it('names the line of each mistake, and keeps what is right', () => {
    const text =
      '## a\ncron: @daily\ncron: @hourly\nmessage: m\n## b\nwhat?\n## a\n## ok\ncron: @daily\nmessage: m\n## ok\ncron: @daily\nmessage: n';
    const { sections, problems } = parseHeartbeat(text);
    expect(sections.map(({ name, message }) => [name, message])).toEqual([['ok', 'm']]);
    expect(problems.map(({ line }) => line)).toEqual([3, 6, 5, 5, 7, 7, 11]);
  });

  it.each(['approve: auto', 'baseUrl: http://evil', 'toolAllow: bash', 'provider: x', 'workspace: /'])(
    'cannot set anything else: %s',
    (line) => {
      const { sections, problems } = parseHeartbeat(`## a\ncron: @daily\n${line}\nmessage: m`);
      expect(sections).toEqual([]);
      expect(problems).toEqual([expect.objectContaining({ line: 3 })]);
    },
  );

  it('is read whatever it holds', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.constantFrom('## x\n', 'cron: ', '\n', 'message:', '<!--')),
        (a, b) => {
          const { sections, problems } = parseHeartbeat(`${b.join(a)}${a}`);
          expect([...sections, ...problems].every(({ line }) => line > 0)).toBe(true);
        },
      ),
    );
  });
});

describe('loading HEARTBEAT.md', () => {
  const cleanups: (() => void)[] = [];
  afterEach(() => {
    for (const cleanup of cleanups.splice(0)) cleanup();
  });
  const logged: string[] = [];

  async function world({ machine }: { machine?: string } = {}): Promise<{
    write(text: string | Error | undefined): Promise<void>;
    jobs: Jobs;
    schedule: Schedule;
    loader: HeartbeatLoader;
  }> {
    const home = mkdtempSync(join(tmpdir(), 'lainclaw-heartbeat-'));
    const storage = createLocalStorage({ home, now: Date.now });
    cleanups.push(
      () => storage.close(),
      () => rmSync(home, { recursive: true, force: true }),
    );
    const jobs = await storage.jobs();
    const schedule = createSchedule({
      jobs,
      slots: createSlots(),
      now: Date.now,
      systemTimezone: () => 'UTC',
      channels: ['local'],
      machine: async () => machine,
    });
    let content: string | Error | undefined;
    logged.length = 0;
    const loader = createHeartbeatLoader({
      file: {
        path: '/w/HEARTBEAT.md',
        async read() {
          if (content instanceof Error) throw content;
          return content === undefined ? undefined : { text: content, state: content };
        },
      },
      schedule,
      jobs,
      log: (text) => logged.push(text),
    });
    return {
      jobs,
      schedule,
      loader,
      async write(text) {
        content = text;
        await loader.load();
      },
    };
  }
  const section = (name: string, message = 'm', cron = '@daily'): string =>
    `## ${name}\ncron: ${cron}\nmessage: ${message}\n`;

  it('adds, changes and removes jobs with the file', async () => {
    const { write, schedule } = await world();
    await write(section('a') + section('b'));
    const before = await schedule.get('a');
    expect(before).toMatchObject({ source: 'heartbeat', origin: '/w/HEARTBEAT.md', message: 'm' });
    await write(section('a') + section('b', 'other') + section('c'));
    expect(await schedule.get('a')).toEqual(before);
    expect(await schedule.get('b')).toMatchObject({ message: 'other' });
    await write(section('c'));
    expect((await schedule.list()).map(({ name }) => name)).toEqual(['c']);
    await write(undefined);
    expect(await schedule.list()).toEqual([]);
  });

  it('with a shared storage, the jobs of another machine are left alone, also with the same path', async () => {
    const { jobs, schedule } = await world();
    const machine = (name: string) => {
      let text: string | undefined;
      const read = async () => (text === undefined ? undefined : { text, state: text });
      const file = { path: '/w/HEARTBEAT.md', machine: name, read };
      const { load, problems } = createHeartbeatLoader({ file, schedule, jobs, log: () => {} });
      return {
        problems,
        write: (content: string | undefined) => {
          text = content;
          return load();
        },
      };
    };
    const names = async () => (await schedule.list()).map((job) => job.name).sort();
    const [first, second] = [machine('machine-1'), machine('machine-2')];
    await first.write(section('a') + section('shared'));
    await second.write(undefined);
    expect(await names()).toEqual(['a', 'shared']);
    await second.write(section('b') + section('shared', 'other'));
    expect(await names()).toEqual(['a', 'b', 'shared']);
    expect(await schedule.get('shared')).toMatchObject({ message: 'm' });
    expect(await second.problems()).toMatchObject([{ name: 'shared', message: expect.stringContaining('rename one') }]);
    await first.write(undefined);
    expect(await names()).toEqual(['b']);
  });

  it('pauses the job of a section that became wrong, with the line, and lets it continue when it is right', async () => {
    const { write, schedule, loader } = await world();
    await write(section('a'));
    await write(section('a', 'm', '99 * * * *'));
    expect(await schedule.get('a')).toMatchObject({
      status: 'paused',
      reason: expect.stringContaining('HEARTBEAT.md:2:'),
    });
    expect(await loader.problems()).toMatchObject([{ line: 2, name: 'a' }]);
    await write(section('a'));
    expect(await schedule.get('a')).toMatchObject({ status: 'active' });
  });

  it('leaves a pause by hand alone when the file is loaded again', async () => {
    const { write, schedule } = await world();
    await write(section('a'));
    await schedule.pause('a');
    await write(`${section('a')}\n## b\ncron: @daily\nmessage: m`);
    expect(await schedule.get('a')).toMatchObject({ status: 'paused', reason: 'paused by hand' });
  });

  it('never takes over a job that was added otherwise', async () => {
    const { write, schedule } = await world();
    await schedule.add({ name: 'a', cron: '@hourly', message: 'mine' }, 'cli', { kind: 'nobody' });
    await write(section('a'));
    expect(await schedule.get('a')).toMatchObject({ source: 'cli', message: 'mine' });
    expect(logged).toEqual([expect.stringContaining('/w/HEARTBEAT.md:1: another job is named "a"')]);
    await write(undefined);
    expect(await schedule.get('a')).toMatchObject({ message: 'mine' });
  });

  it('keeps the jobs when the file cannot be read, and says so once', async () => {
    const { write, schedule } = await world();
    await write(section('a'));
    await write(new Error('no permission'));
    await write(new Error('no permission'));
    expect((await schedule.list()).map(({ name }) => name)).toEqual(['a']);
    expect(logged).toHaveLength(1);
  });

  it('with a shared storage, the job of a machine that will not return can be removed; those of this one are removed in the file', async () => {
    const { jobs, schedule } = await world({ machine: 'machine-1' });
    for (const machine of ['machine-1', 'machine-2']) {
      const read = async () => ({ text: section(`of-${machine}`), state: '1' });
      const file = { path: '/w/HEARTBEAT.md', machine, read };
      await createHeartbeatLoader({ file, schedule, jobs, log: () => {} }).load();
    }
    expect(await schedule.remove('of-machine-2')).toBe('of-machine-2');
    await expect(schedule.remove('of-machine-1')).rejects.toThrow('machine-1:/w/HEARTBEAT.md');
    expect((await schedule.list()).map(({ name }) => name)).toEqual(['of-machine-1']);
  });

  it('its jobs are removed in the file, not beside it', async () => {
    const { write, schedule } = await world();
    await write(section('a'));
    await expect(schedule.remove('a')).rejects.toThrow('/w/HEARTBEAT.md');
  });

  it('an empty file asks for nothing', async () => {
    const { write, jobs } = await world();
    await write('');
    expect(await jobs.nextDueAt()).toBeUndefined();
  });
});
