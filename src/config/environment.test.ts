import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readEnvironment } from './environment.ts';

it.each([
  [{}, join(homedir(), '.lainclaw')],
  [{ LAINCLAW_HOME: '' }, join(homedir(), '.lainclaw')],
  [{ LAINCLAW_HOME: '/srv/lain' }, '/srv/lain'],
  [{ LAINCLAW_HOME: 'here' }, '/srv/dir/here'],
  [{ LAINCLAW_HOME: '../there' }, '/srv/there'],
])('with %j the home is %s', (variables, home) => {
  expect(readEnvironment(variables, '/srv/dir', ['node', 'entry'], '1.2.3')).toEqual({
    home,
    cwd: '/srv/dir',
    variables,
    program: ['node', 'entry'],
    version: '1.2.3',
  });
});
