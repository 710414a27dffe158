import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testHome } from '../../../test/support/test-home.ts';
import { type Finished, type Sandbox, type SandboxCommand, SandboxError } from '../../sandbox/sandbox.ts';
import type { ToolContext, ToolFailure } from '../tool.ts';
import { createBashTool } from './bash.ts';
import type { CommandRecords, RunningRecord } from './command-records.ts';

const said = (text: string) => ({ text, bytes: text.length, cut: false });
const FINISHED: Finished = {
  exitCode: 0,
  timedOut: false,
  cancelled: false,
  stdout: said('out\n'),
  stderr: said(''),
  interleaved: said('out\n'),
};

interface Given {
  signal?: AbortSignal;
  begin?: CommandRecords['begin'];
  root?: string;
  protect?: string[];
  isOwn?: Sandbox['isOwn'];
}

function toolOn(run: Sandbox['run'] | Error, given: Given = {}) {
  const { signal = new AbortController().signal, begin, isOwn, root = '/w', protect = [`${root}/.git/hooks`] } = given;
  const sandbox: Sandbox = {
    name: 'bubblewrap',
    isolates: true,
    isOwn,
    available: async () => ({ ok: true, limits: { memory: 'tree', processes: 'tree' } }),
    run: run instanceof Error ? () => Promise.reject(run) : run,
  };
  const tool = createBashTool({
    sandbox: run instanceof Error ? () => Promise.reject(run) : async () => sandbox,
    environment: { PATH: '/bin' },
    protectedPaths: () => protect,
    ...(begin && { commandRecords: async () => ({ begin }) as CommandRecords }),
  });
  const workspace = {
    root,
    hold: async (path: string) => ({ path, kind: path === 'file' ? 'file' : 'directory', fd: -1, release() {} }),
  };
  const changes = { async record() {}, async recordMade() {}, applyTogether: async () => ({ ok: true as const }) };
  const context = { workspace, changes, signal, progress() {}, spoolPath: async () => '/spool' };
  return {
    tool,
    execute: (args: object, more: Partial<ToolContext> = {}) =>
      tool.execute(args as Record<string, unknown>, { ...context, ...more } as unknown as ToolContext),
  };
}

describe('bash', () => {
  it('gives the sandbox the command as it is, and nothing it should not have', async () => {
    let given: SandboxCommand | undefined;
    const { execute } = toolOn(async (command) => {
      given = command;
      return FINISHED;
    });
    await execute({ command: 'echo "a b"', cwd: 'sub' });
    expect(given).toMatchObject({
      argv: ['/bin/bash', '--noprofile', '--norc', '-c', 'echo "a b"'],
      cwd: '/w/sub',
      env: { PATH: '/bin' },
      profile: { workspace: { path: '/w', access: 'read-write' }, protect: ['/w/.git/hooks'] },
    });
  });

  it('gives a command with hosts more time by default, and every command the time that it asks for', async () => {
    const times: number[] = [];
    const { execute } = toolOn(async (_command, { timeoutMs }) => {
      times.push(timeoutMs);
      return FINISHED;
    });
    const network = { hosts: [{ name: 'a.example' }], filtered: true, environment: {}, showsFetched: false };
    await execute({ command: 'x' });
    await execute({ command: 'x' }, { network });
    await execute({ command: 'x', timeoutMs: 7 }, { network });
    expect(times).toEqual([30_000, 180_000, 7]);
  });

  it('tells a model what was said and how it ended', async () => {
    const { execute } = toolOn(async () => ({ ...FINISHED, exitCode: 2 }));
    expect((await execute({ command: 'x' })).text).toBe('out\n[exit code 2]');
    const silent = toolOn(async () => ({ ...FINISHED, interleaved: said('') }));
    expect((await silent.execute({ command: 'x' })).text).toBe('(no output)');
  });

  it.each([
    [{ exitCode: null, timedOut: true }, 'timeout'],
    [{ exitCode: null, limitExceeded: 'output' as const }, 'limit'],
    [{ exitCode: null, limitExceeded: 'memory' as const }, 'limit'],
  ])('fails with what there was to show when it had to be ended: %o', async (ending, reason) => {
    const { execute } = toolOn(async () => ({ ...FINISHED, ...ending }));
    const failure = (await execute({ command: 'x' }).catch((error) => error)) as ToolFailure;
    expect(failure).toMatchObject({ name: 'ToolFailure', reason, output: { data: { stdout: 'out\n' } } });
  });

  it('has no result when it was cancelled', async () => {
    const controller = new AbortController();
    const { execute } = toolOn(
      async () => {
        controller.abort(new Error('the person changed their mind'));
        return { ...FINISHED, exitCode: null, cancelled: true };
      },
      { signal: controller.signal },
    );
    await expect(execute({ command: 'x' })).rejects.toThrow('the person changed their mind');
  });

  it('says so where the sandbox cannot be had or does not work', async () => {
    const { execute } = toolOn(new SandboxError('unavailable', 'docker does not work here'));
    await expect(execute({ command: 'x' })).rejects.toMatchObject({ name: 'ToolFailure', reason: 'denied' });
  });

  it('has the command start once it is on record, and takes it off the record when it has ended', async () => {
    const order: string[] = [];
    const recorded = Promise.withResolvers<RunningRecord>();
    const { execute } = toolOn(
      async (_command, { startsAfter }) => {
        order.push('sandbox');
        recorded.resolve({
          stopClock: () => void order.push('clock'),
          remove: async () => void order.push('off'),
        });
        await startsAfter;
        order.push('command');
        return FINISHED;
      },
      {
        async begin() {
          const running = await recorded.promise;
          order.push('recorded');
          return running;
        },
      },
    );
    await execute({ command: 'x' });
    expect(order).toEqual(['sandbox', 'recorded', 'command', 'clock', 'off']);
  });

  it('fails with the reason where the command cannot be put on record', async () => {
    const { execute } = toolOn(
      async (_command, { startsAfter }) => {
        await startsAfter;
        return FINISHED;
      },
      { begin: () => Promise.reject(new Error('the disk is full')) },
    );
    await expect(execute({ command: 'x' })).rejects.toThrow('the disk is full');
  });

  it('looks for what was planted wherever the command could write, whatever the sandbox keeps there', async () => {
    const { workspace: root, base } = testHome();
    const plant = (place: string): string => join(root, place, '.lainclaw-1-2-lease-x/inner/.git/config');
    const places = ['.git', 'sub/.git', 'sub'];
    const { execute } = toolOn(
      async () => {
        for (const path of places.map(plant)) {
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, '[core]\nfsmonitor = evil\n');
        }
        return FINISHED;
      },
      { root, protect: [join(root, '.git')], isOwn: () => true },
    );
    const keptPath = async (name: string): Promise<string> => join(mkdtempSync(join(base, 'kept-')), name);
    const { text } = await execute({ command: 'x' }, { keptPath, now: Date.now });
    expect(places.map((place) => existsSync(plant(place)))).toEqual([true, false, false]);
    expect(text).toContain('sub/.lainclaw-1-2-lease-x/inner/.git');
  });

  it('runs in directories only', async () => {
    const { execute } = toolOn(async () => FINISHED);
    await expect(execute({ command: 'x', cwd: 'file' })).rejects.toMatchObject({ code: 'invalid_args' });
  });
});
