import { tmpdir } from 'node:os';
import type { ProxyVariables } from '../../sandbox/network/own-proxy.ts';
import type { Traffic } from '../../sandbox/network/traffic.ts';
import { isInside, realPath } from '../../sandbox/path-inside.ts';
import {
  type Finished,
  type RunOptions,
  type Sandbox,
  type SandboxCommand,
  SandboxError,
} from '../../sandbox/sandbox.ts';
import { type ToolContext, ToolFailure } from '../tool.ts';
import { createProgressLines } from './progress-lines.ts';

export interface RunSandboxed
  extends Pick<ToolContext, 'signal' | 'progress' | 'spoolPath' | 'afterwards' | 'network'>,
    Pick<RunOptions, 'startsAfter'> {
  command: SandboxCommand;
  timeoutMs: number;
  output: Omit<RunOptions['output'], 'spoolPath'>;
  /** Names of hosts that may lead to private addresses. */
  privateHosts?: readonly string[];
  ownProxy?: ProxyVariables;
}

/**
 * `traffic`: what the command reached, where it was given a way to hosts. `heardFrom`: hosts whose answers may
 * be in its output.
 */
export type SandboxedRun = Finished & { traffic?: Traffic; heardFrom?: readonly string[] };

/** Shows line by line what the command prints. That it was cancelled is for the caller to see: it may have changed something. */
export async function runSandboxed(sandbox: Sandbox, options: RunSandboxed): Promise<SandboxedRun> {
  const { command, timeoutMs, signal, progress, spoolPath, afterwards, startsAfter } = options;
  const lines = createProgressLines(progress);
  const output = { ...options.output, spoolPath: await spoolPath() };
  const running: RunOptions = {
    ...{ timeoutMs, signal, output, afterwards, startsAfter },
    onOutput: lines.add,
    expectsMore: true,
  };
  const finished = await runWithNetwork(sandbox, command, running, options);
  lines.end();
  return finished;
}

/** Throws ToolFailure where the sandbox fails. */
export function runWithNetwork(
  sandbox: Sandbox,
  command: SandboxCommand,
  running: RunOptions,
  given: Pick<RunSandboxed, 'network' | 'privateHosts' | 'ownProxy'>,
): Promise<SandboxedRun> {
  return runReaching(sandbox, command, running, given).catch(orSandboxFailure);
}

async function runReaching(
  sandbox: Sandbox,
  command: SandboxCommand,
  running: RunOptions,
  { network, privateHosts = [], ownProxy }: Pick<RunSandboxed, 'network' | 'privateHosts' | 'ownProxy'>,
): Promise<SandboxedRun> {
  if (!network) return sandbox.run(command, running);
  const given = { ...command, env: { ...command.env, ...network.environment } };
  if (!sandbox.forwardsNetwork) {
    const named = network.hosts.map(({ name }) => name);
    return { ...(await sandbox.run(given, running)), ...(network.showsFetched && { heardFrom: named }) };
  }
  const [{ runWithHosts }, { parseHost }] = await Promise.all([
    import('../../sandbox/network/run-with-hosts.ts'),
    import('../../sandbox/network/host.ts'),
  ]);
  const privateNames = privateHosts.flatMap((host) => parseHost(host) ?? []);
  const { finished, traffic } = await runWithHosts(sandbox, given, running, {
    allowed: network.hosts,
    privateNames,
    temporary: socketDirectory(sandbox, command),
    ownProxy,
  });
  const heardFrom = traffic.reached.flatMap(({ host, receivedBytes }) => (receivedBytes > 0 ? [host] : []));
  return { ...finished, traffic, ...(network.showsFetched && { heardFrom }) };
}

/** The path of a socket must be short; where the workspace holds the system's directory for temporary files, it must be hidden too. */
export function socketDirectory({ temporary = tmpdir() }: Sandbox, { profile }: SandboxCommand): string {
  const { workspace } = profile;
  return workspace && isInside(workspace.path, realPath(tmpdir()) ?? tmpdir()) ? temporary : tmpdir();
}

export function orSandboxFailure(error: unknown): never {
  if (!(error instanceof SandboxError)) throw error;
  throw new ToolFailure(error.message, { reason: 'denied', cause: error });
}
