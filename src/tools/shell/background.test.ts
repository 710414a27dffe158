import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testHome } from '../../../test/support/test-home.ts';
import type { KnownProcesses } from '../../sandbox/background/known-processes.ts';
import { createProcesses } from '../../sandbox/background/processes.ts';
import type { Finished, RunOptions, Sandbox } from '../../sandbox/sandbox.ts';
import type { ToolContext } from '../tool.ts';
import { runInBackground } from './background.ts';
import { createSessionProcesses } from './open-session-processes.ts';

const known: KnownProcesses = {
  add: async () => {},
  remove: async () => {},
  list: async () => [],
  kill: async () => false,
};
const nothing = { text: '', bytes: 0, cut: false };

/** Each command runs until it is ended. */
function setUp() {
  const { base } = testHome();
  const given: RunOptions[] = [];
  let made = 0;
  const sandbox = {
    name: 'bubblewrap',
    isolates: true,
    endsWithUs: true,
    async run(_command: unknown, options: RunOptions): Promise<Finished> {
      given.push(options);
      await new Promise((resolve) => options.signal?.addEventListener('abort', resolve, { once: true }));
      return {
        exitCode: null,
        timedOut: false,
        cancelled: true,
        stdout: nothing,
        stderr: nothing,
        interleaved: nothing,
      } as unknown as Finished;
    },
  } as unknown as Sandbox;
  const processes = createProcesses({ known, now: () => 0, newId: (prefix) => `${prefix}-${++made}` });
  const context = {
    processes: createSessionProcesses(async () => processes, { sessionId: 's' }),
    signal: new AbortController().signal,
    progress() {},
    spoolPath: async () => join(base, `log-${++made}`),
  } as unknown as ToolContext;
  const start = (waitMs: number | undefined) =>
    runInBackground(sandbox, {
      command: { argv: ['x'], cwd: '/', env: {}, profile: { limits: {} } } as never,
      text: 'x',
      waitMs,
      output: { headBytes: 10, tailBytes: 10, maxBytes: 1_000 },
      plants: undefined,
      context,
    });
  return { processes, start, given };
}

it('what takes too long is ended where the background has no room for it', async () => {
  const { processes, start } = setUp();
  try {
    for (let count = 0; count < 8; count += 1) expect(await start(1)).toHaveProperty('process');
    expect(await start(1)).toMatchObject({ timedOut: true });
    expect(processes.list('s')).toHaveLength(8);
  } finally {
    await processes.close();
  }
});

it('its output is limited as that of a command in the foreground is', async () => {
  const { processes, start, given } = setUp();
  try {
    await start(1);
    expect(given[0]?.output.maxBytes).toBe(1_000);
  } finally {
    await processes.close();
  }
});
