import { describe, expect, it, onTestFinished } from 'vitest';
import { testOperations } from '../../test/support/test-operations.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** The gateway in this process, without a bot, until the test has ended. */
async function runGateway(runtime: Runtime): Promise<void> {
  const ending = new AbortController();
  const ready = Promise.withResolvers<void>();
  const options = { version: '0', command: 'lainclaw', flags: {}, channels: [], onLogLine() {} };
  const admin = await runtime.gatewayAdmin();
  const ended = admin.run({ ...options, onReady: () => ready.resolve() }, ending.signal);
  onTestFinished(async () => {
    ending.abort();
    await ended;
  });
  await Promise.race([ready.promise, ended]);
}

describe('the operations on the gateway', () => {
  it.each([
    ['gateway.status', {}],
    ['gateway.stop', {}],
    ['gateway.logs', { lines: 2 }],
    ['gateway-config.get', {}],
    ['gateway-config.get', { channel: 'telegram', account: 'work' }],
    ['gateway-config.set', { channel: 'local', settings: { model: 'm', groups: true, toolAllow: ['bash'] } }],
    ['gateway-config.clear', { jobs: true }],
    ['gateway-config.path', {}],
    ['gateway-config.check', {}],
  ])('%s answers what its output schema says where none runs', async (name, input) => {
    const { checked } = await testOperations();
    expect((await checked(name, input)).problem).toBeUndefined();
  });

  it('tell of one that runs', async () => {
    const { checked, runtime } = await testOperations();
    await runGateway(runtime);
    const { output, problem } = await checked('gateway.status');
    expect(problem).toBeUndefined();
    expect(output).toMatchObject({ status: 'running', phase: 'running', connections: [], mailbox: { inbox: 0 } });
    expect(await checked('gateway.retry')).toEqual({ output: { retried: 0 }, problem: undefined });
    const logs = await checked('gateway.logs', { lines: 1 });
    expect(logs).toMatchObject({ problem: undefined, output: { lines: [expect.stringContaining('"event"')] } });
  });

  it('hand over the lines of the log as they come', async () => {
    const lines: string[] = [];
    const { invoke, runtime } = await testOperations({ onPiece: (line) => void lines.push(line) });
    await runGateway(runtime);
    expect(await invoke('gateway.logs')).not.toHaveProperty('lines');
    expect(lines.length).toBeGreaterThan(0);
  });
});

describe('the settings of the gateway', () => {
  it('are kept by layer, shown without secrets, and taken out by an empty value', async () => {
    const { invoke } = await testOperations();
    const telegram = { channel: 'telegram', account: 'work' };
    const botToken = `123456789:${'A'.repeat(35)}`;
    await invoke('gateway-config.set', { ...telegram, settings: { botToken, groups: true } });
    expect(await invoke('gateway-config.get', telegram)).toEqual({ botToken: '***', groups: true });
    expect(await invoke('gateway-config.set', { ...telegram, settings: { groups: '' } })).toMatchObject({
      layer: 'telegram/work',
      set: [],
      removed: ['groups'],
    });
    expect(await invoke('gateway-config.get', telegram)).toEqual({ botToken: '***' });
    await invoke('gateway-config.clear', { channel: 'telegram' });
    expect(await invoke('gateway-config.get')).toEqual({ version: 1, default: {}, channels: {} });
  });

  it.each([
    [{ settings: { modle: 'x' } }, 'did you mean model?'],
    [{ settings: { botToken: 'x' } }, 'a setting of telegram'],
    [{ settings: { groups: 7 } }, 'groups is 7'],
    [{ settings: { provider: 'opnai' } }, 'there is no provider "opnai"'],
    [{ channel: 'telegrm', settings: { model: 'x' } }, 'there is no channel "telegrm"'],
    [{ account: 'work', settings: { model: 'x' } }, 'goes with its channel'],
    [{ jobs: true, channel: 'local', settings: { model: 'x' } }, 'exclude each other'],
    [{ channel: 'local', account: '../x', settings: { model: 'x' } }, 'is not an account'],
  ])('%j is refused, and nothing is changed', async (input, message) => {
    const { invoke } = await testOperations();
    await expect(invoke('gateway-config.set', input)).rejects.toMatchObject({
      code: 'SETTING_REFUSED',
      message: expect.stringContaining(message),
    });
    expect(await invoke('gateway-config.get')).toEqual({ version: 1, default: {}, channels: {} });
  });

  it('are checked for what is installed, before a file is written', async () => {
    const { invoke } = await testOperations();
    for (const input of [{ settings: { modle: 'x' } }, { channels: ['telegrm'] }])
      await expect(invoke('gateway.install', input)).rejects.toMatchObject({ code: 'SETTING_REFUSED' });
  });
});
