import { expect, it } from 'vitest';
import { type BackgroundRequest, readBackgroundRequest } from '../agents/spawn.ts';
import { sessionKeyProblem } from '../sessions/session-key.ts';
import type { AgentRun } from '../storage/agent-runs.ts';
import type { Asker } from '../vocabulary/asker.ts';
import { askInBackground, sessionKeyOfRun } from './background-turn.ts';
import type { AskRequest, Gateway } from './gateway.ts';

const chat = (name: string): Asker => ({ kind: 'chat', chat: name });

it('a name has a conversation for each chat that uses it, and one for everything else', async () => {
  const asked: AskRequest[] = [];
  const gateway = {
    async ask(request: AskRequest) {
      asked.push(request);
      throw new Error('enough');
    },
  } as unknown as Gateway;
  const askers: Asker[] = [
    { kind: 'nobody' },
    { kind: 'owner', chat: 'telegram:1' },
    chat('telegram:1'),
    chat('telegram:2'),
    chat('telegram:-1/45'),
    chat('telegram/work:1'),
  ];
  for (const asker of askers) {
    const run = { name: 'research', message: 'm', asker } as AgentRun;
    await expect(
      askInBackground(gateway, run, {} as BackgroundRequest, {}, new AbortController().signal),
    ).rejects.toThrow('enough');
  }
  expect(asked.map(({ sessionKey }) => sessionKey)).toEqual([
    'subagent:research',
    'subagent:research',
    'subagent:research:telegram:1',
    'subagent:research:telegram:2',
    'subagent:research:telegram:default:-1:45',
    'subagent:research:telegram:work:1',
  ]);
});

it('the longest name in the longest chat is a key', () => {
  const key = sessionKeyOfRun({ name: 'a'.repeat(64), asker: chat(`local:${'界'.repeat(500)}`) });
  expect(sessionKeyProblem(key)).toBeUndefined();
});

it('a run that an earlier version queued keeps its taint, and one that does not say is tainted', () => {
  const tainted = (request: object): boolean => readBackgroundRequest(JSON.stringify(request)).tainted;
  expect([{ marked: false }, { marked: true }, { tainted: false }, { tainted: true }, {}].map(tainted)).toEqual([
    false,
    true,
    false,
    true,
    true,
  ]);
});
