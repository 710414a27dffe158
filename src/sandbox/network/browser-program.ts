// The browser's MCP server with the filtering proxy as its only network: a program of its own, an entry of its own in the bundle, which
// the processes that use the server start. It opens the proxy, starts bubblewrap with the way to it, and ends with the server.
// The argument is a BrowserProgram as JSON.
import { spawn } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import { loadConfig } from '../../config/config.ts';
import { insideForwarder } from './forward.ts';
import { parseHost } from './host.ts';
import { openNetworkProxy } from './proxy.ts';

export interface BrowserProgram {
  /** Lainclaw's home, whose `privateHosts` may be reached although they are not public. */
  home: string;
  bubblewrap: string;
  /** Its arguments before the program. */
  confinement: readonly string[];
  node: string;
  /** What runs inside. */
  program: readonly string[];
}

void run(JSON.parse(process.argv[2] ?? '') as BrowserProgram);

async function run({ home, bubblewrap, confinement, node, program }: BrowserProgram): Promise<void> {
  const { privateHosts = [] } = await loadConfig({ home, cwd: home, variables: {} });
  const proxy = await openNetworkProxy({
    allowed: 'public',
    privateNames: privateHosts.flatMap((host) => parseHost(host) ?? []),
    temporary: tmpdir(),
    resolve: (name) => lookup(name, { all: true, order: 'verbatim' }),
  });
  const { socketPath } = proxy;
  const inside = insideForwarder(program, { node, socketPath });
  const argv = [...confinement, '--unshare-net', '--ro-bind', socketPath, socketPath, '--', ...inside];
  const child = spawn(bubblewrap, argv, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const code = await new Promise<number>((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`the browser could not be started: ${error.message}\n`);
      resolve(126);
    });
    child.once('exit', (ended, signal) => resolve(ended ?? (signal ? 128 : 1)));
  });
  await proxy.close();
  process.exitCode = code;
}
