// service/gateway-service.json: which process is the gateway of this home, and how to reach it. It is a hint, never the
// proof: its identity says whether that process still is the gateway, and only a held lock keeps a second one out.

import type { OwnerFiles } from '../../storage/storage.ts';
import type { Layer } from '../settings/gateway-file.ts';
import { isRunning, type ProcessIdentity } from './process-identity.ts';
import { ServiceError } from './service-error.ts';

export interface ServiceState extends ProcessIdentity {
  channel: string;
  channels: string[];
  startedAt: string;
  command: string;
  statePath: string;
  logPath: string;
  version: string;
  /** Of the control API, on loopback. */
  port: number;
  /** What the start was given, to do it again and to read the settings as it does. */
  flags: Layer;
}

const STATE = 'service/gateway-service.json';
const LOG = 'service/gateway.log';
const TOKEN = 'service/gateway-token';

export interface ServiceStates {
  readonly statePath: string;
  readonly logPath: string;
  /** Undefined: there is none. */
  read(): Promise<ServiceState | undefined>;
  /** The gateway that runs now; undefined when none does, whatever the file says. */
  running(): Promise<ServiceState | undefined>;
  write(state: ServiceState, token: string): Promise<void>;
  /** Records that a channel of the running service has ended. */
  withoutChannel(state: ServiceState, channel: string): Promise<ServiceState>;
  /** Removes what this process left; a successor's stays. */
  clear(owner: ProcessIdentity): Promise<void>;
  /** Of the control API; the owner's alone to read. */
  token(): Promise<string | undefined>;
}

/** `files`: of this machine. */
export function createServiceStates(files: OwnerFiles): ServiceStates {
  const statePath = files.location(STATE);
  const read = async (): Promise<ServiceState | undefined> => parse(await files.read(STATE), statePath);
  return {
    statePath,
    logPath: files.location(LOG),
    read,
    async running() {
      const state = await read();
      return state && (await isRunning(state)) ? state : undefined;
    },
    async write(state, token) {
      await files.update(TOKEN, () => token);
      await files.update(STATE, () => `${JSON.stringify(state, undefined, 2)}\n`);
    },
    async withoutChannel(state, channel) {
      const channels = state.channels.filter((each) => each !== channel);
      const left: ServiceState = { ...state, channels, channel: channels[0] ?? '' };
      await files.update(STATE, () => `${JSON.stringify(left, undefined, 2)}\n`);
      return left;
    },
    async clear({ pid, pidStart }) {
      let isOurs = false;
      await files.update(STATE, (text) => {
        const state = parse(text, statePath);
        isOurs = state?.pid === pid && state.pidStart === pidStart;
        return isOurs ? null : undefined;
      });
      if (isOurs) await files.update(TOKEN, () => null);
    },
    token: async () => (await files.read(TOKEN))?.trim() || undefined,
  };
}

function parse(text: string | undefined, path: string): ServiceState | undefined {
  if (text === undefined) return undefined;
  try {
    const state = JSON.parse(text) as ServiceState;
    if (Number.isSafeInteger(state.pid) && typeof state.pidStart === 'string' && Array.isArray(state.channels))
      return state;
  } catch {
    // Told below.
  }
  throw new ServiceError(
    'GATEWAY_STATE_DAMAGED',
    `${path} cannot be read: remove it, and end the gateway by hand if it runs`,
  );
}
