// A private PostgreSQL for one run of the tests: an unprivileged user, a free port, a directory of its own, everything synced. It is made when a test first
// asks for it (initdb takes a second), and ends with the process that made it, also when that is killed. Test files reach it through a socket whose path is in
// LAINCLAW_TEST_POSTGRES.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { openDatabase } from '../../src/storage/postgres/connect.ts';
import { migrate } from '../../src/storage/postgres/migrations.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';

export const BINARIES = '/usr/lib/postgresql/15/bin';
const NOBODY = 65534;
const START_ATTEMPTS = 5;
/** Makes the tables. */
export const OWNER = 'lainclaw_owner';
/** The least-privilege role that the program uses. */
export const APP = 'lainclaw_app';
export const TEMPLATE = 'lainclaw_template';

export interface Cluster {
  port: number;
  directory: string;
  /** Of the server that runs now. */
  readonly process: ChildProcess;
  /** Ends the server and starts it again on the same port: SIGINT ends it in order, SIGQUIT as a crash does. */
  restart(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Stops every process of the server where it is, until `resume`. */
  freeze(): void;
  resume(): void;
  /** Resolves when the server has ended and its files are removed. */
  stop(): Promise<void>;
}

/** For `globalSetup` of vitest. */
export default async function setup(): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'lainclaw-pg-door-'));
  let cluster: Promise<Cluster> | undefined;
  const server = createServer((socket) => {
    cluster ??= startCluster({ withTemplate: true });
    cluster.then(
      ({ port }) => socket.end(String(port)),
      (error: unknown) => socket.end(`failed: ${(error as Error).message}`),
    );
    socket.on('error', () => {});
  });
  const path = join(directory, 'socket');
  server.listen(path);
  await once(server, 'listening');
  server.unref();
  process.env.LAINCLAW_TEST_POSTGRES = path;
  return async () => {
    server.close();
    await (await cluster?.catch(() => undefined))?.stop();
    rmSync(directory, { recursive: true, force: true });
  };
}

/** A server of its own, for tests that stop, freeze or kill it. */
export async function startCluster({ withTemplate = false } = {}): Promise<Cluster> {
  if (!existsSync(BINARIES)) throw new Error('PostgreSQL 15 is missing: run scripts/test-machine.sh');
  const directory = mkdtempSync(join(tmpdir(), 'lainclaw-pg-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  const user = isRoot ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  const data = join(directory, 'data');
  execFileSync(
    'setpriv',
    [...user, join(BINARIES, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'],
    { stdio: 'pipe', cwd: '/' },
  );
  const started = await startServer(user, directory, data);
  const { port } = started;
  let { child } = started;
  const signalAll = (signal: NodeJS.Signals): void => {
    for (const pid of processesOf(child.pid))
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended meanwhile.
      }
  };
  const end = async (signal: 'SIGINT' | 'SIGQUIT'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    signalAll('SIGCONT');
    child.kill(signal);
    await once(child, 'exit');
  };
  const stop = async (): Promise<void> => {
    await end('SIGQUIT');
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    await superuser(port, (client) => client.query(`CREATE ROLE ${OWNER} LOGIN CREATEDB; CREATE ROLE ${APP} LOGIN`));
    if (withTemplate) await makeTemplate(port);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    port,
    directory,
    get process() {
      return child;
    },
    async restart(signal) {
      await end(signal);
      ({ child } = await startServer(user, directory, data, port));
    },
    freeze: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    stop,
  };
}

/** A process and its children. */
function processesOf(parent = 0): number[] {
  const children = readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The fields after the name, which may contain spaces: state, parent, …
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === String(parent);
    } catch {
      return false;
    }
  });
  return [parent, ...children.map(Number)];
}

/** On another port when somebody took the first one meanwhile. */
async function startServer(user: readonly string[], directory: string, data: string, samePort?: number) {
  for (let attempt = 1; ; attempt += 1) {
    const port = samePort ?? (await freePort());
    const settings = {
      listen_addresses: '127.0.0.1',
      port,
      unix_socket_directories: directory,
      max_connections: 200,
      shared_buffers: '32MB',
      log_min_messages: 'fatal',
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn('setpriv', [...user, '--pdeathsig=QUIT', join(BINARIES, 'postgres'), '-D', data, ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
      cwd: '/',
    });
    const said = text(child.stderr);
    const isUp = await eventually(async () => {
      if (child.exitCode !== null) return false;
      await superuser(port, (client) => client.query('SELECT 1'));
      return true;
    });
    if (isUp) return { port, child };
    if (attempt === START_ATTEMPTS) throw new Error(`PostgreSQL did not start: ${await said}`);
  }
}

export function databaseUrl(port: number, role: string, database: string): string {
  return `postgres://${role}@127.0.0.1:${port}/${database}`;
}

export async function superuser<T>(port: number, work: (client: pg.Client) => Promise<T>, database = 'postgres') {
  const client = new pg.Client({ connectionString: databaseUrl(port, 'postgres', database) });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function makeTemplate(port: number): Promise<void> {
  await superuser(port, (client) => client.query(`CREATE DATABASE ${TEMPLATE} OWNER ${OWNER}`));
  const database = openDatabase({ url: databaseUrl(port, OWNER, TEMPLATE), requiresTables: false });
  await migrate(database, { role: APP });
  await database.close();
}
