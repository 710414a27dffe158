import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testOperations } from '../../test/support/test-operations.ts';

describe('permission rules', () => {
  it('are listed by where they hold, removed there, and the error says where else a rule is', async () => {
    const { invoke, folder: made } = await testOperations();
    const folder = join(made, 'project');
    expect(await invoke('permissions.add', { rule: 'bash(make)' })).toEqual({
      rule: 'bash(make)',
      added: true,
      inactive: false,
      folder,
    });
    await invoke('permissions.add', { rule: 'bash(rm *)', list: 'deny', global: true });
    await invoke('permissions.add', { rule: 'crawl(x)', global: true });
    await invoke('permissions.add', { rule: 'bash(make)', folder: '/gone/project' });
    expect(await invoke('permissions.list')).toEqual({
      folder,
      workspace: { allow: ['bash(make)'], ask: [], deny: [] },
      global: { allow: ['crawl(x)'], ask: [], deny: ['bash(rm *)'] },
      others: [{ folder: '/gone/project', allow: ['bash(make)'], ask: [], deny: [] }],
      inactive: ['crawl(x)'],
    });
    await expect(invoke('permissions.remove', { rule: 'bash(rm *)' })).rejects.toMatchObject({
      code: 'NO_SUCH_RULE',
      message: expect.stringContaining('--global'),
    });
    await invoke('permissions.remove', { rule: 'bash(rm *)', global: true });
    await invoke('permissions.remove', { rule: 'bash(make)' });
    await expect(invoke('permissions.remove', { rule: 'bash(make)' })).rejects.toMatchObject({
      message: expect.stringContaining('--folder /gone/project'),
    });
    await invoke('permissions.remove', { rule: 'bash(make)', folder: '/gone/project' });
    expect(await invoke('permissions.list')).toMatchObject({
      workspace: { allow: [] },
      global: { deny: [] },
      others: [],
    });
  });

  it('with a mistake are refused and nothing is changed', async () => {
    const { invoke, folder } = await testOperations();
    await expect(invoke('permissions.add', { rule: 'bash(a && b)' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(/^"bash\(a && b\)"/),
    });
    mkdirSync(join(folder, 'home'), { recursive: true });
    const path = join(folder, 'home', 'permissions.json');
    writeFileSync(path, '{"version":1,"alow":[]}');
    await expect(invoke('permissions.list')).rejects.toMatchObject({ message: expect.stringContaining('"allow"') });
    await expect(invoke('permissions.add', { rule: 'bash(make)' })).rejects.toMatchObject({
      code: 'INVALID_PERMISSIONS',
    });
    expect(readFileSync(path, 'utf8')).toBe('{"version":1,"alow":[]}');
  });
});
