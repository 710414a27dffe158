// A channel is one definition and one line in the table: with that line, everything else knows it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import type { IncomingMessage, Receive } from '../channels/channel.ts';
import { defineChannel } from '../channels/definition.ts';
import { readEnvironment } from '../config/environment.ts';
import { secret, text } from '../config/kinds.ts';
import { withSettings } from '../gateway/settings/gateway-file.ts';
import { createRuntime, type Runtime } from './runtime.ts';

vi.mock('../channels/all.ts', async (original) => {
  const { CHANNELS } = await original<typeof import('../channels/all.ts')>();
  return { CHANNELS: { ...CHANNELS, paper: async () => paper } };
});

let receive: Receive | undefined;
let sent: string[];
let opened: object[];
const paper = defineChannel<{ address: string; stamp: string; colour: string }>({
  name: 'paper',
  settings: {
    address: { kind: text('a street'), about: 'where letters arrive', isOwn: true },
    stamp: { kind: secret(), about: 'of the post', isSecret: true, isOwn: true },
    colour: { kind: text(), about: 'of the ink' },
  },
  identity: 'address',
  needed: () => ['address', 'stamp'],
  defaults: () => ({ colour: 'blue' }),
  async open({ account, settings, now }) {
    opened.push({ account, ...settings });
    return {
      name: 'paper',
      account,
      isIdempotent: true,
      hasButtons: false,
      async connect(receiver) {
        receive = receiver;
      },
      split: (markdown) => [markdown],
      async send({ key, chatId, markdown }) {
        sent.push(`${chatId}: ${markdown}`);
        return { chatId, messageId: key };
      },
      edit: async () => {},
      showWorking: async () => {},
      download: async () => new Uint8Array(),
      status: () => ({ state: 'connected', since: now(), reconnects: 0 }),
      close: async () => {},
    };
  },
});

let home: string;
let runtime: Runtime;
beforeEach(async () => {
  [receive, sent, opened] = [undefined, [], []];
  home = mkdtempSync(join(tmpdir(), 'lainclaw-added-'));
  const variables = { LAINCLAW_HOME: home, LAINCLAW_PAPER_STAMP: 'penny-black' };
  const environment = readEnvironment({ variables, cwd: home, program: [] });
  runtime = await createRuntime({ environment, warn: (line) => expect.unreachable(line) });
});
afterEach(async () => {
  await runtime.close();
  rmSync(home, { recursive: true });
});

const message = (written: string): IncomingMessage => ({
  id: written,
  chatId: 'anna',
  chatKind: 'direct',
  isAddressed: true,
  sender: { id: 'anna' },
  order: 1,
  sentAt: 1,
  text: written,
  files: [],
});

it('its settings are checked like those of every channel', async () => {
  const { resolve, settingsFile } = await runtime.gatewayAdmin();
  await expect(resolve({}, ['paper'])).rejects.toThrow(
    'paper (default) needs address; set it with lainclaw gateway config set --channel paper address=<address>, or set LAINCLAW_PAPER_ADDRESS',
  );
  const set = (channel: string, changes: object) =>
    settingsFile.edit((file) => withSettings(file, { channel }, { ...changes }));
  await expect(set('papr', {})).rejects.toThrow('"papr" is not a channel (did you mean "paper"?)');
  await expect(set('paper', { adress: 'x' })).rejects.toThrow('did you mean "address"?');
  await expect(set('telegram', { stamp: 'x' })).rejects.toThrow('it belongs in "channels.paper"');
  await expect(set('paper', { sendAllow: ['stone:1'] })).rejects.toThrow('channels.paper.sendAllow');
  await set('paper', { address: 'Main Street 1', sendAllow: ['paper:anna'] });
  expect((await resolve({}, ['paper'])).bots).toMatchObject([
    { channel: 'paper', own: { address: 'Main Street 1', stamp: 'penny-black', colour: 'blue' } },
  ]);
});

it('its bots are opened and answer, jobs may answer into its chats, and send_message knows it', async () => {
  const { run, settingsFile, control } = await runtime.gatewayAdmin();
  await settingsFile.edit((file) =>
    withSettings(file, { channel: 'paper' }, { address: 'x', provider: 'stub', pairingPolicy: 'open' }),
  );
  const ready = Promise.withResolvers<void>();
  const end = new AbortController();
  const running = run(
    {
      version: '1.2.3',
      command: '',
      flags: {},
      channels: ['paper'],
      onLogLine: () => {},
      onReady: () => ready.resolve(),
    },
    end.signal,
  );
  await Promise.race([ready.promise, running]);
  await receive?.(message('hello'));
  await eventually(() => expect(sent.join()).toContain('anna: '));
  expect(opened).toEqual([{ account: 'default', address: 'x', stamp: 'penny-black', colour: 'blue' }]);
  expect((await control.status(end.signal)).channels).toMatchObject([{ channel: 'paper', state: 'connected' }]);
  end.abort();
  await running;

  const job = { name: 'tea', cron: '@hourly', message: 'tea' };
  const { definition } = (await runtime.schedule()).define(
    { ...job, injectInto: 'paper:anna' },
    { source: 'cli', asker: { kind: 'owner' } },
  );
  expect(definition.injectInto).toBe('paper:anna');
  const toolbox = await (await runtime.openWorkspace({ root: home })).toolbox();
  const schemas = toolbox
    .visible(['send_message'])
    .list()
    .map(({ spec }) => spec.inputSchema);
  expect(schemas).toMatchObject([{ properties: { channel: { enum: expect.arrayContaining(['paper']) } } }]);
});
