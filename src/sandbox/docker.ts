// The second sandbox: a container for each command. It sees only the workspace, the scratch directory and the profile's
// read-only paths of the host; programs come from the image, which a command never downloads.
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { dockerArguments } from './docker-arguments.ts';
import { findProgram, SYSTEM_DIRECTORIES } from './find-program.ts';
import { type Guards, guardWorkspace, type Leases } from './guards.ts';
import { createInherited } from './inherited.ts';
import { type Mount, planMounts, withGuards } from './mounts.ts';
import { isInside, realPath } from './path-inside.ts';
import { mkfifoWith, openOutputPipes } from './pipes.ts';
import { createLeaseNames } from './placeholders.ts';
import { checkCommand, type Launch, runProcess, startProcess } from './run-process.ts';
import type { Availability, Finished, Profile, RunOptions, Sandbox, SandboxCommand } from './sandbox.ts';
import { SandboxError } from './sandbox.ts';

export interface DockerDependencies {
  /** The image must be present: "docker pull" is the owner's decision. */
  image: string;
  /** "1000:1000". */
  user: string;
  cpus: number;
  userHome: string;
  lainclawHome: string;
  hide?: readonly string[];
  /** A private directory for pipes; nothing is left in it. */
  temporary: string;
  newId(prefix: string): string;
  /** For the client: DOCKER_HOST, DOCKER_CONTEXT, HOME. */
  variables: Readonly<Record<string, string | undefined>>;
  directories?: readonly string[];
}

const CLIENT_VARIABLES = ['DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'DOCKER_CERT_PATH', 'DOCKER_TLS_VERIFY'];
const ASK_MS = 10_000;
/** Exit code of the client when the engine refused. */
const ENGINE_REFUSED = 125;

export function createDocker(dependencies: DockerDependencies): Sandbox {
  const { image, user, cpus, temporary, newId, directories = SYSTEM_DIRECTORIES } = dependencies;
  const inherited = createInherited();
  const leases: Leases = { newLease: createLeaseNames(newId), inWorkspaces: new Set() };
  const clientEnvironment = Object.fromEntries(
    ['HOME', 'PATH', ...CLIENT_VARIABLES].flatMap((name) => {
      const value = dependencies.variables[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

  function program(name: string): string {
    const path = findProgram(name, directories);
    if (!path) throw new SandboxError('unavailable', `${name} was not found in ${directories.join(', ')}`);
    return path;
  }

  function ask(...rest: string[]): Promise<{ stdout: string }> {
    return promisify(execFile)(program('docker'), rest, { env: clientEnvironment, timeout: ASK_MS });
  }

  async function run(command: SandboxCommand, options: RunOptions): Promise<Finished> {
    checkCommand(command);
    const docker = program('docker');
    const mkfifo = program('mkfifo');
    const name = newId('lainclaw');
    const { profile } = command;
    let guards: Guards | undefined;

    async function prepare(): Promise<Launch> {
      const planned = planMounts({
        profile,
        userHome: dependencies.userHome,
        hidden: [dependencies.lainclawHome, ...(dependencies.hide ?? [])],
        searchPath: '',
        systemTemporary: tmpdir(),
      });
      guards = await guardWorkspace(profile, leases);
      const argv = dockerArguments({
        ...{ docker, image, name, user, cpus },
        argv: command.argv,
        cwd: realPath(command.cwd) ?? command.cwd,
        env: command.env,
        hasInput: command.stdin !== undefined,
        mounts: withGuards(withinProfile(planned, profile), guards.mounts),
        limits: profile.limits,
      });
      return { argv, cwd: '/', env: clientEnvironment, stdin: command.stdin };
    }

    let isKilled = false;
    async function end(child: { exitCode: number | null; kill(signal: 'SIGKILL'): boolean }): Promise<void> {
      if (isKilled || child.exitCode !== null) return;
      isKilled = true;
      // The container ends with all its processes; the client then ends by itself, unless it never started the container.
      await ask('kill', name).catch(() => child.kill('SIGKILL'));
    }

    try {
      const { finished } = await runProcess(
        () =>
          startProcess(prepare, {
            temporary,
            inherited: inherited(),
            openPipes: () => openOutputPipes(temporary, mkfifoWith(mkfifo)),
          }),
        options,
        { end },
      );
      if (finished.exitCode === ENGINE_REFUSED && /^docker: /m.test(finished.stderr.text)) {
        throw new SandboxError('setup-failed', `docker could not start the container: ${finished.stderr.text.trim()}`);
      }
      return finished;
    } finally {
      await guards?.release();
    }
  }

  async function available(): Promise<Availability> {
    try {
      const { stdout } = await ask('version', '--format', '{{.Server.Version}}');
      const found = await ask('image', 'inspect', '--format', '{{.Id}}', image).catch(() => undefined);
      if (!found) {
        return { ok: false, reason: `the image ${image} is not present`, fix: `run "docker pull ${image}"` };
      }
      return { ok: true, version: `docker ${stdout.trim()}`, limits: { memory: 'tree', processes: 'tree' } };
    } catch (error) {
      const said = (error as { stderr?: string }).stderr?.trim() || (error as Error).message;
      return {
        ok: false,
        reason: said,
        fix: 'install Docker, start its engine and check that "docker version" answers',
      };
    }
  }

  return { name: 'docker', isolates: true, available, run };
}

/** Mounts of the rest of the host do not matter: a container does not see it. */
function withinProfile(mounts: readonly Mount[], { workspace, scratch, readOnly = [] }: Profile): Mount[] {
  const roots = [workspace?.path, scratch, ...readOnly].flatMap((path) => (path && realPath(path)) || []);
  return mounts.filter(({ path }) => roots.some((root) => isInside(root, path)));
}
