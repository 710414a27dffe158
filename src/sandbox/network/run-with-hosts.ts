// Runs a command that may reach some hosts: open the proxy → run with the way to it → close it → tell what was reached.
import { lookup } from 'node:dns/promises';
import type { Finished, RunOptions, Sandbox, SandboxCommand } from '../sandbox.ts';
import { forwardNetwork } from './forward.ts';
import { type Host, namesPrivately } from './host.ts';
import type { ProxyVariables } from './own-proxy.ts';
import { openNetworkProxy } from './proxy.ts';
import type { Resolve } from './reach.ts';
import type { Traffic } from './traffic.ts';

export interface HostsOptions {
  /** What a person permitted. */
  allowed: readonly Host[];
  /** Names that may lead to private addresses. */
  privateNames: readonly Host[];
  temporary: string;
  resolve?: Resolve;
  ownProxy?: ProxyVariables;
}

/** The sandbox must be one that `forwardsNetwork`. */
export async function runWithHosts(
  sandbox: Sandbox,
  command: SandboxCommand,
  options: RunOptions,
  { allowed, privateNames, temporary, resolve = resolveName, ownProxy }: HostsOptions,
): Promise<{ finished: Finished; traffic: Traffic }> {
  const proxy = await openNetworkProxy({ allowed, privateNames, temporary, resolve, ownProxy });
  let traffic: Traffic;
  let finished: Finished;
  try {
    const loopback = allowed.some(namesPrivately);
    const forwarded = forwardNetwork(command, { socketPath: proxy.socketPath, node: process.execPath, loopback });
    // The next run has another way out, or none: nothing of this one can be prepared for it.
    finished = await sandbox.run(forwarded, { ...options, expectsMore: false });
  } finally {
    traffic = await proxy.close();
  }
  return { finished, traffic };
}

function resolveName(name: string): ReturnType<Resolve> {
  return lookup(name, { all: true, order: 'verbatim' });
}
