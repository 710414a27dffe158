import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ChatPerson } from '../../storage/mailbox.ts';
import type { Asker } from '../../vocabulary/asker.ts';
import type { ChatKey } from '../../vocabulary/chat-name.ts';
import { chatName } from '../../vocabulary/chat-name.ts';
import { type AnswerBot, answerTarget } from './answer-target.ts';

const bot = (account: string, ...sendAllow: string[]): AnswerBot =>
  ({ channel: 'local', account, settings: { sendAllow } }) as unknown as AnswerBot;
const direct = (id: string): ChatPerson => ({ id, chatKind: 'direct' });

interface World {
  bots?: AnswerBot[];
  /** By the name of the chat. */
  people?: Record<string, ChatPerson[]>;
  sessions?: string[];
  admitted?: string[];
}

async function verdict(chat: string, asker: Asker, world: World = {}): Promise<string> {
  const { bots = [bot('default')], people = {}, sessions = [], admitted = [] } = world;
  const target = await answerTarget(chat, asker, {
    bots: () => bots,
    access: { stillAdmits: async ({ id }) => admitted.includes(id) },
    people: async (key: ChatKey) => people[chatName(key)] ?? [],
    hasSession: async (key) => sessions.includes(chatName(key)),
  });
  return target.ok ? chatName(target.chat) : target.reason;
}

const anna = { people: { 'local:anna': [direct('anna')] }, sessions: ['local:anna'], admitted: ['anna'] };
const asked = (chat: string): Asker => ({ kind: 'chat', chat });
const named = (chat: string): Asker => ({ kind: 'owner', chat });

it('a chat gets what was asked for in it, and nothing that was asked for elsewhere or by nobody', async () => {
  expect(await verdict('local:anna', asked('local:anna'), anna)).toBe('local:anna');
  expect(await verdict('local/default:anna', asked('local:anna'), anna)).toBe('local:anna');
  for (const asker of [asked('local:bob'), asked('local/work:anna'), named('local:bob'), { kind: 'nobody' } as const])
    expect(await verdict('local:anna', asker, anna)).toMatch(
      /^local:anna may not be written to: .*sendAllow=local:anna/,
    );
});

it('a chat does not learn which others the owner has listed', async () => {
  const world = { bots: [bot('default', 'local:secret')] };
  const told = await verdict('local:bob', asked('local:anna'), world);
  expect(told).toContain('sendAllow=<what it holds>,local:bob');
  expect(told).not.toContain('secret');
  expect(await verdict('local:bob', named('local:anna'), world)).toContain('sendAllow=local:secret,local:bob');
});

it('a revoked person gets nothing more, asked for by themselves or by the owner', async () => {
  for (const asker of [asked('local:anna'), named('local:anna')])
    expect(await verdict('local:anna', asker, { ...anna, admitted: [] })).toMatch(/nobody there is admitted any more/);
});

it('in a group one person who is still admitted is enough', async () => {
  const people = { 'local:team': [direct('gone'), direct('anna')] };
  expect(await verdict('local:team', asked('local:team'), { people, admitted: ['anna'] })).toBe('local:team');
});

it('the owner reaches chats the bot talks with, also those from before people were kept, and no other', async () => {
  expect(await verdict('local:anna', named('local:anna'), anna)).toBe('local:anna');
  expect(await verdict('local:old', named('local:old'), { sessions: ['local:old'] })).toBe('local:old');
  expect(await verdict('local:new', named('local:new'), anna)).toMatch(
    /sendAllow=local:new.*once somebody has written/,
  );
  // Only the owner's word counts where nobody is known.
  expect(await verdict('local:old', asked('local:old'), { sessions: ['local:old'] })).toMatch(/may not be written to/);
});

it('a listed chat is open to all, through the bot that lists it; the command keeps what is listed', async () => {
  const bots = [bot('default', 'local:x'), bot('work', 'local/work:team')];
  expect(await verdict('local:x', { kind: 'nobody' }, { bots })).toBe('local:x');
  expect(await verdict('local/work:team', { kind: 'nobody' }, { bots })).toBe('local/work:team');
  expect(await verdict('local/work:x', { kind: 'nobody' }, { bots })).toContain(
    'sendAllow=local:x,local/work:team,local/work:x',
  );
});

it('a topic gets what was asked for in it, not what was asked for in another or outside of topics', async () => {
  const people = { 'local:team/45': [direct('anna')], 'local:team': [direct('anna')] };
  const world = { people, admitted: ['anna'] };
  expect(await verdict('local:team/45', asked('local:team/45'), world)).toBe('local:team/45');
  for (const from of ['local:team', 'local:team/46'])
    expect(await verdict('local:team/45', asked(from), world)).toContain('sendAllow=local:team/45');
  const bots = [bot('default', 'local:team', 'local:other/7')];
  for (const topic of ['local:team/45', 'local:other/7'])
    expect(await verdict(topic, { kind: 'nobody' }, { bots })).toBe(topic);
  expect(await verdict('local:other', { kind: 'nobody' }, { bots })).toContain('may not be written to');
});

it('a bot that is gone writes to nobody', async () => {
  expect(await verdict('local:anna', asked('local:anna'), { ...anna, bots: [] })).toContain('no channel "local"');
  expect(await verdict('local:anna', asked('local:anna'), { ...anna, bots: [bot('work')] })).toContain('sendAllow');
  expect(await verdict('nonsense', { kind: 'nobody' })).toContain('is not a chat');
});

it('an unlisted chat gets nothing unless it is the asker’s own and somebody there is admitted', async () => {
  const names = fc.constantFrom('local:a', 'local:b', 'local/work:a', 'feishu:a');
  const askers = fc.oneof<fc.Arbitrary<Asker>[]>(fc.constant({ kind: 'nobody' }), names.map(asked), names.map(named));
  const worlds = fc.record({
    people: fc.dictionary(names, fc.array(fc.constantFrom('p', 'q').map(direct), { minLength: 1, maxLength: 2 })),
    admitted: fc.subarray(['p', 'q']),
    sessions: fc.subarray(['local:a', 'local:b']),
  });
  await fc.assert(
    fc.asyncProperty(names, askers, worlds, async (chat, asker, world) => {
      const isSent = (await verdict(chat, asker, { bots: [bot('default'), bot('work')], ...world })) === chat;
      const isOwn = asker.kind !== 'nobody' && asker.chat === chat;
      const known = world.people[chat] ?? [];
      const isOpen = known.some(({ id }) => world.admitted.includes(id));
      const isOld = asker.kind === 'owner' && known.length === 0 && world.sessions.includes(chat);
      expect(isSent).toBe(isOwn && (isOpen || isOld) && !chat.startsWith('feishu'));
    }),
  );
});
