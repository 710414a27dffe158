import { expect, it } from 'vitest';
import { type GatewayPlace, restartObstacle } from './restart-obstacle.ts';

const USER = '/user.slice/user-1000.slice/user@1000.service/app.slice';

it.each<[where: string, place: Partial<GatewayPlace>, command: string | undefined]>([
  ['a terminal of a desktop', { cgroup: `0::${USER}/vte-spawn-1.scope\n` }, undefined],
  ['a sign-in over the network', { cgroup: '0::/user.slice/user-1000.slice/session-3.scope\n' }, undefined],
  ['a process that outlived its terminal', { cgroup: '0::/\n', parentPid: 1 }, undefined],
  ['a system without cgroups', {}, undefined],
  ['our unit', { cgroup: `0::${USER}/lainclaw-gateway.service\n` }, 'systemctl --user restart lainclaw-gateway'],
  ['another unit of the user', { cgroup: `0::${USER}/bots.service/main\n` }, 'systemctl --user restart bots'],
  ['a unit of the system', { cgroup: '0::/system.slice/lain@work.service\n' }, 'sudo systemctl restart lain@work'],
  ['cgroups of version 1', { cgroup: '2:cpu:/\n1:name=systemd:/system.slice/lain.service\n' }, 'restart lain'],
  ['the first process of a container', { pid: 1, parentPid: 0, cgroup: '0::/\n' }, 'docker restart'],
  [
    'a container with an init process',
    { parentPid: 1, firstCommand: 'tini\0--\0lainclaw\0gateway\0' },
    'docker restart',
  ],
  ['a container that somebody works in', { parentPid: 1, firstCommand: 'sleep\0infinity\0' }, undefined],
])('%s', (_, place, command) => {
  const obstacle = restartObstacle({ pid: 500, parentPid: 400, cgroup: '', firstCommand: '/sbin/init', ...place });
  if (command === undefined) expect(obstacle).toBeUndefined();
  else expect(obstacle).toContain(command);
});
