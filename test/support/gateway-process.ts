// A gateway on the local channel as a process of its own: the whole application, started with a home and settings as
// JSON. Says "ready" once it is; SIGTERM lets it end in order.
import { join } from 'node:path';
import { createLocalChannel } from '../../src/channels/local/local-channel.ts';
import { readEnvironment } from '../../src/config/environment.ts';
import type { BotSettings, ChatLimits } from '../../src/gateway/chats/chat.ts';
import { createRuntime } from '../../src/runtime/runtime.ts';
import { createLocks } from '../../src/storage/local/locks.ts';

export interface GatewayProcessOptions {
  home: string;
  workspace: string;
  /** Of an openai-compatible server; without it the stub answers. */
  baseUrl?: string;
  turn?: Partial<BotSettings['turn']>;
  limits?: Partial<ChatLimits>;
}

const { home, workspace, baseUrl, turn, limits } = JSON.parse(process.argv[2] ?? '{}') as GatewayProcessOptions;
const environment = readEnvironment({
  variables: { ...process.env, LAINCLAW_HOME: home, LAINCLAW_API_KEY: 'none' },
  cwd: workspace,
});
const operations = () => import('../../src/operations/from-chat.ts');
const runtime = await createRuntime({ environment, operations, warn: console.error });
const opened = await runtime.openWorkspace({ root: workspace, baseUrl });
const directory = join(home, 'channels', 'local');
const usual = { provider: baseUrl === undefined ? 'stub' : 'openai-compatible', model: 'fake', caps: {} };
const gateway = await opened.channelGateway({
  claimant: await createLocks(join(home, 'locks')).acquire('gateway-service'),
  channels: [createLocalChannel({ account: 'default', directory, now: Date.now, warn: console.error })],
  admit: async () => ({ allowed: true }),
  mayReceive: async () => true,
  settings: async () => ({
    turn: { ...usual, withTools: true, toolMaxSteps: 5, mode: 'ask', ...turn },
    groups: true,
  }),
  limits,
  log: console.error,
});
process.once('SIGTERM', async () => {
  await gateway.drain(AbortSignal.timeout(20_000));
  await runtime.close();
  process.exit(0);
});
await gateway.start(new AbortController().signal);
console.log('ready');
