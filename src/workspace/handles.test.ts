import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createYard, type Yard } from '../../test/workspace-race/yard.ts';
import { createWorkspace } from './confined.ts';

let yard: Yard;
beforeEach(() => {
  yard = createYard();
  yard.write('ws/sub/file', 'x');
  yard.write('outside/secret', 'x');
  symlinkSync('sub/file', `${yard.root}/link`);
  symlinkSync(`${yard.outside}/secret`, `${yard.root}/out`);
  symlinkSync('loop', `${yard.root}/loop`);
  execFileSync('mkfifo', [`${yard.root}/pipe`]);
});
afterEach(() => yard.remove());

const ATTEMPTS = [
  'sub/file',
  'link',
  '../ws/link',
  'sub',
  'missing',
  'out',
  'loop',
  'pipe',
  '/etc/passwd',
  'link/x',
  '..',
];

describe.runIf(existsSync('/proc/self/fd'))('descriptors', () => {
  it('are all given back after a thousand opened, listed, refused and aborted paths', async () => {
    const workspace = await createWorkspace({ root: yard.root });
    const attempt = async (path: string, signal?: AbortSignal): Promise<void> => {
      const options = { recursive: true, maxDepth: 3, maxEntries: 2, signal };
      const [opened] = await Promise.allSettled([workspace.openFile(path, signal), workspace.list(path, options)]);
      if (opened.status === 'fulfilled') await opened.value.handle.close();
    };
    await attempt('sub/file');
    const before = countDescriptors();
    for (let round = 0; round < 50; round += 1) {
      const controller = new AbortController();
      const running = ATTEMPTS.map((path) => attempt(path, round % 2 === 0 ? undefined : controller.signal));
      setImmediate(() => controller.abort());
      await Promise.all(running);
    }
    expect(countDescriptors()).toBe(before);
  });

  it('of the caller are left alone: the opened file works after the walk has let go', async () => {
    const workspace = await createWorkspace({ root: yard.root });
    const opened = await Promise.all(Array.from({ length: 50 }, () => workspace.openFile('link')));
    for (const { handle } of opened) expect(await handle.readFile('utf8')).toBe('x');
    await Promise.all(opened.map(({ handle }) => handle.close()));
  });

  it('run out as a fault of the process, never as a statement about the path', async () => {
    const script = `
      import { openSync } from 'node:fs';
      import { createWorkspace } from ${JSON.stringify(new URL('./confined.ts', import.meta.url).href)};
      const workspace = await createWorkspace({ root: ${JSON.stringify(yard.root)} });
      try { for (;;) openSync('/dev/null'); } catch {}
      for (const path of ['sub/file', '/etc/passwd', '../x']) {
        const error = await workspace.openFile(path).catch((error) => error);
        process.stdout.write(error.code + ' ');
      }`;
    const command = 'ulimit -n 60; exec "$0" --input-type=module -e "$1"';
    const output = execFileSync('sh', ['-c', command, process.execPath, script], { encoding: 'utf8' });
    expect(output).toBe('io io io ');
  });
});

function countDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}
