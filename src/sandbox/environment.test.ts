import { expect, test } from 'vitest';
import { commandEnvironment } from './environment.ts';
import { toolchainsOf } from './toolchains.ts';

test('keys, tokens, agents and preloads do not pass; what programs need does', () => {
  const passed = commandEnvironment({
    ...{ PATH: '/bin', HOME: '/home/a', LANG: 'ru_RU.UTF-8', LC_TIME: 'C', NVM_DIR: '/home/a/.nvm', TZ: undefined },
    ...{ OPENAI_API_KEY: 'sk', GITHUB_TOKEN: 'gh', AWS_SECRET_ACCESS_KEY: 'aws', LAINCLAW_HOME: '/x', PASSWORD: 'p' },
    ...{
      SSH_AUTH_SOCK: '/run/x',
      DBUS_SESSION_BUS_ADDRESS: 'unix:',
      LD_PRELOAD: 'x.so',
      NODE_OPTIONS: '-r x',
      BASH_ENV: 'x',
    },
    ...{ XDG_RUNTIME_DIR: '/run/user/1', http_proxy: 'http://user:pass@proxy', LC_SECRET_1: 'x', DOCKER_HOST: 'x' },
  });
  expect(passed).toEqual({
    ...{ PATH: '/bin', HOME: '/home/a', LANG: 'ru_RU.UTF-8', LC_TIME: 'C', NVM_DIR: '/home/a/.nvm' },
    ...{ PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0', GIT_DISCOVERY_ACROSS_FILESYSTEM: '1' },
    ...{ DEBIAN_FRONTEND: 'noninteractive', TMPDIR: '/tmp' },
  });
});

test('a directory on PATH shows its installation, never the home', () => {
  const path = '/home/a:/home/a/bin:/home/a/x/bin:/home/a/y:/home/ab/bin:/usr/bin:/home/a/.cargo/bin:relative';
  const all = (searchPath: string): string[] => toolchainsOf('/home/a', searchPath, () => true);
  const added = all(path).filter((at) => !all('').includes(at));
  expect(added).toEqual(['/home/a/x', '/home/a/y']);
});
