import { expect, it } from 'vitest';
import { sessionKeyProblem } from '../sessions/session-key.ts';
import type { Asker } from '../vocabulary/asker.ts';
import { jobSessionKey } from './job-turn.ts';

it('the owner’s jobs have one conversation for each name, those of other people one for each chat', () => {
  const askers: Asker[] = [
    { kind: 'nobody' },
    { kind: 'owner', chat: 'telegram:1' },
    { kind: 'chat', chat: 'telegram:1', scope: 'owner' },
    { kind: 'chat', chat: 'telegram:2', scope: 'person:telegram:2' },
    { kind: 'chat', chat: 'telegram:3' },
  ];
  expect(askers.map((asker) => jobSessionKey({ name: 'morning', asker }))).toEqual([
    'schedule:morning',
    'schedule:morning',
    'schedule:morning',
    'schedule:morning:telegram:2',
    'schedule:morning:telegram:3',
  ]);
});

it('the longest name in the longest chat is a key', () => {
  const asker: Asker = { kind: 'chat', chat: `local:${'界'.repeat(500)}` };
  for (const name of ['a'.repeat(100), '界'.repeat(100)])
    expect(sessionKeyProblem(jobSessionKey({ name, asker }))).toBeUndefined();
});
