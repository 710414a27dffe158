// What is known of the connection, for `gateway status`.
import type { ChannelStatus } from '../channel.ts';

export interface ConnectionStatus {
  current(): ChannelStatus;
  /** The platform has answered. */
  connected(): void;
  /** It has not, or not what was hoped for. */
  lost(reason: string): void;
  /** Something to report while the connection holds. */
  trouble(reason: string): void;
  eventArrived(): void;
  closed(): void;
}

export function createConnectionStatus(now: () => number): ConnectionStatus {
  let status: ChannelStatus = { state: 'connecting', since: now(), reconnects: 0 };
  let wasConnected = false;

  function turn(state: ChannelStatus['state'], change: Partial<ChannelStatus> = {}): void {
    if (status.state === 'closed') return;
    status = { ...status, ...change, state, since: status.state === state ? status.since : now() };
  }
  return {
    current: () => ({ ...status }),
    connected() {
      const isAgain = wasConnected && status.state !== 'connected';
      turn('connected', { reconnects: status.reconnects + (isAgain ? 1 : 0), lastError: undefined });
      wasConnected = true;
    },
    lost: (reason) => turn(wasConnected ? 'disconnected' : 'connecting', { lastError: reason }),
    trouble: (reason) => turn(status.state, { lastError: reason }),
    eventArrived: () => turn(status.state, { lastEventAt: now() }),
    closed: () => turn('closed'),
  };
}
