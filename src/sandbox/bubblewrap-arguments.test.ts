import { expect, test } from 'vitest';
import { TRIAL_LIMITS } from '../../test/support/sandbox-trial.ts';
import { bubblewrapArguments, featuresOf } from './bubblewrap-arguments.ts';

const base = {
  ...{ bwrap: '/usr/bin/bwrap', prlimit: '/usr/bin/prlimit', argv: ['ls', '-l'], cwd: '/work' },
  ...{ limits: TRIAL_LIMITS, limitsProcesses: true, ownLimits: '', filters: true },
  features: { size: true, disableUserNamespaces: true },
};

test('the whole command line', () => {
  const argv = bubblewrapArguments({
    ...base,
    mounts: [
      { path: '/home', access: 'empty', isDirectory: true },
      { path: '/tmp', access: 'private', isDirectory: true },
      { path: '/etc/shadow', access: 'empty', isDirectory: false },
      { path: '/home/a/.nvm', access: 'read-only', isDirectory: true },
      { path: '/home/a/work', access: 'read-write', isDirectory: true },
    ],
  });
  expect(argv.join(' ')).toBe(
    [
      '/usr/bin/bwrap --unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup --unshare-net',
      '--disable-userns --die-with-parent --new-session --cap-drop ALL --ro-bind / / --proc /proc --dev /dev',
      '--perms 1777 --size 268435456 --tmpfs /dev/shm --perms 0555 --size 1048576 --tmpfs /home',
      '--perms 1777 --size 1073741824 --tmpfs /tmp --ro-bind /dev/null /etc/shadow',
      '--ro-bind /home/a/.nvm /home/a/.nvm --bind /home/a/work /home/a/work --remount-ro /proc --remount-ro /dev',
      '--json-status-fd 3 --block-fd 4 --seccomp 5 --chdir /work --',
      '/usr/bin/prlimit --core=0 --data=18253611008 --fsize=67108864 --cpu=30:31 --nproc=128 -- ls -l',
    ].join(' '),
  );
});

test('options that an old bubblewrap does not know are left out', () => {
  expect(featuresOf('bubblewrap 0.6.1')).toEqual({ size: false, disableUserNamespaces: false });
  expect(featuresOf('bubblewrap 0.7.0')).toEqual({ size: true, disableUserNamespaces: false });
  expect(featuresOf('bubblewrap 1.0')).toEqual({ size: true, disableUserNamespaces: true });
  expect(featuresOf('something else')).toBeUndefined();
  const features = { size: false, disableUserNamespaces: false };
  const argv = bubblewrapArguments({ ...base, mounts: [], limitsProcesses: false, features });
  for (const option of ['--size', '--disable-userns']) expect(argv).not.toContain(option);
  expect(argv).toContain('--unshare-net');
  expect(argv.join(' ')).not.toContain('--nproc');
});
