// The console of a gateway that runs: its API and its web page, on the gateway's own server.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ConsoleAccess } from '../gateway/console-access/console-access.ts';
import type { OpenedConsole, ServiceParts } from '../gateway/service/console-parts.ts';
import { monotonicMs } from '../lib/monotonic.ts';
import { newId } from '../lib/new-id.ts';
import { createSecretAttempts, WRONG_RANDOM_SECRETS, WRONG_SECRETS } from '../lib/secret-attempts.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { RuntimeWorkspace } from '../runtime/workspace.ts';
import { createMemoryLimits } from '../storage/memory-limits.ts';
import { askKept } from './ask-kept.ts';
import type { ConsoleContext } from './context.ts';
import { createEventFeed } from './event-feed.ts';
import { createGuard } from './guard.ts';
import { createPersonLimits } from './person-limits.ts';
import { createRouter } from './router.ts';
import { routesOf } from './routes/all.ts';
import { watchTurns } from './watch-turns.ts';

const TAKE_UP_EVERY_MS = 5_000;

/** Where the build puts the web page, seen from the bundle and from the source. */
const PAGE_FOLDERS = ['../web', 'web', '../../dist/web'].map((folder) => join(import.meta.dirname, folder));

export async function openConsole(runtime: Runtime, parts: ServiceParts): Promise<OpenedConsole> {
  const { token, port, settings, log } = parts;
  const { now, version } = runtime.environment;
  const [access, limits] = await Promise.all([runtime.consoleAccess(), runtime.limits()]);
  const cookieName = await cookieNameOf(runtime, access);
  let isDraining = false;
  let unwatch: (() => void) | undefined;
  const feed = createEventFeed({
    now,
    signedInIds: access.signedInIds,
    onRecording(isRecording) {
      unwatch?.();
      unwatch = isRecording ? watch() : undefined;
    },
  });
  const stopListening = access.onSignedOut(feed.keepOnly);
  function watch(): () => void {
    const endings = [
      watchTurns(runtime.hub, feed),
      parts.onLogLine((line) => feed.publish(undefined, { type: 'log', entry: JSON.parse(line) })),
    ];
    return () => {
      for (const end of endings) end();
    };
  }
  const warn = (message: string): void => log({ level: 'warn', event: 'note', message });
  const workspaces = new Map<string, Promise<RuntimeWorkspace>>();
  const open = (root: string): Promise<RuntimeWorkspace> => {
    const known = workspaces.get(root);
    if (known) return known;
    const opening = runtime.openWorkspace({ root, onQueued: parts.wake, warn });
    workspaces.set(root, opening);
    // One that could not be opened is tried again.
    opening.catch(() => workspaces.delete(root));
    return opening;
  };
  const loopback = (): string[] => [`127.0.0.1:${port()}`, `localhost:${port()}`];
  const guard = createGuard({
    access,
    token,
    hosts: () => [...loopback(), ...settings().consoleOrigins.map(hostOf)],
    origins: () => [...loopback().map((host) => `http://${host}`), ...settings().consoleOrigins],
    // Its token is of this gateway alone; the other secrets are those of every gateway of the storage.
    attempts: createSecretAttempts(createMemoryLimits(monotonicMs).counter('console-token', WRONG_RANDOM_SECRETS)),
    keyAttempts: createSecretAttempts(limits.counter('console-key', WRONG_RANDOM_SECRETS)),
    browserAttempts: createSecretAttempts(limits.counter('console-browser', WRONG_RANDOM_SECRETS)),
    passwordAttempts: createSecretAttempts(limits.counter('console-password', WRONG_SECRETS)),
    cookieName: () => cookieName,
    proxies: () => settings().consoleProxies,
  });
  const kept = await runtime.keptMessages({ ask: (question) => askKept(question, context), warn });
  const context: ConsoleContext = {
    kept,
    runtime,
    access,
    feed,
    async workspaceFor(session) {
      const own = session === undefined ? undefined : (await runtime.sessions.get(session))?.workspace;
      const usual = settings().workspace;
      return own === undefined || own === usual ? open(usual) : open(own).catch(() => open(usual));
    },
    guard,
    version,
    basePath: () => settings().consoleBasePath,
    cookieName: () => cookieName,
    isSecure: ({ headers }) => settings().consoleOrigins.includes(`https://${headers.host}`),
    isDraining: () => isDraining,
    limits: createPersonLimits({ limits, turnEnded: (id) => readToEnd(runtime.hub.read(id)), newId }),
    unattendedMode: () => parts.jobs().mode,
    hasOpenAiApi: () => settings().openaiApi,
    log,
    warn,
  };
  // What an earlier gateway left.
  const takeUp = (): void => void kept.takeUp().catch((error: Error) => warn(error.message));
  takeUp();
  // Of several gateways on one storage, one that is gone leaves its messages to the others.
  const looking = runtime.config.store === undefined ? undefined : setInterval(takeUp, TAKE_UP_EVERY_MS).unref();
  const handle = createRouter({
    routes: routesOf(context, pageFolder()),
    guard,
    basePath: context.basePath,
    onDefect: (error) =>
      log({
        level: 'error',
        event: 'console-failed',
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
      }),
  });
  return {
    handle,
    hasPassword: access.hasPassword,
    async drain(signal) {
      isDraining = true;
      clearInterval(looking);
      kept.stop();
      const running = runtime.hub
        .turns()
        .filter(({ state, isRemote }) => !isRemote && (state === 'running' || state === 'waiting'));
      await Promise.allSettled(running.map(({ id }) => readToEnd(runtime.hub.read(id, { signal }))));
    },
    async close() {
      clearInterval(looking);
      kept.stop();
      stopListening();
      feed.close();
      unwatch?.();
      await Promise.allSettled([...workspaces.values()].map(async (opened) => (await opened).close()));
      await kept.close();
    },
  };
}

/**
 * Browsers send a host's cookies to each of its ports: gateways of several homes, and of several databases, must not replace each other's. Gateways of one
 * database have one name, so that a browser behind a balancer is signed in to all of them.
 */
async function cookieNameOf({ environment, config }: Runtime, access: ConsoleAccess): Promise<string> {
  const place = config.store === undefined ? environment.home : await access.storageId();
  return `lainclaw-${createHash('sha256').update(place).digest('hex').slice(0, 10)}`;
}

function pageFolder(): string {
  const [first = ''] = PAGE_FOLDERS;
  return PAGE_FOLDERS.find((folder) => existsSync(join(folder, 'index.html'))) ?? first;
}

async function readToEnd(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

function hostOf(origin: string): string {
  return new URL(origin).host;
}
