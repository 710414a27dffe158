// A channel that is one line more in the table can be set up like the others.
import { Command } from 'commander';
import { expect, it, vi } from 'vitest';
import { testOperations } from '../../../test/support/test-operations.ts';
import { ChannelError } from '../../channels/channel.ts';
import { defineChannel } from '../../channels/definition.ts';
import { secret, text } from '../../config/kinds.ts';
import { type listSetupChannels, loadSetupChannels } from '../../operations/setup-channel.ts';
import { addSetupFlags } from './setup-flags.ts';

vi.mock('../../channels/all.ts', async (original) => {
  const { CHANNELS } = await original<typeof import('../../channels/all.ts')>();
  return { CHANNELS: { ...CHANNELS, paper: async () => paper } };
});

const paper = defineChannel<{ address: string; stamp: string }>({
  name: 'paper',
  settings: {
    address: { kind: text('a street'), about: 'where letters arrive', isOwn: true },
    stamp: { kind: secret(), about: 'of the post', isSecret: true, isOwn: true },
  },
  identity: 'address',
  needed: () => ['address', 'stamp'],
  defaults: () => ({}),
  open: () => expect.unreachable(),
  setup: {
    asks: ['address', 'stamp'],
    async check({ settings: { address, stamp } }) {
      if (stamp !== 'penny-black') throw new ChannelError('auth', 'The stamp is not valid.');
      return `the box at ${address}`;
    },
    words: async () => ({ offer: 'Write to it', title: 'A box', steps: [], questions: {} }),
  },
});

it('it has flags of its own, and its secret has none for itself', async () => {
  const channels = await loadSetupChannels();
  expect(channels.map(({ name }) => name)).toEqual(['telegram', 'paper', 'feishu']);
  const command = new Command();
  addSetupFlags(command, channels);
  const flags = command.options.map(({ long }) => long);
  expect(flags).toEqual(expect.arrayContaining(['--address', '--stamp-stdin', '--stamp-env', '--bot-token-env']));
  expect(flags).not.toContain('--stamp');
});

it('what it asks for is described to other programs, in each language', async () => {
  const { checked } = await testOperations();
  for (const language of ['en', 'zh', 'ru']) {
    const { output, problem } = await checked('setup.channels', { language });
    expect(problem).toBeUndefined();
    const [telegram, own, feishu] = output as Awaited<ReturnType<typeof listSetupChannels.run>>;
    expect(telegram?.asks).toEqual([{ key: 'botToken', question: expect.any(String), isSecret: true }]);
    expect(own).toEqual({
      channel: 'paper',
      offer: 'Write to it',
      title: 'A box',
      steps: [],
      stepsOnceRunning: [],
      asks: [
        { key: 'address', question: 'address', isSecret: false },
        { key: 'stamp', question: 'stamp', isSecret: true },
      ],
    });
    expect(feishu?.asks[0]?.choices?.map(({ value }) => value)).toEqual(['feishu', 'lark', undefined]);
  }
});

it('it is tried first, then stored', async () => {
  const { invoke, checked, runtime } = await testOperations({ variables: { STAMP: 'penny-black' } });
  const bot = { channel: 'paper', settings: { address: 'Main Street 1', stamp: 'torn' } };
  await expect(invoke('setup.channel', bot)).rejects.toMatchObject({ code: 'CHANNEL_REFUSED' });
  await expect(invoke('setup.channel', { ...bot, channel: 'local' })).rejects.toMatchObject({
    code: 'SETTING_REFUSED',
    message: expect.stringContaining('accepted: telegram, paper, feishu'),
  });
  const { settingsFile } = await runtime.gatewayAdmin();
  expect((await settingsFile.read()).channels).toEqual({});
  const settings = { address: 'Main Street 1', stamp: 'env:STAMP' };
  expect(await checked('setup.channel', { channel: 'paper', settings })).toMatchObject({
    output: { bot: 'the box at Main Street 1' },
    problem: undefined,
  });
  expect((await settingsFile.read()).channels.paper).toEqual({ address: 'Main Street 1', stamp: { env: 'STAMP' } });
});
