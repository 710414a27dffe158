// The gateway as a service in tests: started as a daemon on a home of its own, and ended with the tests of the file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceState } from '../../src/gateway/service/service-state.ts';
import type { ServiceStatus } from '../../src/gateway/service/service-status.ts';
import type { Home } from './home.ts';
import { type Finished, lainclaw, type RunOptions, runBinary } from './lainclaw.ts';
import { afterFile, testHome } from './test-home.ts';

export const GATEWAY_PROGRAM = join(import.meta.dirname, 'gateway-program.ts');

const STARTING = ['start', 'restart'];

export type ToldStatus = { status: 'running' | 'stopped'; connections: ServiceStatus['channels'] } & ServiceState &
  Omit<ServiceStatus, 'channels'>;

export interface GatewayHome {
  home: Home;
  /** `lainclaw gateway …` */
  gateway(args: readonly string[], options?: Partial<RunOptions>): Promise<Finished>;
  status(): Promise<ToldStatus>;
  log(): string;
  state(): ServiceState;
}

/** `inMemory`: what is started is a gateway in memory, which can fail in ways that the real one does not. */
export function gatewayHome({ inMemory = false, hasModel = true } = {}): GatewayHome {
  const home = testHome();
  // Without a provider chats get one sentence that says so.
  if (hasModel) home.config({ provider: 'stub' });
  const gateway: GatewayHome['gateway'] = (args, options = {}) => {
    const command = ['gateway', ...args];
    if (!inMemory || !STARTING.includes(args[0] ?? '')) return lainclaw(command, { home, ...options });
    return runBinary(command, { home, ...options, program: GATEWAY_PROGRAM });
  };
  // Before the home goes, or a gateway that is left would continue without one.
  afterFile(() => gateway(['stop']).catch(() => {}));
  return {
    home,
    gateway,
    status: async () => (await gateway(['status'])).json<ToldStatus>(),
    log: () => readFileSync(join(home.path, 'service', 'gateway.log'), 'utf8'),
    state: () => JSON.parse(readFileSync(join(home.path, 'service', 'gateway-service.json'), 'utf8')) as ServiceState,
  };
}

/** A gateway that runs, ready. */
export function runningGateway(...flags: string[]): Promise<GatewayHome> {
  return start(gatewayHome(), flags);
}

export function runningMemoryGateway(...flags: string[]): Promise<GatewayHome> {
  return start(gatewayHome({ inMemory: true }), flags);
}

async function start(opened: GatewayHome, flags: readonly string[]): Promise<GatewayHome> {
  const started = await opened.gateway(['start', '--daemon', '--channel=local', ...flags]);
  if (started.code !== 0) throw new Error(`the gateway did not start: ${started.stderr}`);
  return opened;
}
