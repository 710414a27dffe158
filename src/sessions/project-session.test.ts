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
      ['payments', '/work/payments'],
      ['review', '/work/payments'],
      ['other', '/work/other'],
      ['old', undefined],
      ['main', '/work/payments'],
      ['schedule:daily', '/work/payments'],
    ]);
    expect((await lastOfProject(catalogue, '/work/payments'))?.sessionKey).toBe('review');
    expect(await lastOfProject(catalogue, '/work')).toBeUndefined();
    await close();
  });

  it('is found behind many of others', async () => {
    const platform = Array.from({ length: 55 }, (_, index): [string, string] => [`telegram:${index}`, '/work/a']);
    const { catalogue, close } = await setUp([['a', '/work/a'], ...platform]);
    expect((await lastOfProject(catalogue, '/work/a'))?.sessionKey).toBe('a');
    await close();
  });

  it.each([
    ['/work/payments', [], 'payments'],
    ['/work/payments', ['payments', 'payments-2'], 'payments-3'],
    ['/work/main', [], 'main-2'],
    ['/', [], 'project'],
    ['/work/.config', [], 'config'],
    ['/work/My Project (2)', [], 'My-Project-2'],
    ['/work/支付 服务', [], '支付-服务'],
    ['/work/🎉', [], 'project'],
    [`/work/${'长'.repeat(80)}`, [], '长'.repeat(60)],
  ])('in %s, with %j taken, is called %s', async (folder, taken, expected) => {
    const { catalogue, close } = await setUp(taken.map((key) => [key, undefined]));
    const key = await newProjectKey(catalogue, folder);
    expect(key).toBe(expected);
    expect(sessionKeyProblem(key)).toBeUndefined();
    await close();
  });
});
