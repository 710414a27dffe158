// Where a gateway cannot be restarted from inside. systemd ends every process of a unit and a container every process in it, also one that
// was to start the gateway again.

export interface GatewayPlace {
  pid: number;
  parentPid: number;
  /** The text of /proc/self/cgroup; empty where there is none. */
  cgroup: string;
  /** The text of /proc/1/cmdline: in a container an init process may have started the gateway. */
  firstCommand: string;
}

/** Why it cannot, and the command that can; undefined where nothing is in the way. */
export function restartObstacle({ pid, parentPid, cgroup, firstCommand }: GatewayPlace): string | undefined {
  if (pid === 1 || (parentPid === 1 && firstCommand.includes('lainclaw')))
    return 'this gateway ends with its container: restart the container, for example with "docker restart <container>"';
  const unit = unitOf(cgroup);
  if (unit === undefined) return undefined;
  const command = unit.isOfUser ? 'systemctl --user restart' : 'sudo systemctl restart';
  return `the system runs this gateway: restart it with "${command} ${unit.name}"`;
}

/** The innermost unit, where that is a service. Terminals and sign-ins are scopes, inside the service of their user. */
function unitOf(cgroup: string): { name: string; isOfUser: boolean } | undefined {
  for (const line of cgroup.split('\n')) {
    const names = line.slice(line.lastIndexOf(':') + 1).split('/');
    const unit = names.findLast((name) => /\.(service|scope)$/.test(name)) ?? '';
    if (unit.endsWith('.service') && !unit.startsWith('user@'))
      return { name: unit.slice(0, -'.service'.length), isOfUser: names.some((name) => name.startsWith('user@')) };
  }
  return undefined;
}
