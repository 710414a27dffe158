import { describe, expect, it } from 'vitest';
import { testHome } from '../../test/support/test-home.ts';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import { lastOfProject, newProjectKey } from './project-session.ts';
import { sessionKeyProblem } from './session-key.ts';

async function setUp(entries: [key: string, workspace: string | undefined][]) {
  const storage = createLocalStorage({ home: testHome().path, now: Date.now });
  let time = 0;
  for (const [sessionKey, workspace] of entries) {
    time += 1;
    const updatedAt = `2026-01-01T00:00:${String(time).padStart(2, '0')}.000Z`;
    const entry = { sessionKey, sessionId: `session-${time}`, createdAt: updatedAt, updatedAt };
    await storage.catalogue.put({ ...entry, ...(workspace !== undefined && { workspace }) });
  }
  return storage;
}

describe('the conversation of a folder', () => {
  it('is the last used one that was begun there, by a person', async () => {
    const { catalogue, close } = await setUp([
      ['payments', '/projects/payments'],
      ['review', '/projects/payments'],
      ['other', '/projects/other'],
      ['old', undefined],
      ['main', '/projects/payments'],
      ['schedule:daily', '/projects/payments'],
    ]);
    expect((await lastOfProject(catalogue, '/projects/payments'))?.sessionKey).toBe('review');
    expect(await lastOfProject(catalogue, '/work')).toBeUndefined();
    await close();
  });

  it('is found behind many of others', async () => {
    const platform = Array.from({ length: 55 }, (_, index): [string, string] => [`telegram:${index}`, '/projects/a']);
    const { catalogue, close } = await setUp([['a', '/projects/a'], ...platform]);
    expect((await lastOfProject(catalogue, '/projects/a'))?.sessionKey).toBe('a');
    await close();
  });

  it.each([
    ['/projects/payments', [], 'payments'],
    ['/projects/payments', ['payments', 'payments-2'], 'payments-3'],
    ['/projects/main', [], 'main-2'],
    ['/', [], 'project'],
    ['/projects/.config', [], 'config'],
    ['/projects/My Project (2)', [], 'My-Project-2'],
    ['/projects/支付 服务', [], '支付-服务'],
    ['/projects/🎉', [], 'project'],
    [`/projects/${'长'.repeat(80)}`, [], '长'.repeat(60)],
  ])('in %s, with %j taken, is called %s', async (folder, taken, expected) => {
    const { catalogue, close } = await setUp(taken.map((key) => [key, undefined]));
    const key = await newProjectKey(catalogue, folder);
    expect(key).toBe(expected);
    expect(sessionKeyProblem(key)).toBeUndefined();
    await close();
  });
});
