import { describe, expect, it } from 'vitest';
import { type Answer, echo, runEnd, SETTINGS, type TestChats, testChats } from '../../../test/support/chats.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { PermissionQuestion } from '../../tools/policy.ts';
import { parseChatName } from '../../vocabulary/chat-name.ts';

const GROUP = '-1001';
const OPEN = {
  admit: async () => ({ allowed: true as const, isOwner: true }),
  settings: async () => ({ ...SETTINGS, groups: true }),
};
const inTopic = (threadId: string) => ({ chatKind: 'group', senderId: 'anna', threadId });
const TAINTED = { chatKind: 'group', senderId: 'anna' };

async function saidIn(chats: TestChats, threadId: string | undefined): Promise<string[]> {
  const seen = await chats.platform.seen(GROUP);
  return seen.filter((message) => message.threadId === threadId).map(({ text }) => text);
}

const says = (chats: TestChats, threadId: string | undefined, texts: unknown[]): Promise<void> =>
  eventually(async () => expect(await saidIn(chats, threadId)).toEqual(texts));

describe('a topic of a group', () => {
  it('is a conversation of its own, answered where it was asked; the group keeps its session', async () => {
    const chats = await testChats();
    await chats.start(OPEN);
    await chats.write('one', GROUP, inTopic('45'));
    await chats.write('two', GROUP, inTopic('46'));
    await chats.write('three', GROUP, TAINTED);
    await says(chats, '45', ['echo: anna: one']);
    await says(chats, '46', ['echo: anna: two']);
    await says(chats, undefined, ['echo: anna: three']);
    expect(chats.asked.map(({ sessionKey }) => sessionKey).toSorted()).toEqual([
      'local:-1001',
      'local:default:-1001:45',
      'local:default:-1001:46',
    ]);
  });

  it('does not wait for the turn of another, and /stop stops only its own', async () => {
    const gate = Promise.withResolvers<void>();
    const chats = await testChats(async function* (request, signal) {
      if (request.input.endsWith('long')) {
        const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
        await Promise.race([gate.promise, stopped]);
      }
      yield* echo(request);
    });
    await chats.start(OPEN);
    await chats.write('long', GROUP, inTopic('45'));
    await eventually(() => expect(chats.asked).toHaveLength(1));
    await chats.write('short', GROUP, inTopic('46'));
    await says(chats, '46', ['echo: anna: short']);
    await chats.write('/stop', GROUP, inTopic('46'));
    await says(chats, '46', ['echo: anna: short', 'Nothing is running.']);
    gate.resolve();
    await says(chats, '45', ['echo: anna: long']);
  });

  it('has its own model and its own new conversations', async () => {
    const renewed: string[] = [];
    const chats = await testChats();
    await chats.start({
      ...OPEN,
      renew: async (sessionKey) => {
        renewed.push(sessionKey);
        return { sessionKey, sessionId: 'new', createdAt: '', updatedAt: '' };
      },
    });
    await chats.write('/new', GROUP, inTopic('45'));
    await chats.write('/model small', GROUP, inTopic('45'));
    await says(chats, '45', [expect.stringContaining('new conversation'), expect.stringContaining('`small`')]);
    expect(renewed).toEqual(['local:default:-1001:45']);
    await chats.write('here', GROUP, inTopic('45'));
    await chats.write('there', GROUP, inTopic('46'));
    await eventually(() => expect(chats.asked).toHaveLength(2));
    const models = Object.fromEntries(chats.asked.map(({ input, model }) => [input, model]));
    expect(models).toEqual({ 'anna: here': 'small', 'anna: there': undefined });
  });

  it('asks for permission in the topic, and only an answer from there counts', async () => {
    const question: PermissionQuestion = {
      verdict: {
        decision: 'ask',
        question: { title: 'Run a command?', exact: 'make' },
        reasons: [],
        scopes: ['once', 'session'],
      } as unknown as PermissionQuestion['verdict'],
    } as PermissionQuestion;
    const asks: Answer = async function* (request, signal, questions) {
      yield runEnd(request, `allowed: ${(await questions.permission(question, signal))?.scope}`);
    };
    const chats = await testChats(asks);
    await chats.start(OPEN);
    await chats.write('build', GROUP, inTopic('45'));
    await says(chats, '45', [expect.stringContaining('Run a command?')]);
    await chats.write('/approve', GROUP, inTopic('46'));
    await says(chats, '46', [expect.stringContaining('Nothing is waiting')]);
    const [shown] = await chats.platform.seen(GROUP);
    const yes = shown?.buttons[0]?.value ?? '';
    await chats.platform.press?.({ chatId: GROUP, messageId: shown?.messageId ?? '', value: yes, senderId: 'anna' });
    await says(chats, '45', [expect.stringContaining('Allowed once'), 'allowed: once']);
  });

  it('is shown the progress of its turn', async () => {
    const gate = Promise.withResolvers<void>();
    const chats = await testChats(async function* (request) {
      await gate.promise;
      yield* echo(request);
    });
    await chats.start({ ...OPEN, limits: { progressAfterMs: 5, progressEveryMs: 5 } });
    await chats.write('slow', GROUP, inTopic('45'));
    await says(chats, '45', [expect.stringContaining('Working')]);
    gate.resolve();
    await says(chats, '45', ['echo: anna: slow']);
  });

  it('is reached by the name that its turns know, also after a restart with the message still waiting', async () => {
    const chats = await testChats();
    const gateway = await chats.start(OPEN);
    await chats.write('one', GROUP, inTopic('45'));
    await says(chats, '45', ['echo: anna: one']);
    const chat = parseChatName(chats.asked[0]?.chat ?? '');
    if (!chat) return expect.unreachable('the turn got no chat');
    chats.platform.failWith(() => ({ kind: 'unreachable' }));
    await gateway.send(chat, 'a report');
    chats.kill();
    chats.platform.failWith(undefined);
    await chats.start(OPEN);
    await says(chats, '45', ['echo: anna: one', 'a report']);
  });

  it('gets the answer to what an earlier version left waiting under the whole chat', async () => {
    const chats = await testChats();
    const sender = { id: 'anna', name: 'anna' };
    const message = { id: 'm1', order: 1, chatId: GROUP, chatKind: 'group', threadId: '45', sender, text: 'left' };
    await chats.mailbox.receive(
      { name: 'gateway', token: 1 },
      {
        chat: { channel: 'local', account: 'default', chatId: GROUP },
        id: 'm1',
        order: 1,
        receivedAt: 1,
        body: JSON.stringify({ message: { ...message, isAddressed: true, sentAt: 1, files: [] }, isOwner: true }),
      },
    );
    await chats.start(OPEN);
    await says(chats, '45', [expect.stringContaining('left')]);
    await eventually(async () => expect((await chats.mailbox.counts()).inbox).toBe(0));
  });

  it('of a flood gets the notice there', async () => {
    const gate = Promise.withResolvers<void>();
    const chats = await testChats(async function* (request) {
      await gate.promise;
      yield* echo(request);
    });
    await chats.start({ ...OPEN, limits: { waitingMessages: 1, joinedMessages: 1 } });
    await chats.write('first', GROUP, inTopic('45'));
    await eventually(() => expect(chats.asked).toHaveLength(1));
    await chats.write('second', GROUP, inTopic('45'));
    await eventually(async () => expect((await chats.mailbox.counts()).inbox).toBe(2));
    await chats.write('third', GROUP, inTopic('45'));
    await says(chats, '45', [expect.stringContaining('not read')]);
    gate.resolve();
    await eventually(async () => expect((await chats.mailbox.counts()).inbox).toBe(0));
  });
});
