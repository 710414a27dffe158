// The network that a call asks for, and once it is permitted the network that it has.
import type { Host } from '../../sandbox/network/host.ts';

export interface NetworkRequest {
  /** Never empty. */
  hosts: readonly Host[];
  /** False: there is no sandbox that could keep the command from other hosts. */
  filtered: boolean;
  /** What it prints may be what those hosts said: content from outside. */
  showsFetched: boolean;
  /** What the command needs in its environment to use these hosts. */
  environment: Readonly<Record<string, string>>;
}
