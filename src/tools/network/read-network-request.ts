// Reads what network a call asks for: the hosts that it names and those that its command would reach.
import { join } from 'node:path';
import { type Host, parseHost, spellHost } from '../../sandbox/network/host.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { CommandParser } from '../permissions/command.ts';
import type { ToolSubject } from '../subject.ts';
import { ToolFailure } from '../tool.ts';
import type { NetworkRequest } from './network-request.ts';

export interface NetworkRequestDependencies {
  sandbox(): Promise<Sandbox>;
  variables: Readonly<Record<string, string | undefined>>;
  userHome: string;
}

export interface AskedCall {
  subject: ToolSubject;
  parseCommand: CommandParser | undefined;
  workspace: Workspace;
}

/** Undefined when the call needs no network, or cannot have any. Throws ToolFailure for a text that is not a host. */
export type ReadNetworkRequest = (call: AskedCall) => Promise<NetworkRequest | undefined>;

export function createNetworkRequests({
  sandbox,
  variables,
  userHome,
}: NetworkRequestDependencies): ReadNetworkRequest {
  return async ({ subject, parseCommand, workspace }) => {
    const asked = subject.kind === 'command' || subject.kind === 'none' ? subject.network : undefined;
    if (asked === undefined) return undefined;
    const named = asked.map(namedHost);
    const { derived, ...found } = await derive(subject, parseCommand, workspace);
    if (named.length === 0 && derived.length === 0) return undefined;
    const hosts = new Map([...named, ...derived].map((host) => [spellHost(host), host]));
    // Where there is no sandbox at all, the tool itself says why.
    const backend = await sandbox().catch(() => undefined);
    if (!backend || (backend.isolates && !backend.forwardsNetwork)) return undefined;
    return { hosts: [...hosts.values()], filtered: backend.isolates, ...found };
  };

  async function derive(subject: ToolSubject, parseCommand: CommandParser | undefined, workspace: Workspace) {
    const reading = subject.kind === 'command' ? parseCommand?.(subject.command) : undefined;
    const { hostsOfCommand, needsNetwork, onlyTransfers } = await import('./hosts-of-command.ts');
    if (subject.kind !== 'command' || !reading || !needsNetwork(reading.commands))
      return { derived: [], environment: {}, showsFetched: true };
    const { readNetworkSettings } = await import('./read-network-settings.ts');
    const moved = reading.parsed ? reading.leadingCd?.target : undefined;
    const directory = join(subject.directory ?? '.', moved ?? '.');
    const { settings, environment } = await readNetworkSettings({ variables, userHome, workspace, directory });
    const showsFetched = !reading.parsed || reading.unseen.length > 0 || !onlyTransfers(reading.commands, settings);
    return { derived: hostsOfCommand(reading.commands, settings), environment, showsFetched };
  }
}

function namedHost(text: string): Host {
  const host = parseHost(text);
  if (host) return host;
  throw new ToolFailure(
    `network: ${JSON.stringify(text)} is not a host; accepted are example.org, *.example.org, example.org:8080`,
    { code: 'invalid_args' },
  );
}
