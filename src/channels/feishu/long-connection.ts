// The long connection, over the official SDK: it finds the address, speaks the binary frames, pings, and answers an event with
// success only after its handler has resolved (a handler that throws makes the platform deliver again). One SDK client is
// one connection: when it is lost, or does not come about, it is thrown away and another is made after a growing pause. The
// SDK's own retries would wait up to two minutes, and reusing a client can leave a second, deaf connection open.
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpInstance, WSClient } from '@larksuiteoapi/node-sdk';
import { ChannelError, type ChannelStatus } from '../channel.ts';
import { type HttpClient, HttpFailure } from './http.ts';

export interface LongConnectionTimings {
  /** The first pause; it doubles up to `maxPauseMs`, each time shortened at random by up to a half. */
  pauseMs: number;
  maxPauseMs: number;
  /** How long an answer to a ping may take before the connection counts as dead; less than the platform's 120 s between pings. */
  pongMs: number;
  /** For the address and the handshake together. */
  attemptMs: number;
  /** How often is looked whether the clock has jumped. */
  awakeMs: number;
}

export const DEFAULT_TIMINGS: LongConnectionTimings = {
  pauseMs: 1_000,
  maxPauseMs: 30_000,
  pongMs: 10_000,
  attemptMs: 30_000,
  awakeMs: 20_000,
};

export interface LongConnectionDependencies {
  appId: string;
  appSecret: string;
  baseUrl: string;
  http: HttpClient;
  /** By event type. What one returns is the answer to the event; it may throw. */
  handlers: Record<string, (event: never) => Promise<unknown>>;
  now: () => number;
  random: () => number;
  timings: LongConnectionTimings;
}

export interface LongConnection {
  /** Resolves with the first connection. Rejects with ChannelError 'auth', or with the signal's reason. */
  open(signal: AbortSignal): Promise<void>;
  status(): ChannelStatus;
  noteError(message: string): void;
  /** Waits for the handlers that run, so that what they stored is still acknowledged. */
  close(): Promise<void>;
}

/** Of the address service: the app or its secret is not accepted. */
const REFUSED_CODES = new Set([403, 514, 10003, 10014]);
const ADDRESS_TIMEOUT_MS = 15_000;
const MAX_ADDRESS_BYTES = 256 * 1024;
/** A frame that is written right after its handler resolved must leave before the socket is closed. */
const FLUSH_MS = 20;
/** A handler that takes longer is left: its event comes again. */
const CLOSE_MS = 5_000;

export function createLongConnection(dependencies: LongConnectionDependencies): LongConnection {
  const { appId, appSecret, baseUrl, http, now, random, timings } = dependencies;
  let status: ChannelStatus = { state: 'connecting', since: now(), reconnects: 0 };
  let client: WSClient | undefined;
  /** Ends the connection of now, whatever its state, and makes another after a pause. */
  let drop: (reason: string) => void = () => {};
  let attempts = 0;
  let hasEverConnected = false;
  let retry: NodeJS.Timeout | undefined;
  let deadline: NodeJS.Timeout | undefined;
  let awake: NodeJS.Timeout | undefined;
  let opening: { resolve: () => void; reject: (error: unknown) => void } | undefined;
  const running = new Set<Promise<unknown>>();
  const closing = new AbortController();

  function become(state: ChannelStatus['state'], lastError = status.lastError): void {
    if (status.state === 'closed') return;
    status = { ...status, state, since: state === status.state ? status.since : now(), lastError };
  }

  async function attempt(): Promise<void> {
    const sdk = await import('./sdk.ts');
    if (closing.signal.aborted) return;
    let address: ChannelError | undefined;
    const self: WSClient = new sdk.WSClient({
      appId,
      appSecret,
      domain: baseUrl,
      source: 'lainclaw',
      httpInstance: {
        request: async (request: { url: string; data: unknown; headers: Record<string, string> }) => {
          address = undefined;
          const answer = await askAddress(request).catch((error: unknown) => {
            address = new ChannelError(
              'unreachable',
              `${new URL(baseUrl).host} cannot be reached (${messageOf(error)})`,
            );
            throw error;
          });
          if (answer.code !== 0) address = addressRefusal(answer);
          return answer;
        },
      } as unknown as HttpInstance,
      loggerLevel: sdk.LoggerLevel.error,
      logger: { ...silent, error: () => void setImmediate(lookForFailure) },
      handshakeTimeoutMs: timings.attemptMs,
      wsConfig: { pingTimeout: timings.pongMs / 1_000 },
      onReady: () => self === client && connected(),
      onError: () => lost(address?.message ?? 'Feishu refused the long connection', address),
      onReconnecting: () => lost('the connection was lost'),
    });
    client = self;
    drop = lost;
    holdFirstFrames(self);
    deadline = setTimeout(() => lost('the connection did not come about in time'), timings.attemptMs);
    await self.start({ eventDispatcher: dispatcher(sdk) });

    /** The SDK tells of a first attempt that failed only by planning the next one. */
    function lookForFailure(): void {
      if (self.getReconnectInfo().nextConnectTime > 0 && status.state !== 'connected')
        lost(address?.message ?? 'the handshake failed', address);
    }

    function lost(reason: string, error?: ChannelError): void {
      if (self !== client) return;
      client = undefined;
      clearTimeout(deadline);
      // The SDK still plans a retry of its own after it has called us.
      queueMicrotask(() => self.close({ force: true }));
      if (error?.code === 'auth' && opening) {
        giveUp(error);
        return;
      }
      // One that is taken and cut again and again must not be asked for without pause.
      if (status.state === 'connected' && now() - status.since >= timings.maxPauseMs) attempts = 0;
      become(hasEverConnected ? 'disconnected' : 'connecting', reason);
      tryLater();
    }
  }

  function tryLater(): void {
    const pause = Math.min(timings.maxPauseMs, timings.pauseMs * 2 ** attempts) * (1 - random() / 2);
    attempts += 1;
    retry = setTimeout(() => {
      attempt().catch((error: unknown) => {
        become('disconnected', messageOf(error));
        tryLater();
      });
    }, pause);
  }

  /** A machine that slept has dead connections and does not know it; its next ping may be minutes away. */
  function watchForSleep(): void {
    let last = now();
    awake = setInterval(() => {
      const slept = now() - last - timings.awakeMs;
      last = now();
      if (slept > timings.awakeMs) drop('this machine slept');
    }, timings.awakeMs);
    awake.unref();
  }

  function connected(): void {
    clearTimeout(deadline);
    if (hasEverConnected) status = { ...status, reconnects: status.reconnects + 1 };
    hasEverConnected = true;
    become('connected');
    opening?.resolve();
    opening = undefined;
  }

  function giveUp(error: unknown): void {
    become('disconnected', messageOf(error));
    opening?.reject(error);
    opening = undefined;
  }

  function dispatcher(sdk: typeof import('./sdk.ts')) {
    const handles = Object.entries(dependencies.handlers).map(([type, handle]) => [
      type,
      (event: never) => {
        status = { ...status, lastEventAt: now() };
        const work = handle(event).catch((error: unknown) => {
          status = { ...status, lastError: `an event could not be taken: ${messageOf(error)}` };
          throw error;
        });
        const settled: Promise<void> = work.then(forget, forget);
        function forget(): void {
          running.delete(settled);
        }
        running.add(settled);
        return work;
      },
    ]);
    return new sdk.EventDispatcher({ loggerLevel: sdk.LoggerLevel.fatal, logger: silent }).register(
      Object.fromEntries(handles),
    );
  }

  async function askAddress(request: { url: string; data: unknown; headers: Record<string, string> }) {
    const answer = await http.exchange(
      {
        method: 'POST',
        url: request.url,
        headers: { ...request.headers, 'content-type': 'application/json' },
        body: JSON.stringify(request.data),
        timeoutMs: ADDRESS_TIMEOUT_MS,
        maxBytes: MAX_ADDRESS_BYTES,
      },
      closing.signal,
    );
    const body = JSON.parse(answer.body.toString('utf8')) as { code: number; msg?: string; data?: object };
    // The SDK takes a refusal without data for a network failure and would try for ever.
    return { ...body, data: body.data ?? {} };
  }

  return {
    open(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      return new Promise((resolve, reject) => {
        const abort = () => giveUp(signal.reason);
        signal.addEventListener('abort', abort, { once: true });
        const done = () => signal.removeEventListener('abort', abort);
        opening = {
          resolve: () => {
            done();
            resolve();
          },
          reject: (error) => {
            done();
            reject(error);
          },
        };
        watchForSleep();
        attempt().catch(giveUp);
      });
    },
    status() {
      // The socket itself knows best.
      const isOpen = client?.getConnectionStatus().state === 'connected';
      return status.state === 'connected' && !isOpen ? { ...status, state: 'disconnected' } : status;
    },
    noteError(message) {
      status = { ...status, lastError: message };
    },
    async close() {
      if (status.state === 'closed') return;
      clearTimeout(retry);
      clearTimeout(deadline);
      clearInterval(awake);
      if (running.size > 0) {
        const stored = new AbortController();
        const patience = sleep(CLOSE_MS, undefined, { signal: stored.signal }).catch(() => {});
        await Promise.race([Promise.all(running), patience]);
        stored.abort();
        await sleep(FLUSH_MS);
      }
      become('closed');
      closing.abort(new Error('the channel is closed'));
      const last = client;
      client = undefined;
      last?.close({ force: true });
      clearTimeout(retry);
      opening?.reject(closing.signal.reason);
      opening = undefined;
    },
  };
}

interface Pausable {
  pause(): void;
  resume(): void;
}

/** The SDK listens a moment after the socket opened, and what came with the handshake would be dropped: let it wait. */
function holdFirstFrames(client: WSClient): void {
  const { wsConfig } = client as unknown as { wsConfig?: { setWSInstance?: (socket: Pausable | null) => void } };
  const original = wsConfig?.setWSInstance;
  if (!wsConfig || !original) return;
  wsConfig.setWSInstance = (socket) => {
    socket?.pause();
    if (socket) setImmediate(() => socket.resume());
    original.call(wsConfig, socket);
  };
}

const silent = { error() {}, warn() {}, info() {}, debug() {}, trace() {} };

function addressRefusal({ code, msg = '' }: { code: number; msg?: string }): ChannelError {
  if (REFUSED_CODES.has(code)) {
    return new ChannelError(
      'auth',
      `Feishu does not accept the app's credentials for the long connection (${code}): check appId and appSecret, and that events are subscribed to through the long connection in the developer console`,
    );
  }
  return new ChannelError('unreachable', `Feishu refused the long connection (${code}: ${msg.slice(0, 200)})`);
}

function messageOf(error: unknown): string {
  if (error instanceof HttpFailure || error instanceof ChannelError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
