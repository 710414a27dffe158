import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testHome } from '../../../test/support/test-home.ts';
import { lazily } from '../../lib/lazily.ts';
import type { ProcessRequest } from '../../sandbox/background/background-process.ts';
import type { KnownProcess } from '../../sandbox/background/known-processes.ts';
import { createProcesses } from '../../sandbox/background/processes.ts';
import type { Changes } from '../../undo/changes.ts';
import { createNearbyProcesses } from './nearby-processes.ts';

const CHANGES: Changes = {
  record: async () => {},
  applyTogether: async () => ({}) as never,
  recordMade: async () => {},
};

function setUp(others: Partial<KnownProcess>[] = []) {
  const { base } = testHome();
  const known = {
    add: async () => {},
    remove: async () => {},
    list: async () => others as KnownProcess[],
    kill: async () => false,
  };
  let made = 0;
  const open = lazily(async () => createProcesses({ known, now: () => 0, newId: (prefix) => `${prefix}-${++made}` }));
  const nearby = createNearbyProcesses(open, { root: '/w/project', warn: () => {} });
  /** Each runs until it is ended. */
  const start = async (given: Partial<ProcessRequest> = {}) => {
    const guarded: unknown[] = [];
    const process = (await open()).start({
      sessionId: 'another',
      command: 'npm run dev',
      cwd: '/w/project',
      workspaceRoot: '/w/project',
      logPath: join(base, `log-${++made}`),
      taintedBy: [],
      guard: {
        begin: async (sources) => void guarded.push(sources),
        accept: async (path) => void guarded.push(path),
        approve: (paths) => {
          guarded.push(paths);
          return async () => {};
        },
      },
      run: ({ signal }) =>
        new Promise((resolve) => signal?.addEventListener('abort', () => resolve({ exitCode: null } as never))),
      ...given,
    });
    return { process, guarded };
  };
  return { nearby, start, close: async () => (await open()).close() };
}

it('guards what runs in the same workspace, of any conversation, before a tainted turn changes a file', async () => {
  const { nearby, start, close } = setUp();
  const same = await start();
  const above = await start({ workspaceRoot: '/w' });
  const elsewhere = await start({ workspaceRoot: '/w/project-2' });
  const reads = await start({ isConfined: true, guard: undefined });
  const change = { changes: CHANGES, approvedPaths: ['/w/project/Makefile'] };
  const own = await nearby.beforeChange({ ...change, sources: [] });
  await own?.changes.record({
    tool: 'x',
    path: 'a',
    before: undefined,
    after: { bytes: Buffer.of(), mode: 0o644 },
    madeDirectories: [],
  });
  expect(same.guarded).toEqual([change.approvedPaths, '/w/project/a']);
  await nearby.beforeChange({ ...change, sources: ['mcp:x'] });
  for (const { guarded, process } of [same, above]) {
    expect(guarded[2]).toEqual(['mcp:x']);
    expect(process.taintedBy).toEqual(['mcp:x']);
  }
  expect([reads.process.taintedBy, elsewhere.process.taintedBy, elsewhere.guarded]).toEqual([['mcp:x'], [], []]);
  await close();
  expect(await nearby.beforeChange({ ...change, sources: ['mcp:x'] })).toBeUndefined();
});

it('a way out is a command with hosts, or one of another Lainclaw that can write', async () => {
  const without = setUp([{ id: 'process-x', command: 'tail', cwd: '/w/project', isConfined: true }]);
  await without.start();
  await without.start({ hosts: ['example.org'], workspaceRoot: '/elsewhere' });
  expect(await without.nearby.wayOut()).toBeUndefined();
  await without.close();
  const other = setUp([{ id: 'process-x', command: 'npm run dev', cwd: '/w/project/web' }]);
  expect(await other.nearby.wayOut()).toMatch(/process-x \(npm run dev\) of another Lainclaw/);
  const { process } = await other.start({ hosts: ['example.org'] });
  expect(await other.nearby.wayOut()).toMatch(/reaches example\.org.*process kill/);
  await process.end();
  expect(await other.nearby.wayOut()).not.toMatch(/example\.org/);
});
