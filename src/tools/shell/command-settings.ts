// What the owner's settings say about the commands of `bash` and the programs of `code_execute`.
import type { ProxyVariables } from '../../sandbox/network/own-proxy.ts';
import type { Limits } from '../../sandbox/sandbox.ts';
import { ToolFailure } from '../tool.ts';

export interface CommandSettings {
  /** Memory of all processes of a command together. */
  memoryMb?: number;
  /** Processor time of each process. */
  cpuSeconds?: number;
  /** `ask`: a command can ask for hosts. `off`: it never has any network. */
  network?: 'ask' | 'off';
  /** What becomes of a command that takes longer than its timeout; it is ended by default. */
  onTimeout?: 'end' | 'background';
  /** Hosts whose names may lead to addresses that are not public. */
  privateHosts?: readonly string[];
  /** The person's variables that name a proxy of their own. Commands do not see them. */
  ownProxy?: ProxyVariables;
}

export const HOSTS_SCHEMA = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 260 },
  maxItems: 20,
} as const;

export const NETWORK_OFF = 'the owner switched the network off in config.json';

/** Throws ToolFailure where hosts are asked for that the settings give to nobody. */
export function refuseNetwork(setting: 'ask' | 'off', asked: readonly string[] = []): void {
  if (setting === 'off' && asked.length > 0) throw new ToolFailure(NETWORK_OFF, { reason: 'denied' });
}

export function limitsWith(limits: Limits, { memoryMb, cpuSeconds }: CommandSettings): Limits {
  return {
    ...limits,
    ...(memoryMb !== undefined && { memoryBytes: Math.round(memoryMb * 1024 ** 2) }),
    ...(cpuSeconds !== undefined && { cpuSeconds: Math.ceil(cpuSeconds) }),
  };
}
