import { describe, expect, it } from 'vitest';
import { type Finished, type Sandbox, type SandboxCommand, SandboxError } from '../../sandbox/sandbox.ts';
import type { ToolContext, ToolFailure } from '../tool.ts';
import { createBashTool } from './bash.ts';

const said = (text: string) => ({ text, bytes: text.length, cut: false });
const FINISHED: Finished = {
  exitCode: 0,
  timedOut: false,
  cancelled: false,
  stdout: said('out\n'),
  stderr: said(''),
  interleaved: said('out\n'),
};

function toolOn(run: Sandbox['run'] | Error, { signal = new AbortController().signal } = {}) {
  const sandbox: Sandbox = {
    name: 'bubblewrap',
    isolates: true,
    available: async () => ({ ok: true, limits: { memory: 'tree', processes: 'tree' } }),
    run: run instanceof Error ? () => Promise.reject(run) : run,
  };
  const tool = createBashTool({
    sandbox: run instanceof Error ? () => Promise.reject(run) : async () => sandbox,
    environment: { PATH: '/bin' },
    protectedPaths: (root) => [`${root}/.git/hooks`],
  });
  const workspace = {
    root: '/w',
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

  it('is no result when it was cancelled', async () => {
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

  it('runs in directories only', async () => {
    const { execute } = toolOn(async () => FINISHED);
    await expect(execute({ command: 'x', cwd: 'file' })).rejects.toMatchObject({ code: 'invalid_args' });
  });
});
