// Gateways as on several machines: each is a process with a home of its own, and they share nothing but a database and a platform,
// which is the folder of a local channel.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceStatus } from '../../src/gateway/service/service-status.ts';
import { tokensOf } from './gateway-kills.ts';
import { createHome } from './home.ts';
import { type Running, runBinary, startLainclaw } from './lainclaw.ts';
import type { OutboxLine } from './local-gateway.ts';

export interface Machine {
  /** Of its gateway. */
  readonly workspace: string;
  /** Resolves when the gateway is ready. */
  start(): Promise<void>;
  /** Resolves when the process is gone. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  status(): Promise<ServiceStatus>;
  /** Of the one bot there is. */
  stateOfBot(): Promise<string | undefined>;
  /** Another command on this machine; it must work. */
  run(...args: string[]): Promise<void>;
  /** Where its server is, and the token for it. */
  address(): { port: number; headers: Record<string, string> };
  /** What its API answers; with a body it is posted. */
  call<T>(path: string, body?: object): Promise<T>;
}

export interface SharedGateways {
  machines: readonly Machine[];
  /** Of the local channel. */
  readonly folder: string;
  /** Adds lines to the inbox in one write. */
  write(lines: readonly object[]): void;
  outbox(): OutboxLine[];
  /** How many of the written messages have been answered. */
  answered(): number;
  /** Kills what still runs and removes the homes. */
  remove(): Promise<void>;
}

/** Of the texts that are encrypted in the database: every machine needs the same. */
const KEY = 'ab'.repeat(32);

export interface SharedGatewaysOptions {
  /** The same database for all; or its address as each machine reaches it. */
  url: string | ((machine: number) => string);
  count: number;
  /** Of every machine; without it the stub answers. */
  config?: object;
  flags?: readonly string[];
  /** More variables of every machine. */
  env?: Readonly<Record<string, string>>;
}

export function createSharedGateways(options: SharedGatewaysOptions): SharedGateways {
  const { url, count, config = { provider: 'stub' }, flags = [], env: more = {} } = options;
  const platform = createHome();
  const folder = join(platform.base, 'channel');
  mkdirSync(folder);
  const homes = Array.from({ length: count }, () => createHome());
  const machines = homes.map((home, index): Machine => {
    home.config(config);
    const env = {
      ...more,
      LAINCLAW_STORE: typeof url === 'string' ? url : url(index),
      LAINCLAW_STORE_KEY: KEY,
      LAINCLAW_LOCAL_FOLDER: folder,
      LAINCLAW_API_KEY: 'none',
    };
    let running: Running | undefined;
    const read = (name: string): string => readFileSync(join(home.path, 'service', name), 'utf8').trim();
    const address = (): { port: number; headers: Record<string, string> } => {
      const { port } = JSON.parse(read('gateway-service.json')) as { port: number };
      return { port, headers: { authorization: `Bearer ${read('gateway-token')}` } };
    };
    const call = async <T>(path: string, body?: object): Promise<T> => {
      const { port, headers } = address();
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      return (await answer.json()) as T;
    };
    const status = (): Promise<ServiceStatus> => call('/status');
    return {
      workspace: join(home.path, 'workspace'),
      async start() {
        running = startLainclaw(['gateway', 'start', '--channel=local', '--pairing-policy=open', ...flags], {
          home,
          env,
        });
        await running.saw('"event":"ready"');
      },
      async end(signal) {
        running?.kill(signal);
        await running?.ended.catch(() => {});
        running = undefined;
      },
      status,
      stateOfBot: async () => (await status()).channels[0]?.state,
      async run(...args) {
        const { code, stderr } = await runBinary(args, { home, env });
        if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
      },
      address,
      call,
    };
  });
  const outbox = (): OutboxLine[] => {
    const path = join(folder, 'outbox.jsonl');
    if (!existsSync(path)) return [];
    return readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as OutboxLine);
  };
  return {
    machines,
    folder,
    write: (lines) =>
      appendFileSync(join(folder, 'inbox.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
    outbox,
    answered: () => new Set(tokensOf(outbox()).map(({ id }) => id)).size,
    async remove() {
      await Promise.all(machines.map((each) => each.end('SIGKILL')));
      for (const home of [platform, ...homes]) home.remove();
    },
  };
}
