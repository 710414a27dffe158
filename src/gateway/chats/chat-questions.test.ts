import { describe, expect, it } from 'vitest';
import { type Answer, runEnd, type TestChats, testChats } from '../../../test/support/chats.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { Scope } from '../../tools/permissions/decision.ts';
import type { PermissionQuestion } from '../../tools/policy.ts';

const question = (exact: string, scopes: readonly Scope[] = ['once', 'session', 'always']): PermissionQuestion => ({
  call: { id: 'c1', name: 'bash', args: { command: exact }, source: 'model' },
  verdict: {
    verdict: 'ask',
    reasons: ['it removes files'],
    changes: true,
    needsPerson: false,
    question: { title: 'Run in /work?', titleParts: [], exact, parts: [exact] },
    rememberAs: [],
    scopes,
  },
});

/** Asks for permission and answers with what was said. */
const asking = (exact = 'rm -r ```build```', scopes?: readonly Scope[]): Answer =>
  async function* (request, signal, questions) {
    const answer = await questions.permission(question(exact, scopes), signal);
    yield runEnd(request, `answer: ${answer?.scope ?? 'no'}`);
  };

async function asked(chats: TestChats, chatId = 'anna') {
  await eventually(async () => expect(await chats.said(chatId)).toHaveLength(1));
  const [shown] = await chats.platform.seen(chatId);
  if (!shown) throw new Error('nothing was asked');
  return shown;
}

describe('a permission question', () => {
  it('shows exactly what would run, and why it is asked', async () => {
    const chats = await testChats(asking());
    await chats.start();
    await chats.write('clean up');
    const { text, buttons } = await asked(chats);
    expect(text).toContain('**Run in /work?**\n\n````\nrm -r ```build```\n````\n');
    expect(text).toContain('- it removes files');
    expect(buttons.map(({ label }) => label)).toEqual(['Once', 'This session', 'Always', 'No']);
    expect(buttons.every(({ value }) => value.length <= 60)).toBe(true);
  });

  it.each([
    ['Once', 'once', 'Allowed once (anna).'],
    ['This session', 'session', 'Allowed this session (anna).'],
    ['Always', 'always', 'Allowed always (anna).'],
    ['No', 'no', 'Not allowed (anna).'],
  ])('is answered by the button %s', async (label, answer, ending) => {
    const chats = await testChats(asking());
    await chats.start();
    await chats.write('clean up');
    const { messageId, buttons } = await asked(chats);
    const value = buttons.find((button) => button.label === label)?.value ?? '';
    await chats.platform.press?.({ chatId: 'anna', messageId, value, senderId: 'anna' });
    await chats.says([expect.stringContaining(`**${ending}**`), `answer: ${answer}`]);
    const [concluded] = await chats.platform.seen('anna');
    expect(concluded?.buttons).toEqual([]);
  });

  it.each([
    ['/approve', 'once'],
    ['/approve session', 'session'],
    ['/approve always', 'always'],
    ['/deny', 'no'],
  ])('is answered by %s, while the turn is running', async (command, answer) => {
    const chats = await testChats(asking());
    await chats.start();
    await chats.write('clean up');
    await asked(chats);
    await chats.write(command);
    await chats.says([expect.anything(), `answer: ${answer}`]);
  });

  it('offers only the scopes there are', async () => {
    const chats = await testChats(asking('ls', ['once']));
    await chats.start();
    await chats.write('clean up');
    const { buttons, messageId } = await asked(chats);
    expect(buttons.map(({ label }) => label)).toEqual(['Once', 'No']);
    const value = (buttons[0]?.value ?? '').replace(':once', ':always');
    await chats.platform.press?.({ chatId: 'anna', messageId, value, senderId: 'anna' });
    await chats.says([expect.anything(), 'This can only be allowed once.']);
  });

  it('is a no when nobody answers in time', async () => {
    const chats = await testChats(asking());
    await chats.start({ limits: { approvalMs: 1_500 } });
    await chats.write('clean up');
    await chats.says([expect.stringContaining('Nobody answered in time'), 'answer: no']);
    await chats.write('/approve');
    await chats.says([expect.anything(), 'answer: no', expect.stringContaining('Nothing is waiting')]);
  });

  it('is not answered by somebody who is not the owner, nor from another chat', async () => {
    const chats = await testChats(asking());
    await chats.start({
      admit: async ({ sender }) => ({ allowed: true, isOwner: sender.id !== 'stranger' }),
      settings: async () => ({
        turn: { provider: 'stub', withTools: true, toolMaxSteps: 3, mode: 'ask', caps: {} },
        groups: true,
      }),
    });
    const group = { chatKind: 'group', mentionsBot: true };
    await chats.write('clean up', 'team', { ...group, senderId: 'stranger' });
    const { messageId, buttons } = await asked(chats, 'team');
    const value = buttons[0]?.value ?? '';
    await chats.platform.press?.({ chatId: 'team', messageId, value, senderId: 'stranger' });
    await chats.says([expect.anything(), '`/approve` is for the owner.'], 'team');
    await chats.platform.press?.({ chatId: 'boris', messageId, value, senderId: 'boris' });
    await chats.says([expect.stringContaining('Nothing is waiting')], 'boris');
    await chats.platform.press?.({ chatId: 'team', messageId, value, senderId: 'anna' });
    await chats.says([expect.anything(), expect.anything(), 'answer: once'], 'team');
    expect(chats.asked).toMatchObject([{ taintedBy: ['message'] }]);
  });

  it('goes away when the turn is stopped', async () => {
    const chats = await testChats(asking());
    await chats.start();
    await chats.write('clean up');
    await asked(chats);
    await chats.write('/stop');
    await chats.says([expect.stringContaining('Not needed any more.'), '⏹ Stopped.']);
  });

  it('that was answered elsewhere says by whom and where, and who comes later learns it', async () => {
    const chats = await testChats(asking());
    await chats.start();
    await chats.write('clean up');
    const { messageId, buttons } = await asked(chats);
    const id = chats.hub().questions()[0]?.id ?? '';
    const owner = { place: 'console' as const, name: 'Olga', isOwner: true };
    expect(await chats.hub().answer(id, { kind: 'allow', scope: 'once' }, owner)).toEqual({ kind: 'accepted' });
    await chats.says([expect.stringContaining('**Allowed once (Olga, in the console).**'), 'answer: once']);
    const value = buttons.find(({ label }) => label === 'No')?.value ?? '';
    await chats.platform.press?.({ chatId: 'anna', messageId, value, senderId: 'anna' });
    const ended = 'That question has ended. Allowed once (Olga, in the console).';
    await chats.says([expect.anything(), 'answer: once', ended]);
  });

  it('about a long command shows its beginning, and all of it on request', async () => {
    const chats = await testChats(asking(`echo ${'x'.repeat(20_000)} end-of-it`));
    await chats.start();
    await chats.write('clean up');
    await eventually(async () => expect((await chats.said('anna')).join('')).toContain('/show q-'));
    expect((await chats.said('anna')).join('')).not.toContain('end-of-it');
    await chats.write('/show');
    await eventually(async () => expect((await chats.said('anna')).join('')).toContain('end-of-it'));
    await chats.write('/approve');
    await eventually(async () => expect((await chats.said('anna')).at(-1)).toBe('answer: once'));
  });

  it('comes below what was shown before, and the answer below it', async () => {
    const gate = Promise.withResolvers<void>();
    const chats = await testChats(async function* (request, signal, questions) {
      yield { type: 'text-delta', text: 'Let me see.' };
      await gate.promise;
      const answer = await questions.permission(question('ls'), signal);
      yield runEnd(request, `answer: ${answer?.scope}`);
    });
    await chats.start({ limits: { progressAfterMs: 10, progressEveryMs: 10 } });
    await chats.write('clean up');
    await chats.says(['Let me see.']);
    gate.resolve();
    await eventually(async () => expect((await chats.said()).length).toBeGreaterThanOrEqual(2));
    await chats.write('/approve');
    await eventually(async () => expect((await chats.said()).at(-1)).toBe('answer: once'));
    const said = await chats.said();
    expect(said[0]).toBe('Let me see.');
    expect(said[1]).toContain('Run in /work?');
  });

  it('leaves no sign of work above it', async () => {
    const gate = Promise.withResolvers<void>();
    const call = { id: 'c1', name: 'bash', args: { command: 'npm test' }, source: 'model' as const };
    const chats = await testChats(async function* (request, signal, questions) {
      yield { type: 'tool-start', call };
      await gate.promise;
      const answer = await questions.permission(question('ls'), signal);
      yield runEnd(request, `answer: ${answer?.scope}`);
    });
    await chats.start({ limits: { progressAfterMs: 10, progressEveryMs: 10 } });
    await chats.write('clean up');
    await chats.says(['⏳ bash `npm test`']);
    gate.resolve();
    await eventually(async () => expect((await chats.said())[0]).toBe('⏸ bash `npm test`'));
    await chats.write('/approve');
    await eventually(async () => expect((await chats.said()).at(-1)).toBe('answer: once'));
    expect((await chats.said()).join('\n')).not.toContain('⏳');
  });
});

it('turns that wait for an answer take no place from others', async () => {
  const chats = await testChats(async function* (request, signal, questions) {
    if (request.input === 'ask me') await questions.permission(question('ls'), signal);
    yield runEnd(request, `done: ${request.input}`);
  });
  await chats.start({ limits: { concurrentTurns: 2 } });
  for (const name of ['a', 'b', 'c']) await chats.write('ask me', name);
  for (const name of ['a', 'b', 'c']) await asked(chats, name);
  await chats.write('quick', 'd');
  await chats.says(['done: quick'], 'd');
  await chats.write('/deny', 'b');
  await chats.says([expect.anything(), 'done: ask me'], 'b');
});

it('a turn that is stopped from elsewhere says so in its chat, and the next message is answered', async () => {
  const chats = await testChats(async function* (request, signal) {
    if (request.input === 'wait') await new Promise((resolve) => signal.addEventListener('abort', resolve));
    const failure = { success: false as const, stage: 'cancelled' as const, error: { code: 'CANCELLED', message: '' } };
    yield runEnd(request, `done: ${request.input}`, signal.aborted ? failure : {});
  });
  await chats.start();
  await chats.write('wait');
  await eventually(() => expect(chats.hub().turns()).toHaveLength(1));
  expect(chats.hub().stop(chats.hub().turns()[0]?.id ?? '')).toBe('stopped');
  await chats.says(['⏹ Stopped.']);
  await chats.write('go on');
  await chats.says(['⏹ Stopped.', 'done: go on']);
});
