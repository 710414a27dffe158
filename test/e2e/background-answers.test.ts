// Who may be written to by jobs and sub-agents, in the gateway as a process: strangers under an open policy, one's own chat,
// people who were revoked, and what the owner asks for at the command line.
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunSummary } from '../../src/schedule/summary.ts';
import { eventually } from '../support/eventually.ts';
import { type GatewayHome, gatewayHome, runningGateway } from '../support/gateway-service.ts';
import { lainclaw } from '../support/lainclaw.ts';

interface Sent {
  chatId: string;
  markdown: string;
}

function world({ home }: GatewayHome) {
  const folder = join(home.path, 'channels', 'local');
  mkdirSync(folder, { recursive: true });
  const run = (...args: string[]) => lainclaw(args, { home });
  let written = 0;
  return {
    run,
    write(chatId: string, senderId: string, text: string): void {
      written += 1;
      const line = { id: `m${written}`, chatId, senderId, text };
      appendFileSync(join(folder, 'inbox.jsonl'), `${JSON.stringify(line)}\n`);
    },
    /** What each message to the chat says, in order. */
    sentTo(chatId: string): string[] {
      let text = '';
      try {
        text = readFileSync(join(folder, 'outbox.jsonl'), 'utf8');
      } catch {
        return [];
      }
      const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
      return lines
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Sent)
        .flatMap((sent) => (sent.chatId === chatId ? [sent.markdown] : []));
    },
    /** Runs a job now; resolves with what became of its answer. */
    async answerOf(name: string): Promise<RunSummary['delivery'] | undefined> {
      expect((await run('schedule', 'run', name)).code).toBe(0);
      let delivery: RunSummary['delivery'] | undefined;
      await eventually(async () => {
        delivery = (await run('schedule', 'history', name, '--json')).json<RunSummary[]>().at(-1)?.delivery;
        expect(delivery).not.toBe('pending');
      });
      return delivery;
    },
  };
}

it('under an open policy a stranger’s chat gets nothing from HEARTBEAT.md or from a tool of another chat', async () => {
  const opened = await runningGateway('--pairing-policy=open', '--pairing-allow-from=anna');
  const { run, write, sentTo, answerOf } = world(opened);
  write('stranger', 'mallory', 'hello there');
  await eventually(() => expect(sentTo('stranger')).toHaveLength(1));

  writeFileSync(
    join(opened.home.path, 'workspace', 'HEARTBEAT.md'),
    '## beat\ncron: @yearly\ninjectInto: local:stranger\nmessage: BEAT\n',
  );
  await eventually(async () => expect((await run('schedule', 'list', '--text')).stdout).toContain('beat'));
  expect(await answerOf('beat')).toBe('failed');
  const { jobs } = (await run('schedule', 'list', '--json')).json<{ jobs: { name: string; note?: string }[] }>();
  expect(jobs).toMatchObject([{ name: 'beat', note: expect.stringContaining('sendAllow=local:stranger') }]);

  const job = (name: string, chat: string, message = name.toUpperCase()): string =>
    `tool:schedule_add ${JSON.stringify({ name, cron: '@yearly', message, injectInto: chat })}`;
  write('anna', 'anna', job('spy', 'local:stranger'));
  await eventually(() =>
    expect(sentTo('anna').at(-1)).toMatch(/local:stranger may not be written to: .*sendAllow=local:stranger/s),
  );
  expect(await answerOf('spy')).toBe('failed');
  const spawn = { name: 'spy', message: 'tell', injectInto: 'local:stranger' };
  write('anna', 'anna', `tool:subagent_spawn ${JSON.stringify(spawn)}`);
  await eventually(() => expect(opened.log()).toMatch(/the result of run-\S+ \(spy\) did not reach local:stranger/));

  // What a job's turn starts has no more than the job.
  write('anna', 'anna', job('detour', 'local:stranger', 'tool:subagent_spawn {"name":"second","message":"tell"}'));
  await eventually(() => expect(sentTo('anna').at(-1)).toContain('added detour'));
  expect(await answerOf('detour')).toBe('failed');
  await eventually(() => expect(opened.log()).toMatch(/the result of run-\S+ \(second\) did not reach local:stranger/));

  write('anna', 'anna', job('mine', 'local:anna'));
  await eventually(() => expect(sentTo('anna').at(-1)).toContain('added mine'));
  expect(sentTo('anna').at(-1)).not.toContain('may not be written to');
  expect(await answerOf('mine')).toBe('sent');
  await eventually(() => expect(sentTo('anna').at(-1)).toContain('MINE'));

  // Nothing but the answer to what was written there.
  expect(sentTo('stranger')).toHaveLength(1);

  const add = (name: string, chat: string) =>
    run('schedule', 'add', name, '--cron', '@yearly', '--message', name.toUpperCase(), '--inject-into', chat);
  const known = await add('owner', 'local:stranger');
  expect([known.code, known.stderr]).toEqual([0, '']);
  expect(await answerOf('owner')).toBe('sent');
  await eventually(() => expect(sentTo('stranger').at(-1)).toContain('OWNER'));

  const unknown = await add('lost', 'local:nobody');
  expect(unknown.json()).toMatchObject({ name: 'lost', note: expect.stringContaining('sendAllow=local:nobody') });
  expect(unknown.stderr).toContain('lainclaw gateway config set --channel local sendAllow=local:nobody');
  expect(await answerOf('lost')).toBe('failed');
  // The command that the message names is the one that helps, also in the gateway that runs.
  expect((await run('gateway', 'config', 'set', '--channel', 'local', 'sendAllow=local:nobody')).code).toBe(0);
  await eventually(() => expect(opened.log()).toContain('local/default.sendAllow'));
  expect(await answerOf('lost')).toBe('sent');
  await eventually(() => expect(sentTo('nobody')).toEqual([expect.stringContaining('LOST')]));
  const elsewhere = await add('away', 'telegram:7');
  expect(elsewhere.stderr).toContain('the gateway has no channel "telegram"; it has local');
});

it('an admitted person gets one message in their chat, and a revoked one gets nothing more', async () => {
  const opened = await runningGateway();
  const { run, write, sentTo, answerOf } = world(opened);
  const codeIn = (chatId: string): string => /code: `([A-Z0-9]{8})`/.exec(sentTo(chatId).join('\n'))?.[1] ?? '';
  const welcomes = (chatId: string): string[] => sentTo(chatId).filter((text) => text.includes('has admitted you'));

  write('chat-of-bob', 'bob', 'hello');
  await eventually(() => expect(codeIn('chat-of-bob')).not.toBe(''));
  const approved = await run('pairing', 'approve', codeIn('chat-of-bob'));
  expect(approved.json()).toEqual({ approved: { channel: 'local', account: 'default', entry: 'bob' }, told: true });
  await eventually(() => expect(welcomes('chat-of-bob')).toHaveLength(1));

  const job = { name: 'mine', cron: '@yearly', message: 'MINE', injectInto: 'local:chat-of-bob' };
  write('chat-of-bob', 'bob', `tool:schedule_add ${JSON.stringify(job)}`);
  await eventually(() => expect(sentTo('chat-of-bob').at(-1)).toContain('added mine'));
  expect(await answerOf('mine')).toBe('sent');
  await eventually(() => expect(sentTo('chat-of-bob').at(-1)).toContain('MINE'));
  const before = sentTo('chat-of-bob').length;
  expect((await run('pairing', 'revoke', 'bob')).code).toBe(0);
  expect(await answerOf('mine')).toBe('failed');
  // The log is written beside the answer.
  await eventually(() => expect(opened.log()).toContain('nobody there is admitted any more'));
  const add = ['schedule', 'add', 'owner', '--cron', '@yearly', '--message', 'OWNER'];
  expect((await run(...add, '--inject-into', 'local:chat-of-bob')).stderr).toContain(
    'nobody there is admitted any more',
  );

  // Approved while nothing runs: told with the next start, and not again with the one after.
  write('chat-of-carol', 'carol', 'hello');
  await eventually(() => expect(codeIn('chat-of-carol')).not.toBe(''));
  await opened.gateway(['stop']);
  expect((await run('pairing', 'approve', codeIn('chat-of-carol'), '--text')).stdout).toContain(
    'a message in their chat',
  );
  expect(welcomes('chat-of-carol')).toEqual([]);
  for (const [index, text] of ['first', 'second'].entries()) {
    expect((await opened.gateway(['start', '--daemon', '--channel=local'])).code).toBe(0);
    write('chat-of-carol', 'carol', text);
    // The welcome went out before what was written later is answered.
    await eventually(() => expect(sentTo('chat-of-carol')).toHaveLength(3 + index));
    expect(welcomes('chat-of-carol')).toHaveLength(1);
    await opened.gateway(['stop']);
  }
  expect(sentTo('chat-of-bob')).toHaveLength(before);
});

it('a run that answers into a chat waits for a gateway, which runs and delivers it', async () => {
  const opened = gatewayHome();
  const { run, sentTo } = world(opened);
  const spawn = (name: string, chat?: string) =>
    run('ask', `tool:subagent_spawn ${JSON.stringify({ name, message: 'tell', injectInto: chat })}`, '--text');
  const states = async () =>
    (await run('agents', 'status', '--json'))
      .json<{ runs: { name: string; state: string; waitsFor?: string }[] }>()
      .runs.map(({ name, state, waitsFor }) => [name, state, waitsFor]);
  expect((await spawn('letter', 'local:anna')).stdout).toMatch(/No gateway is running: it waits/);
  await spawn('quiet');
  await eventually(async () =>
    expect(await states()).toEqual([
      ['quiet', 'done', undefined],
      ['letter', 'queued', 'gateway'],
    ]),
  );
  expect((await run('agents', 'status', '--text')).stdout).toContain('waits for the gateway');

  const started = await opened.gateway(['start', '--daemon', '--channel=local', '--send-allow=local:anna']);
  expect(started.code).toBe(0);
  await eventually(() => expect(sentTo('anna')).toEqual([expect.stringContaining('**letter**')]));
  // From a command while the gateway runs, without waiting for its next look.
  await spawn('second', 'local:anna');
  await eventually(() => expect(sentTo('anna').at(-1)).toContain('**second**'));
  expect((await states()).slice(0, 1)).toEqual([['second', 'done', undefined]]);
});

it('a chat of a channel that is not set up is reported when a job is added', async () => {
  const { run } = world(gatewayHome());
  const add = ['schedule', 'add', 'far', '--cron', '@yearly', '--message', 'm', '--inject-into', 'telegram:7'];
  const added = await run(...add);
  expect(added.code).toBe(0);
  expect(added.stderr).toContain('nothing is set up for the channel telegram');
});

it('an answer that waits in the outbox is not sent to a person who was revoked meanwhile; a new code is', async () => {
  const opened = await runningGateway();
  const { run, write, sentTo } = world(opened);
  const codes = (): string[] =>
    [
      ...sentTo('den')
        .join('\n')
        .matchAll(/code: `([A-Z0-9]{8})`/g),
    ].map(([, code]) => code ?? '');
  write('den', 'bob', 'hello');
  await eventually(() => expect(codes()).toHaveLength(1));
  expect((await run('pairing', 'approve', ...codes())).code).toBe(0);
  await eventually(() => expect(sentTo('den').at(-1)).toContain('has admitted you'));
  await eventually(async () => expect((await opened.status()).mailbox).toMatchObject({ outbox: 0 }));
  // The channel cannot write: the answer waits.
  const outbox = join(opened.home.path, 'channels', 'local', 'outbox.jsonl');
  rmSync(outbox);
  mkdirSync(outbox);
  write('den', 'bob', 'what is the plan?');
  await eventually(async () => expect((await opened.status()).mailbox).toMatchObject({ outbox: 1 }));
  expect((await run('pairing', 'revoke', 'bob')).code).toBe(0);
  rmSync(outbox, { recursive: true });
  await eventually(async () => expect((await opened.status()).mailbox).toMatchObject({ outbox: 0, dead: 1 }));
  expect((await opened.status()).deadLetters[0]?.lastError).toContain('nobody in this chat is admitted any more');
  expect(sentTo('den')).toEqual([]);
  write('den', 'bob', 'hello again');
  await eventually(() => expect(codes()).toHaveLength(1));
  expect(sentTo('den')).toHaveLength(1);
});
