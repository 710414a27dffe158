// What doctor says where commands cannot be confined.
import { expect, it } from 'vitest';
import { lainclaw, runBinary } from '../support/lainclaw.ts';
import { canMount } from '../support/mounts.ts';
import { testHome } from '../support/test-home.ts';

interface Check {
  name: string;
  state: string;
  message: string;
  fix: string;
}

const sandboxIn = (answer: { checks: Check[] }): Check | undefined =>
  answer.checks.find(({ name }) => name === 'sandbox');

// As in a container: bubblewrap is installed, and the kernel gives it no namespace.
const withoutNamespaces = [
  'unshare',
  '-Ur',
  'sh',
  '-c',
  'echo 0 > /proc/sys/user/max_mnt_namespaces; exec "$@"',
  'sh',
] as const;

it.skipIf(!canMount)(
  'where the kernel refuses bubblewrap its namespaces, the reason and the way out are named',
  async () => {
    const { json } = await runBinary(['doctor'], { home: testHome(), wrapper: [...withoutNamespaces] });
    const check = sandboxIn(json());
    expect(check).toMatchObject({
      state: 'advice',
      message: expect.stringMatching(/^none, bubblewrap does not work here \(.*namespace/),
      fix: expect.stringContaining('inside a container start it with "--security-opt seccomp=unconfined'),
    });
    expect(check?.fix).not.toContain('install');
  },
);

it('where the owner switched it off, doctor says how to switch it on', async () => {
  const home = testHome();
  home.config({ sandbox: 'none' });
  expect(sandboxIn((await lainclaw(['doctor'], { home })).json())).toMatchObject({
    state: 'advice',
    message: expect.stringMatching(/^none, it is switched off/),
    fix: 'lainclaw config set sandbox auto',
  });
});
