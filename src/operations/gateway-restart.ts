// Starting the gateway again. A gateway cannot do that to itself: asked through its own API, it has another process do it.
import { readFile } from 'node:fs/promises';
import { HOW_TO_START, ServiceError } from '../gateway/service/service-error.ts';
import type { ServiceState } from '../gateway/service/service-state.ts';
import { startArguments } from '../gateway/service/start-arguments.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { channelsSetUp, STARTED, startInBackground, stop } from './gateway.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { restartObstacle } from './restart-obstacle.ts';
import { objectWith, YES_OR_NO } from './schemas.ts';

export const restartGateway = defineOperation({
  name: 'gateway.restart',
  class: 'change',
  summary: 'End the gateway and start it again as it was started, on the same port.',
  input: {
    type: 'object',
    properties: {
      setUp: { ...YES_OR_NO, default: false, description: 'also run the channels that were set up since the start' },
    },
    additionalProperties: false,
  },
  output: objectWith(STARTED.properties, {
    isRestarting: { const: true, description: 'it is about to end, and comes back at the same port' },
  }),
  async run({ setUp }, context) {
    const { runtime } = context;
    const { states, resolve } = await runtime.gatewayAdmin();
    const state = await states.read();
    if (!state) throw new CodedError('GATEWAY_NOT_RUNNING', `the gateway was not running: ${HOW_TO_START}`);
    const channels = setUp ? await withSetUp(state, context) : state.channels;
    // A gateway is not ended that could not start again.
    await Promise.all([runtime.currentConfig(), resolve(state.flags, channels)]);
    if (state.pid === process.pid) {
      await restartFromOutside(setUp, context);
      return { ...state, isRestarting: true as const };
    }
    const kept = await keptPort(state, context);
    await stop(context);
    const startOn = (names: readonly string[], flags: object) =>
      startInBackground(context, startArguments(names, { ...state.flags, ...flags }));
    // Another program may have taken the port meanwhile: any other is better than no gateway.
    const start = (names: readonly string[]) =>
      kept.port === undefined ? startOn(names, {}) : startOn(names, kept).catch(() => startOn(names, {}));
    return start(channels).catch(async (error: unknown) => {
      // A platform may refuse a bot that was set up since: those that ran before run again.
      if (channels.length > state.channels.length) await start(state.channels);
      throw error;
    });
  },
});

async function withSetUp({ channels }: ServiceState, context: OperationContext): Promise<string[]> {
  const setUp = await channelsSetUp(await context.runtime.gatewayAdmin(), context);
  return [...new Set([...channels, ...setUp])];
}

/** A free port was chosen: open pages find the gateway again only where it was. */
async function keptPort({ flags, port }: ServiceState, { runtime }: OperationContext): Promise<{ port?: number }> {
  const file = await (await runtime.gatewayAdmin()).settingsFile.read();
  const configured = flags.port ?? file.default.port ?? 0;
  return Number(configured) === 0 ? { port } : {};
}

const readText = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

async function restartFromOutside(setUp: boolean, { runtime }: OperationContext): Promise<void> {
  const { program, variables, cwd } = runtime.environment;
  const obstacle = restartObstacle({
    pid: process.pid,
    parentPid: process.ppid,
    cgroup: await readText('/proc/self/cgroup'),
    firstCommand: await readText('/proc/1/cmdline'),
  });
  if (obstacle) throw new ServiceError('GATEWAY_START_FAILED', obstacle);
  const { spawn } = await import('node:child_process');
  const [command = '', ...args] = program;
  const child = spawn(command, [...args, 'gateway', 'restart', ...(setUp ? ['--set-up'] : [])], {
    cwd,
    env: variables,
    detached: true,
    stdio: 'ignore',
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.unref();
}
