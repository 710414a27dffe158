// Error messages of bubblewrap on machines that restrict it, and the fix for each.

export const PROGRAMS_MISSING =
  'install it: "apt install bubblewrap util-linux coreutils", "dnf install bubblewrap util-linux" or the like';

const CAUSES: readonly (readonly [said: RegExp, fix: string])[] = [
  [
    /uid map: Permission denied|loopback: Failed RTM_NEWADDR/i,
    'AppArmor forbids user namespaces here (Ubuntu 24.04 and later): install the profile bwrap-userns-restrict of the package apparmor-profiles, or run "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"',
  ],
  [
    /No permissions to creat|Creating new namespace failed|Operation not permitted|max_user_namespaces|No space left/i,
    'user namespaces are switched off: run "sudo sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=15000"; inside a container start it with "--security-opt seccomp=unconfined --security-opt systempaths=unconfined", or use the docker sandbox',
  ],
  [/Unknown option/i, 'update bubblewrap to 0.6 or later'],
];

export function explainFailure(said: string): { reason: string; fix: string } {
  const cause = CAUSES.find(([pattern]) => pattern.test(said));
  return { reason: said, fix: cause?.[1] ?? 'run "bwrap --ro-bind / / --unshare-all true" to see what is refused' };
}
