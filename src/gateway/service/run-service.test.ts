import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { type MemoryGatewayOptions, openMemoryGateway } from '../../../test/support/memory-gateway.ts';
import { loadChannelTable } from '../../channels/channel-table.ts';
import { readEnvironment } from '../../config/environment.ts';
import { newId } from '../../lib/new-id.ts';
import { createLocalStorage } from '../../storage/local/local-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import { emptyFile, type GatewayFile } from '../settings/gateway-file.ts';
import { resolveGateway } from '../settings/resolve.ts';
import { KEPT_MESSAGES } from '../turns/kept-messages.ts';
import { createTurnHub } from '../turns/turn-hub.ts';
import { createControlClient } from './control-client.ts';
import { identify } from './process-identity.ts';
import { type GatewayContext, runService, type ServiceDependencies } from './run-service.ts';
import { createServiceStates, type ServiceState } from './service-state.ts';
import { stopService } from './stop-service.ts';

let home: string;
let storage: Storage;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'lainclaw-run-service-'));
  storage = createLocalStorage({ home, now: Date.now });
});
afterEach(async () => {
  await storage.close();
  rmSync(home, { recursive: true });
});

const states = () => createServiceStates(storage.machineFiles);
const events = (): string[] =>
  readFileSync(join(home, 'service', 'gateway.log'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { event: string }).event);

interface Started {
  ready: Promise<ServiceState>;
  ended: Promise<void>;
  stop(): void;
  context(): GatewayContext;
}

function startService(
  options: Omit<MemoryGatewayOptions, 'bots' | 'now'> & { file?: GatewayFile } = {},
  parts: Pick<ServiceDependencies, 'openConsole'> = {},
): Started {
  const stopping = new AbortController();
  const ready = Promise.withResolvers<ServiceState>();
  let context: GatewayContext | undefined;
  const ended = runService(
    {
      home,
      files: storage.ownerFiles,
      machineFiles: storage.machineFiles,
      locks: storage.locks,
      hub: createTurnHub({ now: Date.now, newId }),
      now: Date.now,
      version: '1.2.3',
      command: 'lainclaw gateway start',
      flags: {},
      channels: ['local'],
      readSettings: async () =>
        resolveGateway({
          file: options.file ?? emptyFile(),
          flags: {},
          channels: ['local'],
          definitions: await loadChannelTable(),
          environment: readEnvironment({
            variables: { LAINCLAW_HOME: home },
            cwd: home,
            program: [],
            version: '1.2.3',
          }),
          config: { provider: 'stub' },
          providerProblem: () => undefined,
        }),
      open: async (given) => {
        context = given;
        return openMemoryGateway(given, options);
      },
      onLogLine: () => {},
      onReady: ready.resolve,
      drainMs: 50,
      ...parts,
    },
    stopping.signal,
  );
  ended.catch(ready.reject);
  ready.promise.catch(() => {});
  return {
    ready: ready.promise,
    ended,
    stop: () => stopping.abort(),
    context: () => context ?? expect.unreachable('it is not open yet'),
  };
}

it('a drain that takes too long is cut off', async () => {
  const service = startService({ draining: (signal) => once(signal, 'abort').then(() => {}) });
  await service.ready;
  service.stop();
  await service.ended;
  expect(events()).toEqual(['starting', 'ready', 'stopping', 'stopped']);
  expect(existsSync(states().statePath)).toBe(false);
});

it('stopped while it starts, it ends cleanly and never was ready', async () => {
  const begun = Promise.withResolvers<void>();
  const service = startService({
    starting: async (signal) => {
      begun.resolve();
      await once(signal, 'abort');
      signal.throwIfAborted();
    },
  });
  await begun.promise;
  await eventually(async () =>
    expect(await createControlClient(states()).status()).toMatchObject({ phase: 'starting', version: '1.2.3' }),
  );
  service.stop();
  await service.ended;
  expect(events()).toEqual(['starting', 'stopping', 'stopped']);
});

it('a start that fails leaves neither state nor lock, and says why in the log', async () => {
  const failing = startService({ starting: () => Promise.reject(new Error('no credentials')) });
  await expect(failing.ended).rejects.toThrow('no credentials');
  expect(events()).toEqual(['starting', 'failed']);
  expect(existsSync(states().statePath)).toBe(false);
  const next = startService();
  await next.ready;
  next.stop();
  await next.ended;
});

it('kept messages that cannot be read keep no gateway from starting', async () => {
  writeFileSync(join(home, KEPT_MESSAGES), '{"version":2}', { mode: 0o600 });
  const service = startService();
  await service.ready;
  expect(readFileSync(join(home, 'service', 'gateway.log'), 'utf8')).toContain(KEPT_MESSAGES);
  service.stop();
  await service.ended;
});

it('a console that cannot be opened for kept messages keeps no gateway from starting, and none from ending', async () => {
  writeFileSync(join(home, KEPT_MESSAGES), '{"version":1,"messages":[]}', { mode: 0o600 });
  const drained = Promise.withResolvers<void>();
  const service = startService(
    { draining: async () => drained.resolve() },
    { openConsole: () => Promise.reject(new Error('console.json is damaged')) },
  );
  await service.ready;
  expect(readFileSync(join(home, 'service', 'gateway.log'), 'utf8')).toContain('console.json is damaged');
  service.stop();
  await service.ended;
  await drained.promise;
  expect(events().at(-1)).toBe('stopped');
});

it('channels and turns get settings, access and a log that are alive', async () => {
  const file = { ...emptyFile(), default: { pairingPolicy: 'allowlist', pairingAllowFrom: ['7'], model: 'small' } };
  const service = startService({ file });
  await service.ready;
  const { bot, access, settings } = service.context();
  expect(bot('local', 'default').settings).toMatchObject({ model: 'small', pairingPolicy: 'allowlist' });
  expect(settings().service).toMatchObject({ maxConcurrentTurns: 8, debounceMs: 400 });
  const message = { id: 'm', chatId: '7', chatKind: 'direct', sender: { id: '7' } } as const;
  expect(await access.admit(message, { channel: 'local', account: 'default' })).toEqual({
    allowed: true,
    isOwner: true,
  });
  expect(await access.admit(message, { channel: 'local', account: 'none' })).toMatchObject({ allowed: false });
  service.stop();
  await service.ended;
});

it('a process that does not end when it is asked to is ended', async () => {
  const deaf = spawn(process.execPath, [
    '-e',
    "process.on('SIGTERM', () => {}); console.log('on'); setInterval(() => {}, 1000)",
  ]);
  await once(deaf.stdout, 'data');
  const identity = await identify(deaf.pid ?? 0);
  if (!identity) return expect.unreachable();
  const state = { ...identity, channels: ['local'] } as ServiceState;
  await states().write(state, 'token');
  const ended = once(deaf, 'exit');
  const outcome = await stopService({ states: states(), patienceMs: 300, signal: new AbortController().signal });
  expect(outcome).toMatchObject({ stopped: true, how: 'killed' });
  expect((await ended)[1]).toBe('SIGKILL');
  expect(await states().read()).toBeUndefined();
});
