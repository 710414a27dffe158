import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readEnvironment } from './environment.ts';

it.each([
  [{}, homedir(), join(homedir(), '.lainclaw')],
  [{ HOME: '/home/a' }, '/home/a', '/home/a/.lainclaw'],
  [{ LAINCLAW_HOME: '' }, homedir(), join(homedir(), '.lainclaw')],
  [{ LAINCLAW_HOME: '/srv/lain' }, homedir(), '/srv/lain'],
  [{ HOME: '/home/a', LAINCLAW_HOME: 'here' }, '/home/a', '/srv/dir/here'],
  [{ LAINCLAW_HOME: '../there' }, homedir(), '/srv/there'],
])('with %j the homes are %s and %s', (variables, userHome, home) => {
  const now = (): number => 5;
  expect(readEnvironment({ variables, cwd: '/srv/dir', program: ['node', 'entry'], version: '1.2.3', now })).toEqual({
    home,
    userHome,
    cwd: '/srv/dir',
    variables,
    program: ['node', 'entry'],
    version: '1.2.3',
    now,
  });
});
