// The gateway as a service: whether it runs, starting and stopping it, its log, and having the system start it.
import { mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import { lastingCommand } from '../config/lasting-process.ts';
import type { GatewayAdmin } from '../gateway/service/gateway-admin.ts';
import { ServiceError } from '../gateway/service/service-error.ts';
import type { ServiceState } from '../gateway/service/service-state.ts';
import { startArguments } from '../gateway/service/start-arguments.ts';
import type { UnitFile } from '../gateway/service/unit-file.ts';
import { isSetUp } from '../gateway/settings/resolve.ts';
import { JOB_SETTINGS, jobFlag, settingsOf } from '../gateway/settings/settings.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, POSITIVE, TEXT, YES_OR_NO } from './schemas.ts';
import { ANY_SETTINGS, parsedSettings, refused } from './written-settings.ts';

const STATE_FIELDS = {
  channel: TEXT,
  channels: listOf(TEXT),
  startedAt: TEXT,
  command: TEXT,
  statePath: TEXT,
  logPath: TEXT,
  version: TEXT,
  port: COUNT,
  flags: ANY_SETTINGS,
  pid: COUNT,
  pidStart: TEXT,
} as const;
const MILLISECONDS = { type: 'number', description: 'milliseconds since 1970' } as const;
const CONNECTION = objectWith(
  {
    channel: TEXT,
    account: TEXT,
    state: { enum: ['connecting', 'connected', 'disconnected', 'closed', 'standby'] },
    since: MILLISECONDS,
    reconnects: COUNT,
  },
  { lastEventAt: MILLISECONDS, lastError: TEXT },
);
export const STARTED = objectWith(STATE_FIELDS);
const START_INPUT = {
  type: 'object',
  properties: {
    channels: { ...listOf(TEXT), description: 'by default those that are set up' },
    settings: { ...ANY_SETTINGS, description: 'what goes before gateway.json, by the names of its settings' },
  },
  additionalProperties: false,
} as const;

export const gatewayStatus = defineOperation({
  name: 'gateway.status',
  class: 'read',
  summary: 'Tell whether the gateway runs, its connections, what waits and what could not be sent.',
  input: NO_INPUT,
  output: {
    anyOf: [
      objectWith({ status: { const: 'stopped' }, statePath: TEXT, logPath: TEXT }),
      objectWith(
        { status: { const: 'running' }, ...STATE_FIELDS },
        {
          notAnswering: { type: 'string', description: 'why nothing more is known of it' },
          uptimeMs: { type: 'number' },
          phase: { enum: ['starting', 'running', 'stopping'] },
          memory: objectWith({ rssBytes: COUNT, heapUsedBytes: COUNT }),
          connections: listOf(CONNECTION),
          mailbox: objectWith({ inbox: COUNT, outbox: COUNT, dead: COUNT }),
          runningTurns: COUNT,
          deadLetters: listOf(
            objectWith(
              { key: TEXT, channel: TEXT, account: TEXT, chatId: TEXT, attempts: COUNT, diedAt: TEXT },
              { threadId: TEXT, lastError: TEXT },
            ),
          ),
          noModel: { const: true },
          settings: objectWith({ restartNeeded: listOf(TEXT) }, { problem: TEXT }),
        },
      ),
    ],
  },
  async run(_input, { runtime, signal }) {
    const { states, control } = await runtime.gatewayAdmin();
    const stopped = { status: 'stopped' as const, statePath: states.statePath, logPath: states.logPath };
    const state = await states.running();
    if (!state) return stopped;
    try {
      const { channels: connections, ...rest } = await control.status(signal);
      return { status: 'running' as const, ...state, ...rest, connections };
    } catch (error) {
      if (signal.aborted || !(error instanceof ServiceError)) throw error;
      // It may have ended in between.
      if (error.code === 'GATEWAY_NOT_RUNNING') return stopped;
      return { status: 'running' as const, ...state, notAnswering: error.message };
    }
  },
});

export const startGateway = defineOperation({
  name: 'gateway.start',
  class: 'change',
  summary: 'Start the gateway in the background; resolves when it is ready.',
  input: START_INPUT,
  output: STARTED,
  async run({ channels, settings }, context) {
    const chosen = await channelsOf(channels, context);
    return startInBackground(context, startArguments(chosen, await startSettings(settings, context.runtime)));
  },
});

export const stopGateway = defineOperation({
  name: 'gateway.stop',
  class: 'change',
  summary: 'End the gateway, or one channel of it; running turns may finish.',
  input: {
    type: 'object',
    properties: { channel: { type: 'string', description: 'this channel alone; the last one ends the gateway' } },
    additionalProperties: false,
  },
  output: {
    anyOf: [
      objectWith({ stopped: { const: true }, channel: TEXT, running: listOf(TEXT) }),
      objectWith({ stopped: { const: true }, pid: COUNT, how: { enum: ['drained', 'killed'] } }),
      objectWith({ stopped: { const: false }, reason: TEXT }),
    ],
  },
  async run({ channel }, context) {
    if (channel !== undefined) {
      const left = await stopChannel(channel, context);
      if (left) return left;
    }
    const outcome = await stop(context);
    if (!outcome.stopped) return { stopped: false as const, reason: 'it was not running' };
    return { stopped: true as const, pid: outcome.state.pid, how: outcome.how };
  },
});

export const retryDeadLetters = defineOperation({
  name: 'gateway.retry',
  class: 'change',
  summary: 'Send messages again that could not be sent: one by its key, or all.',
  input: { type: 'object', properties: { key: TEXT }, additionalProperties: false },
  output: objectWith({ retried: COUNT }),
  async run({ key }, { runtime, signal }) {
    const retried = await (await runtime.gatewayAdmin()).control.retry(key, signal);
    if (retried === 0 && key !== undefined)
      throw new CodedError('DEAD_LETTER_NOT_FOUND', `there is no dead letter "${key}": gateway status lists them`);
    return { retried };
  },
});

export const gatewayLogs = defineOperation({
  name: 'gateway.logs',
  class: 'read',
  summary: 'Read the newest lines of the gateway’s log, and those that follow until the caller stops.',
  input: {
    type: 'object',
    properties: {
      lines: { ...POSITIVE, default: 50 },
      follow: { ...YES_OR_NO, default: false, description: 'for a caller that reads line by line' },
    },
    additionalProperties: false,
  },
  output: objectWith(
    { path: TEXT },
    { lines: { ...listOf(TEXT), description: 'each a JSON object; absent where the caller reads line by line' } },
  ),
  async run({ lines: count, follow }, { runtime, signal, warn, onPiece }) {
    const { logPath: path } = (await runtime.gatewayAdmin()).states;
    const { followLog, newestLines } = await import('../gateway/service/read-log.ts');
    const { lines, position } = await newestLines(path, count);
    if (lines.length === 0) warn(`there is no log yet: ${path}`);
    if (!onPiece) return { path, lines };
    for (const line of lines) await onPiece(line);
    if (follow) await followLog(path, position, onPiece, signal);
    return { path };
  },
});

export const installGateway = defineOperation({
  name: 'gateway.install',
  class: 'change',
  summary: 'Write the file that has the system start the gateway (systemd, launchd); nothing is started.',
  input: START_INPUT,
  output: objectWith({
    path: TEXT,
    replaced: YES_OR_NO,
    next: { ...listOf(TEXT), description: 'the commands for the owner to run' },
  }),
  async run({ channels, settings }, context) {
    const { settingsFile, resolve } = await context.runtime.gatewayAdmin();
    const chosen = await channelsOf(channels, context);
    const given = await startSettings(settings, context.runtime);
    const unit = await unitHere(context, startArguments(chosen, given));
    await resolve(given, chosen).catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      context.warn(`it will not start before this is done:\n${error.message}`);
    });
    // The system starts it with an environment of its own.
    if (JSON.stringify(await settingsFile.read()).includes('{"env":'))
      context.warn('gateway.json takes secrets from variables, which the service will not have: use {"file":"path"}');
    const before = await readFile(unit.path, 'utf8').catch(() => undefined);
    await mkdir(dirname(unit.path), { recursive: true });
    await writeFile(unit.path, unit.text, { mode: 0o600 });
    return { path: unit.path, replaced: before !== undefined, next: unit.start };
  },
});

export const uninstallGateway = defineOperation({
  name: 'gateway.uninstall',
  class: 'change',
  summary: 'Remove the file that has the system start the gateway.',
  input: NO_INPUT,
  output: objectWith({ removed: TEXT, next: listOf(TEXT) }),
  async run(_input, context) {
    const unit = await unitHere(context, []);
    try {
      await unlink(unit.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new CodedError('NOT_INSTALLED', `there is no ${unit.path}: nothing was installed`);
    }
    return { removed: unit.path, next: unit.stop };
  },
});

/** Those that are named, otherwise those that are set up. */
async function channelsOf(
  named: readonly string[] | undefined,
  { runtime, warn }: Pick<OperationContext, 'runtime' | 'warn'>,
): Promise<string[]> {
  const admin = await runtime.gatewayAdmin();
  if (!named) return channelsSetUp(admin, { runtime, warn });
  const unknown = named.find((name) => !admin.channels.has(name));
  if (unknown !== undefined)
    throw refused(`there is no channel "${unknown}"; accepted: ${[...admin.channels.keys()].join(', ')}`);
  return [...new Set(named)];
}

/** The channels that a start without names runs. Warns where there is none. */
export async function channelsSetUp(
  { settingsFile, channels }: GatewayAdmin,
  { runtime, warn }: Pick<OperationContext, 'runtime' | 'warn'>,
): Promise<string[]> {
  const file = await settingsFile.read();
  const setUp = [...channels.values()].filter((each) => isSetUp(each, file, runtime.environment));
  if (setUp.length === 0)
    warn(
      'no channel is set up, so no bot runs: only scheduled jobs, background runs and the control API. To connect one: lainclaw gateway config set --channel telegram botToken=- (or --channel feishu), then start it again',
    );
  return setUp.map(({ name }) => name);
}

async function startSettings(
  given: Readonly<Record<string, unknown>> = {},
  runtime: Runtime,
): Promise<Record<string, unknown>> {
  const { channels } = await runtime.gatewayAdmin();
  const jobs = Object.entries(JOB_SETTINGS).map(([key, setting]) => [jobFlag(key), setting] as const);
  return parsedSettings(given, { ...settingsOf({}, channels), ...Object.fromEntries(jobs) });
}

export async function startInBackground(
  { runtime, signal }: Pick<OperationContext, 'runtime' | 'signal'>,
  args: readonly string[],
): Promise<ServiceState> {
  const { environment } = runtime;
  const [{ startDaemon }, { states }] = await Promise.all([
    import('../gateway/service/start-daemon.ts'),
    runtime.gatewayAdmin(),
  ]);
  return startDaemon({
    command: lastingCommand([...environment.program, ...args, '--background']),
    environment: environment.variables,
    cwd: environment.cwd,
    logPath: states.logPath,
    signal,
  });
}

export async function stop({ runtime, signal }: Pick<OperationContext, 'runtime' | 'signal'>) {
  const [{ stopService }, { states }] = await Promise.all([
    import('../gateway/service/stop-service.ts'),
    runtime.gatewayAdmin(),
  ]);
  return stopService({ states, signal });
}

/** Undefined: nothing else runs, so the gateway is ended. */
async function stopChannel(channel: string, { runtime, signal }: Pick<OperationContext, 'runtime' | 'signal'>) {
  const { states, control } = await runtime.gatewayAdmin();
  const state = await states.running();
  if (!state?.channels.includes(channel)) return { stopped: false as const, reason: `${channel} was not running` };
  if (state.channels.length === 1) return undefined;
  await control.stopChannel(channel, signal);
  return { stopped: true as const, channel, running: state.channels.filter((each) => each !== channel) };
}

async function unitHere({ runtime }: Pick<OperationContext, 'runtime'>, args: readonly string[]): Promise<UnitFile> {
  const { home, userHome, variables, program } = runtime.environment;
  const { platform } = process;
  if (platform !== 'linux' && platform !== 'darwin')
    throw new CodedError('UNSUPPORTED_PLATFORM', 'only systemd and launchd are supported: start it with --daemon');
  const { unitFile } = await import('../gateway/service/unit-file.ts');
  return unitFile({
    platform,
    command: lastingCommand([...program, ...args]),
    userHome,
    configHome: variables.XDG_CONFIG_HOME,
    environment: home === join(userHome, '.lainclaw') ? {} : { LAINCLAW_HOME: home },
  });
}
