// The sandbox: a command in it must not write outside its folder, nor reach the network of the machine.
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { messageOf, type SelftestCheck } from './check.ts';

const LIMITS = { memoryBytes: 512 * 1024 * 1024, cpuSeconds: 10, fileSizeBytes: 1024 * 1024, processes: 32 };
const OUTPUT = { headBytes: 4_096, tailBytes: 4_096, maxBytes: 65_536 };

export async function checkSandbox(directory: string, open: () => Promise<Sandbox>): Promise<SelftestCheck> {
  const name = 'sandbox';
  const server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const sandbox = await open();
    if (!sandbox.isolates)
      return { name, state: 'advice', message: 'none: commands run with your own rights, after you approve them' };
    const inside = join(directory, 'inside');
    const outside = join(directory, 'outside');
    mkdirSync(inside);
    const { port } = server.address() as { port: number };
    const reach = `(exec 3<>/dev/tcp/127.0.0.1/${port}; head -c 7 <&3) 2>/dev/null`;
    const script = `echo yes > ${inside}/file; echo no > ${outside} 2>/dev/null; ${reach}; echo end`;
    const finished = await sandbox.run(
      {
        argv: ['/bin/bash', '-c', script],
        cwd: inside,
        env: { PATH: '/usr/bin:/bin' },
        profile: { workspace: { path: inside, access: 'read-write' }, protect: [], limits: LIMITS },
      },
      { timeoutMs: 30_000, output: OUTPUT },
    );
    const said = finished.stdout.text;
    if (!said.includes('end'))
      return {
        name,
        state: 'problem',
        message: `${sandbox.name}: a command did not run: ${finished.stderr.text.slice(0, 200)}`,
      };
    if (existsSync(outside))
      return { name, state: 'problem', message: `${sandbox.name}: a command wrote outside its folder` };
    if (said.includes('reached'))
      return { name, state: 'problem', message: `${sandbox.name}: a command reached the network` };
    if (!existsSync(join(inside, 'file')))
      return { name, state: 'problem', message: `${sandbox.name}: a command could not write in its own folder` };
    return { name, state: 'ok', message: `${sandbox.name}: a command writes in its folder only, and has no network` };
  } catch (error) {
    return { name, state: 'problem', message: messageOf(error) };
  } finally {
    server.close();
  }
}
