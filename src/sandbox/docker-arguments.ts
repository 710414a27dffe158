// The command line of `docker run`: a container that sees only the parts of the host that the profile names.
import type { Mount } from './mounts.ts';
import type { Limits } from './sandbox.ts';

export interface DockerCommand {
  docker: string;
  image: string;
  name: string;
  /** "1000:1000": files in the workspace stay the person's. */
  user: string;
  argv: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  hasInput: boolean;
  mounts: readonly Mount[];
  limits: Limits;
  cpus: number;
}

const EMPTY_BYTES = 1_048_576;
/** Variables of the host that are wrong inside. The image's own PATH is kept. */
const NOT_PASSED = ['PATH', 'HOME', 'SHELL', 'TMPDIR'];

export function dockerArguments(command: DockerCommand): string[] {
  const { docker, image, name, user, argv, cwd, env, hasInput, mounts, limits, cpus } = command;
  return [
    ...[docker, 'run', '--rm', '--init', '--name', name, '--pull', 'never'],
    ...(hasInput ? ['--interactive'] : []),
    ...['--network', 'none', '--read-only', '--cap-drop', 'ALL'],
    ...['--security-opt', 'no-new-privileges', '--ipc', 'private', '--user', user],
    ...['--memory', String(limits.memoryBytes), '--memory-swap', String(limits.memoryBytes)],
    ...['--pids-limit', String(limits.processes), '--cpus', String(cpus)],
    ...['--ulimit', `cpu=${limits.cpuSeconds}:${limits.cpuSeconds + 1}`],
    ...['--ulimit', `fsize=${limits.fileSizeBytes}`, '--ulimit', 'core=0'],
    ...mountOption('type=tmpfs', 'destination=/tmp', `tmpfs-size=${limits.memoryBytes}`, 'tmpfs-mode=1777'),
    ...mounts.flatMap((mount) => mountArguments(mount, limits)),
    ...Object.entries({ ...env, HOME: '/tmp', TMPDIR: '/tmp' }).flatMap(([key, value]) =>
      NOT_PASSED.includes(key) && value === env[key] ? [] : ['--env', `${key}=${value}`],
    ),
    ...['--workdir', cwd, image],
    ...argv,
  ];
}

function mountArguments({ path, access, isDirectory }: Mount, limits: Limits): string[] {
  switch (access) {
    case 'read-write':
      return mountOption('type=bind', `source=${path}`, `destination=${path}`);
    case 'read-only':
      return mountOption('type=bind', `source=${path}`, `destination=${path}`, 'readonly');
    case 'private':
      return mountOption('type=tmpfs', `destination=${path}`, `tmpfs-size=${limits.memoryBytes}`);
    case 'empty':
      return isDirectory
        ? mountOption('type=tmpfs', `destination=${path}`, `tmpfs-size=${EMPTY_BYTES}`, 'tmpfs-mode=0555')
        : mountOption('type=bind', 'source=/dev/null', `destination=${path}`, 'readonly');
  }
}

/** The engine reads the option as a line of CSV. */
function mountOption(...fields: string[]): string[] {
  return [
    '--mount',
    fields.map((field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(','),
  ];
}
