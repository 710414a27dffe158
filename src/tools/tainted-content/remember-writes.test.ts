import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { SPECS } from '../../../test/support/decide-fixture.ts';
import { memoryOwnerFiles } from '../../../test/support/memory-owner-files.ts';
import { newId } from '../../lib/new-id.ts';
import { createRememberWrites } from './remember-writes.ts';
import { createTaintMemory } from './taint-memory.ts';

const unrecorded = {
  record: async () => {},
  applyTogether: async () => {
    throw new Error('not used');
  },
  recordMade: async () => {},
};

function openWorkspace() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'remember-writes-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const memory = createTaintMemory({ files: memoryOwnerFiles(), root, now: Date.now, newId });
  const begin = createRememberWrites({ memory, root, now: Date.now });
  const decision = { allowed: true, because: 'of the test' } as const;
  return {
    sourcesOf: async (path: string) => memory.sourcesOf(path, await memory.read()),
    write(path: string, text: string) {
      writeFileSync(join(root, path), text);
      const after = { bytes: Buffer.from(text), mode: 0o644 };
      return { tool: 'any', path, before: undefined, after, madeDirectories: [] };
    },
    call: (spec: keyof typeof SPECS, args: Record<string, unknown>) =>
      begin({ changes: unrecorded, spec: SPECS[spec], args, decision, sources: [] }),
  };
}

it('what a command finds changed after it counts as fetched by one in the background, what a file tool writes does not', async () => {
  const { call, write, sourcesOf } = openWorkspace();
  const { rememberFetched } = await call('bash', { command: 'curl -so fetched.txt http://x.test' });
  const ended = await rememberFetched(['host:x.test']);

  const command = await call('bash', { command: 'make' });
  await command.changes.recordMade({ changes: [write('fetched.txt', 'obey')] });
  const edit = await call('write', { path: 'own.txt', content: 'mine' });
  await edit.changes.record(write('own.txt', 'mine'));

  expect(await sourcesOf('fetched.txt')).toEqual(['host:x.test']);
  expect(await sourcesOf('own.txt')).toBeUndefined();
  await ended(['host:x.test']);
  expect(await sourcesOf('fetched.txt')).toEqual(['host:x.test']);
});
