// Files of settings that are whole, but say what cannot be used: the gateway, MCP servers or rules would fail later.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Check } from '../../src/operations/doctor-texts.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

it.each([
  ['gateway', 'gateway.json', { version: 1, channels: { telegram: { botTokn: 'x' } } }, 'botTokn'],
  ['mcp', 'mcp.json', { mcpServers: { tracker: { comand: 'npx' } } }, '"tracker"'],
  ['permissions', 'permissions.json', { version: 1, allow: ['bash('] }, '"bash("'],
])('doctor names what cannot be used in the settings of %s', async (name, file, content, wrong) => {
  const home = testHome();
  mkdirSync(home.path, { recursive: true, mode: 0o700 });
  writeFileSync(join(home.path, file), JSON.stringify(content), { mode: 0o600 });
  const { code, stdout } = await lainclaw(['doctor'], { home });
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  expect(checks.filter(({ state }) => state === 'problem')).toEqual([
    expect.objectContaining({ name, message: expect.stringContaining(wrong), fix: `edit ${file} in the home` }),
  ]);
  expect(code).toBe(1);
});

it('doctor names a file of settings once that is not JSON', async () => {
  const home = testHome();
  mkdirSync(home.path, { recursive: true, mode: 0o700 });
  writeFileSync(join(home.path, 'gateway.json'), '{', { mode: 0o600 });
  const { checks } = (await lainclaw(['doctor'], { home })).json<{ checks: Check[] }>();
  const problems = checks.filter(({ state }) => state === 'problem');
  expect(problems.map(({ name }) => name)).toEqual(['files']);
});

it.each([
  ['a variable', { LAINCLAW_LANG: 'xx' }, '{}', 'give the variable a value that is accepted, or unset it'],
  ['config.json', {}, '{"language":"xx"}', 'edit config.json in the home'],
  ['both', { LAINCLAW_LANG: 'xx' }, '{"language":"xx"}', 'edit config.json in the home'],
  ['a newer config.json', {}, '{"version":99}', 'upgrade lainclaw', ['99', 'STORAGE_NEWER_VERSION']],
])('doctor says where a setting is wrong, and by which code: %s', async (_name, env, content, fix, said = []) => {
  const [words = '"xx"', error = 'CONFIG_INVALID'] = said;
  const home = testHome();
  mkdirSync(home.path, { recursive: true, mode: 0o700 });
  writeFileSync(join(home.path, 'config.json'), content, { mode: 0o600 });
  const { checks } = (await lainclaw(['doctor'], { home, env })).json<{ checks: Check[] }>();
  expect(checks.filter(({ name }) => name === 'config')).toEqual([
    expect.objectContaining({
      state: 'problem',
      fix,
      finding: { code: 'error', values: { detail: expect.stringContaining(words), error } },
    }),
  ]);
});
