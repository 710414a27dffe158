// A pooler in front of the tests' PostgreSQL, as an unprivileged user on a free port.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { APP, OWNER } from './postgres-cluster.ts';

const NOBODY = 65534;

const START_ATTEMPTS = 5;

export async function startPooler(serverPort: number, mode: 'session' | 'transaction' | 'statement') {
  const directory = mkdtempSync(join(tmpdir(), 'lainclaw-pgbouncer-'));
  const settings = join(directory, 'pgbouncer.ini');
  writeFileSync(join(directory, 'users'), [OWNER, APP].map((role) => `"${role}" ""\n`).join(''));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  const user = isRoot ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];

  /** Undefined when somebody took the port meanwhile. */
  async function startOn(port: number): Promise<ChildProcess | undefined> {
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
    const child = spawn('setpriv', [...user, '--pdeathsig=KILL', '/usr/sbin/pgbouncer', settings], { stdio: 'ignore' });
    return eventually(async () => {
      if (child.exitCode !== null) return undefined;
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      socket.destroy();
      return child;
    });
  }

  let port = await freePort();
  let child = await startOn(port);
  for (let attempt = 2; !child; attempt += 1) {
    if (attempt > START_ATTEMPTS) throw new Error('pgbouncer did not start');
    port = await freePort();
    child = await startOn(port);
  }
  const running = child;
  return {
    /** The same database, through the pooler. */
    through: (url: string): string => url.replace(`:${serverPort}/`, `:${port}/`),
    async stop(): Promise<void> {
      running.kill('SIGKILL');
      await once(running, 'exit');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
