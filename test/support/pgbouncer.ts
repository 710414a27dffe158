// A pooler in front of the tests' PostgreSQL, as an unprivileged user on a free port.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { APP, OWNER } from './postgres-cluster.ts';

const NOBODY = 65534;

export async function startPooler(serverPort: number, mode: 'session' | 'transaction' | 'statement') {
  const directory = mkdtempSync(join(tmpdir(), 'lainclaw-pgbouncer-'));
  const port = await freePort();
  const settings = join(directory, 'pgbouncer.ini');
  writeFileSync(
    settings,
    `[databases]
* = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(directory, 'users')}
pool_mode = ${mode}
`,
  );
  writeFileSync(join(directory, 'users'), [OWNER, APP].map((role) => `"${role}" ""\n`).join(''));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  const user = isRoot ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  const child = spawn('setpriv', [...user, '--pdeathsig=KILL', '/usr/sbin/pgbouncer', settings], { stdio: 'ignore' });
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });
  return {
    /** The same database, through the pooler. */
    through: (url: string): string => url.replace(`:${serverPort}/`, `:${port}/`),
    async stop(): Promise<void> {
      child.kill('SIGKILL');
      await once(child, 'exit');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
