// The gateway as a service: one to a home, from its start to the end of its drain.
//
//   lock → settings → log → channels and turns → control API → state file → connect → ready … signal → drain → clean up
//
// The lock is the kernel's and ends with the process, however that ends: no stale file can keep the next start out.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_MODEL } from '../../adapters/no-model.ts';
import type { Channel } from '../../channels/channel.ts';
import { lazily } from '../../lib/lazily.ts';
import { monotonicMs } from '../../lib/monotonic.ts';
import type { Fence, Lock, Locks } from '../../storage/locks.ts';
import { ensureDirectory } from '../../storage/private-files.ts';
import type { OwnerFiles } from '../../storage/storage.ts';
import { parsePlace } from '../../vocabulary/chat-name.ts';
import { type Access, createAccess } from '../access/access.ts';
import type { ChannelGateway } from '../channel-gateway.ts';
import { GATEWAY_FILE, type Layer } from '../settings/gateway-file.ts';
import type { ResolvedBot, ResolvedGateway } from '../settings/resolve.ts';
import { KEPT_MESSAGES } from '../turns/kept-messages.ts';
import type { TurnHub } from '../turns/turn-hub.ts';
import type { OpenConsole } from './console-parts.ts';
import { type ControlHandlers, startControlServer } from './control-server.ts';
import { createLiveSettings, type LiveSettings } from './live-settings.ts';
import { createServiceMetrics } from './metrics/service-metrics.ts';
import { NO_MODEL_ADVICE } from './no-model-advice.ts';
import { identify } from './process-identity.ts';
import { startPublicServer } from './public-server.ts';
import { botFor, notAllowed } from './send-target.ts';
import { ServiceError } from './service-error.ts';
import { createServiceLog, type Log } from './service-log.ts';
import { createServiceStates, type ServiceState } from './service-state.ts';
import type { ServiceStatus } from './service-status.ts';

/** What channels and turns are built from. */
export interface GatewayContext {
  /** As they are now: live settings change while the gateway runs. */
  settings(): ResolvedGateway;
  bot(channel: string, account: string): ResolvedBot;
  access: Access;
  /** Of the lock of this service. */
  claimant: Fence;
  /** Where several gateways share the storage: which of them runs a bot. */
  sharedLocks?: Locks;
  log: Log;
}

export interface OpenedGateway {
  gateway: ChannelGateway;
  channels: readonly Pick<Channel, 'name' | 'account' | 'webhook'>[];
  /** Our tools for other agents; it has a token of its own. */
  mcp?(request: Request): Promise<Response>;
  /** After the drain: what it was built on. */
  close?(): Promise<void>;
}

export interface ServiceDependencies {
  home: string;
  files: OwnerFiles;
  /** Where the state of the service is kept. */
  machineFiles: OwnerFiles;
  /** Of this machine. */
  locks: Locks;
  /** Of all gateways on the same storage, where there can be several. */
  sharedLocks?: Locks;
  /** Whose turns are counted for Prometheus. */
  hub: TurnHub;
  /** A collector of OpenTelemetry that gets its turns as spans; absent: nothing is sent. */
  otlp?: { endpoint: string; headers?: string };
  now(): number;
  version: string;
  /** How this process was started, for people and for starting it again. */
  command: string;
  flags: Layer;
  channels: readonly string[];
  readSettings(): Promise<ResolvedGateway>;
  open(context: GatewayContext): Promise<OpenedGateway>;
  /** Called with the first request of a browser: who uses no console pays nothing for it. */
  openConsole?: OpenConsole;
  /** Every line of the log as it is written. */
  onLogLine(line: string): void;
  onReady(state: ServiceState): void;
  drainMs?: number;
}

const LOCK = 'gateway-service';
const SIGN_INS = 'auth-profiles.json';
/** A gateway that was just stopped may need a moment to let go. */
const LOCK_PATIENCE_MS = 1_000;
const DRAIN_MS = 20_000;
const DEAD_LETTERS_SHOWN = 20;
/** A probe that waits longer is answered that the gateway is not ready. */
const STORAGE_ANSWERS_MS = 3_000;

/** Resolves after the signal has fired and everything is put away. Rejects with the reason why it could not start. */
export async function runService(dependencies: ServiceDependencies, stopped: AbortSignal): Promise<void> {
  const { home, files, machineFiles, locks, drainMs = DRAIN_MS } = dependencies;
  const states = createServiceStates(machineFiles);
  const lock = await takeLock(locks, states.running);
  const signal = AbortSignal.any([stopped, lock.lost]);
  const ended = new AbortController();
  const cleanups: (() => unknown)[] = [() => lock.release(), () => ended.abort()];
  const token = randomBytes(32).toString('base64url');
  let secrets: () => readonly string[] = () => [];
  let log: Log = () => {};
  const logListeners = new Set<(line: string) => void>();
  try {
    await ensureDirectory(join(home, 'service'));
    const file = createServiceLog({
      path: states.logPath,
      secrets: () => [token, ...secrets()],
      now: dependencies.now,
      onLine(line) {
        for (const listener of logListeners) listener(line);
        dependencies.onLogLine(line);
      },
    });
    cleanups.push(file.close, onCrash(file.write));
    log = file.write;
    const settings = await createLiveSettings(dependencies.readSettings);
    secrets = () => settings.current().secrets;

    const {
      gateway,
      channels,
      mcp,
      close = async () => {},
    } = await dependencies.open(contextOf(settings, log, lock, dependencies));
    cleanups.push(close);
    const run = { phase: 'starting' as ServiceStatus['phase'] };
    const startedAt = dependencies.now();
    let state: ServiceState | undefined;
    const handlers = createHandlers({
      ...dependencies,
      settings,
      gateway,
      channels,
      mcp,
      log,
      run,
      startedAt,
      async stopChannel(channel) {
        if (!(await gateway.stopChannel(channel, AbortSignal.timeout(drainMs)))) return false;
        log({ level: 'info', event: 'channel-stopped', channel, message: `${channel} was stopped; the others go on` });
        if (state) state = await states.withoutChannel(state, channel);
        return true;
      },
    });
    const { hub, version, now } = dependencies;
    const metrics = createServiceMetrics({ ...handlers, hub, version, startedAt, monotonicMs });
    handlers.metrics = metrics.text;
    cleanups.push(metrics.close);
    if (dependencies.otlp) {
      const { exportTraces } = await import('./traces/export-traces.ts');
      const onProblem = (message: string): void => log({ level: 'warn', event: 'traces', message });
      const instance = `${hostname()}:${process.pid}`;
      cleanups.push(exportTraces({ ...dependencies.otlp, hub, version, now, instance, onProblem }));
    }
    const { openConsole } = dependencies;
    let ownPort = 0;
    const consoleOpened = lazily(async () =>
      openConsole?.({
        token,
        port: () => ownPort,
        settings: () => settings.current().service,
        jobs: () => settings.current().jobs,
        log,
        onLogLine(listener) {
          logListeners.add(listener);
          return () => logListeners.delete(listener);
        },
        wake: () => gateway.wake(),
      }),
    );
    handlers.console = async (incoming, outgoing) =>
      (await (await consoleOpened())?.handle(incoming, outgoing)) ?? false;
    cleanups.push(async () => (await consoleOpened.made())?.close());
    const server = await startControlServer({ token, port: settings.current().service.port, handlers });
    ownPort = server.port;
    cleanups.push(server.close);
    const { service } = settings.current();
    const opened = service.consoleHost === undefined ? undefined : await consoleOpened();
    const publicServer =
      opened && (await startPublicServer({ ...opened, settings: service, log, onDefect: handlers.onDefect }));
    if (publicServer) cleanups.push(publicServer.close);

    const begun = await describeService(dependencies, states, { port: server.port, startedAt });
    state = begun;
    const writing = states.write(begun, token);
    cleanups.push(async () => {
      await writing.catch(() => {});
      await states.clear(begun);
    });
    log({
      level: 'info',
      event: 'starting',
      message: `pid ${begun.pid}, version ${begun.version}`,
      channels: begun.channels,
    });
    try {
      // Synced while the platforms are being reached.
      // A sign-in connects the gateway too.
      const watching = [GATEWAY_FILE, SIGN_INS].map((name) => settings.watch(files.location(name), log, ended.signal));
      await Promise.all([gateway.start(signal).catch(cannotStart), writing, ...watching]);
      if (hasNoModel(settings.current())) log({ level: 'warn', event: 'no-model', message: NO_MODEL_ADVICE });
      run.phase = 'running';
      // What people wrote to turns of an earlier gateway is asked also when nobody opens the page.
      const openForKept = async () => (await files.read(KEPT_MESSAGES)) !== undefined && (await consoleOpened());
      await openForKept().catch((error: Error) => log({ level: 'warn', event: 'note', message: error.message }));
      log({
        level: 'info',
        event: 'ready',
        message: `${begun.channels.join(', ') || 'no channel'}; port ${begun.port}`,
        channels: begun.channels,
      });
      dependencies.onReady(begun);
      await fired(signal);
    } catch (error) {
      if (!signal.aborted) {
        await gateway.drain(AbortSignal.abort()).catch(() => {});
        throw error;
      }
    }
    run.phase = 'stopping';
    log({ level: 'info', event: 'stopping', message: 'running turns may end, nothing new is taken' });
    const patience = AbortSignal.timeout(drainMs);
    const drainConsole = async () => (await consoleOpened.made()?.catch(() => undefined))?.drain(patience);
    await Promise.all([gateway.drain(patience), drainConsole()]);
    log({ level: 'info', event: 'stopped' });
  } catch (error) {
    log({ level: 'error', event: 'failed', message: (error as Error).message });
    throw error;
  } finally {
    // One that fails must not keep the others from being done.
    for (const cleanup of cleanups.reverse()) await Promise.try(cleanup).catch(() => {});
  }
}

function contextOf(
  settings: LiveSettings,
  log: Log,
  claimant: Fence,
  { files, sharedLocks, now }: ServiceDependencies,
): GatewayContext {
  const bot = (channel: string, account: string): ResolvedBot => botOf(settings.current(), channel, account);
  const access = createAccess({ files, settings: ({ channel, account }) => bot(channel, account).settings, now });
  return { settings: settings.current, bot, access, claimant, sharedLocks, log };
}

/** Mostly a platform that refuses: its words, which say what to check. */
function cannotStart(error: Error): never {
  throw new ServiceError('GATEWAY_START_FAILED', error.message, error);
}

/** A defect that ends the process is in the log too. */
function onCrash(log: Log): () => void {
  const tell = (error: Error): void => log({ level: 'error', event: 'crashed', message: error.stack ?? String(error) });
  process.on('uncaughtExceptionMonitor', tell);
  return () => process.off('uncaughtExceptionMonitor', tell);
}

function hasNoModel({ bots, jobs }: ResolvedGateway): boolean {
  return [...bots.map(({ settings }) => settings), jobs].some(({ provider }) => provider === NO_MODEL);
}

function createHandlers(parts: {
  settings: LiveSettings;
  gateway: ChannelGateway;
  channels: OpenedGateway['channels'];
  mcp: OpenedGateway['mcp'];
  log: Log;
  run: { phase: ServiceStatus['phase'] };
  version: string;
  startedAt: number;
  now(): number;
  stopChannel: ControlHandlers['stopChannel'];
}): ControlHandlers {
  const { settings, gateway, channels, mcp, log, run, version, startedAt, now, stopChannel } = parts;
  return {
    async status() {
      const [status, dead] = await Promise.all([gateway.status(), gateway.deadLetters()]);
      const { rss, heapUsed } = process.memoryUsage();
      const problem = settings.problem();
      return {
        ...status,
        pid: process.pid,
        version,
        startedAt: new Date(startedAt).toISOString(),
        uptimeMs: now() - startedAt,
        phase: run.phase,
        memory: { rssBytes: rss, heapUsedBytes: heapUsed },
        deadLetters: dead.slice(0, DEAD_LETTERS_SHOWN).map(({ key, chat, attempts, diedAt, lastError }) => ({
          key,
          ...chat,
          attempts,
          diedAt: new Date(diedAt).toISOString(),
          lastError,
        })),
        ...(hasNoModel(settings.current()) && { noModel: true as const }),
        settings: { ...(problem !== undefined && { problem }), restartNeeded: settings.restartNeeded() },
      };
    },
    async unready() {
      if (run.phase !== 'running') return `the gateway is ${run.phase}`;
      const asked = Promise.all([gateway.status(), gateway.problem?.()]).catch((error: Error) => error);
      const found = await Promise.race([asked, sleep(STORAGE_ANSWERS_MS, undefined, { ref: false })]);
      if (found === undefined) return `the storage does not answer within ${STORAGE_ANSWERS_MS / 1_000} seconds`;
      if (found instanceof Error) return `the storage cannot be read: ${found.message}`;
      const [status, problem] = found;
      if (problem !== undefined) return problem;
      const away = status.channels.filter(({ state }) => state !== 'connected' && state !== 'standby');
      return away.length === 0
        ? undefined
        : away
            .map(
              ({ channel, account, state, lastError }) =>
                `${channel}/${account} is ${state}${lastError ? `: ${lastError}` : ''}`,
            )
            .join(', ');
    },
    async send({ channel, chatId: named }, text) {
      const place = parsePlace(named);
      const bot = botFor({ channel, ...place }, settings.current().bots);
      if (!bot) return { ok: false, message: notAllowed({ channel, ...place }, settings.current().bots) };
      const { keys } = await gateway.send({ channel, account: bot.account, ...place }, text);
      log({ level: 'info', event: 'send-queued', channel, account: bot.account, ...place });
      return { ok: true, account: bot.account, keys };
    },
    wake: () => gateway.wake(),
    retry: (key) => gateway.revive(key),
    stopChannel,
    mcp,
    webhook: (channel, account) => {
      const found = channels.find((candidate) => candidate.name === channel && candidate.account === account);
      return found?.webhook?.bind(found);
    },
    onDefect: (error) =>
      log({
        level: 'error',
        event: 'control-failed',
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  };
}

async function describeService(
  { version, command, flags, channels }: ServiceDependencies,
  { statePath, logPath }: { statePath: string; logPath: string },
  { port, startedAt }: { port: number; startedAt: number },
): Promise<ServiceState> {
  const identity = await identify(process.pid);
  return {
    channel: channels[0] ?? '',
    channels: [...channels],
    pid: process.pid,
    pidStart: identity?.pidStart ?? '',
    startedAt: new Date(startedAt).toISOString(),
    command,
    statePath,
    logPath,
    version,
    port,
    flags,
  };
}

async function takeLock(locks: Locks, running: () => Promise<ServiceState | undefined>): Promise<Lock> {
  const patience = AbortSignal.timeout(LOCK_PATIENCE_MS);
  try {
    return await locks.acquire(LOCK, { signal: patience });
  } catch (error) {
    if (!patience.aborted) throw error;
    const state = await running().catch(() => undefined);
    const who = state
      ? ` as pid ${state.pid} (${state.channels.join(', ') || 'no channel'}, since ${state.startedAt})`
      : '';
    throw new ServiceError(
      'GATEWAY_RUNNING',
      `the gateway of this home runs already${who}: "lainclaw gateway stop" ends it`,
      error,
    );
  }
}

function botOf({ bots }: ResolvedGateway, channel: string, account: string): ResolvedBot {
  const bot = bots.find((candidate) => candidate.channel === channel && candidate.account === account);
  if (!bot) throw new Error(`there is no bot ${channel}/${account}`);
  return bot;
}

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
