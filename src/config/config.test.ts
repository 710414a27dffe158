import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testHome } from '../../test/support/test-home.ts';
import { createCurrentConfig } from './config.ts';

it('a process that lasts has the settings as they are now, and reads an unchanged file once', async () => {
  const home = testHome();
  home.config({ provider: 'openai' });
  const path = join(home.path, 'config.json');
  const current = createCurrentConfig({ home: home.path, cwd: home.path, variables: {} });
  const first = await current();
  expect(first).toMatchObject({ provider: 'openai', isProviderSet: true });
  expect(await current()).toBe(first);
  writeFileSync(path, JSON.stringify({ provider: 'anthropic', model: 'one' }));
  expect(await current()).toMatchObject({ provider: 'anthropic', model: 'one' });
  writeFileSync(path, '{');
  await expect(current()).rejects.toThrow('config.json');
  await expect(current()).rejects.toThrow('config.json');
  rmSync(path);
  expect(await current()).toMatchObject({ provider: 'stub', isProviderSet: false });
});
