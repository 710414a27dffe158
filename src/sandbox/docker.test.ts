// There is no engine where these tests run: the command line is looked at, and the rest is tried on a client that runs
// the command itself instead of asking an engine.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withLongEnough } from '../../test/support/long-enough.ts';
import { createTrial, TRIAL_LIMITS, type Trial, trialOptions } from '../../test/support/sandbox-trial.ts';
import { createDocker } from './docker.ts';
import { dockerArguments } from './docker-arguments.ts';
import type { Sandbox } from './sandbox.ts';

let trial: Trial;
beforeEach(() => {
  trial = createTrial();
});
afterEach(() => trial.remove());

function createSubject(client?: string): Sandbox {
  mkdirSync(trial.path('programs'));
  symlinkSync('/usr/bin/mkfifo', trial.path('programs/mkfifo'));
  if (client) writeFileSync(trial.path('programs/docker'), `#!/bin/bash\n${client}`, { mode: 0o755 });
  return createDocker({
    image: 'lainclaw/sandbox:1',
    user: '1000:1000',
    cpus: 2,
    userHome: trial.home,
    lainclawHome: trial.lainclawHome,
    temporary: trial.temporary,
    newId: (prefix) => `${prefix}-1`,
    variables: { PATH: '/usr/bin:/bin', DOCKER_HOST: 'unix:///nowhere/docker.sock', OPENAI_API_KEY: 'sk-secret' },
    directories: client ? [trial.path('programs')] : undefined,
  });
}

/** Runs what follows the image; a kill is passed on to it. */
const RUNNER = `
case "$1" in
  version) echo 27.1 ;;
  image) [ "$5" = lainclaw/sandbox:1 ] ;;
  kill) kill -9 "$(cat ${'$'}{0%/*}/$2.pid)" ;;
  run)
    printf '%s\\n' "$@" > ${'$'}{0%/*}/arguments; env > ${'$'}{0%/*}/environment
    while [ "$1" != lainclaw/sandbox:1 ]; do [ "$1" = --name ] && name=$2; shift; done; shift
    echo $$ > ${'$'}{0%/*}/$name.pid; exec "$@" ;;
esac`;

describe('the command line', () => {
  test('closes everything that the profile does not open', () => {
    const argv = dockerArguments({
      ...{ docker: '/usr/bin/docker', image: 'image', name: 'name', user: '1000:1000', cpus: 2 },
      ...{ argv: ['bash', '-c', 'ls'], cwd: '/srv', env: { LANG: 'C', PATH: '/host/bin', HOME: '/host/home' } },
      ...{ hasInput: false, limits: TRIAL_LIMITS },
      mounts: [
        { path: '/srv', access: 'read-write', isDirectory: true },
        { path: '/srv/.git/config', access: 'read-only', isDirectory: false },
        { path: '/srv/.envrc', access: 'empty', isDirectory: true },
        { path: '/srv/.netrc', access: 'empty', isDirectory: false },
        { path: '/with,comma and "quote"', access: 'read-only', isDirectory: true },
      ],
    });
    expect(argv.join(' ')).toBe(
      [
        '/usr/bin/docker run --rm --init --name name --pull never --network none --read-only --cap-drop ALL',
        '--security-opt no-new-privileges --ipc private --user 1000:1000 --memory 1073741824 --memory-swap 1073741824',
        '--pids-limit 128 --cpus 2 --ulimit cpu=30:31 --ulimit fsize=67108864 --ulimit core=0',
        '--mount type=tmpfs,destination=/tmp,tmpfs-size=1073741824,tmpfs-mode=1777',
        '--mount type=bind,source=/srv,destination=/srv',
        '--mount type=bind,source=/srv/.git/config,destination=/srv/.git/config,readonly',
        '--mount type=tmpfs,destination=/srv/.envrc,tmpfs-size=1048576,tmpfs-mode=0555',
        '--mount type=bind,source=/dev/null,destination=/srv/.netrc,readonly',
        '--mount type=bind,"source=/with,comma and ""quote""","destination=/with,comma and ""quote""",readonly',
        '--env LANG=C --env HOME=/tmp --env TMPDIR=/tmp --workdir /srv image bash -c ls',
      ].join(' '),
    );
  });

  test('passes the input on when there is some, and never opens the network', () => {
    const argv = dockerArguments({
      ...{ docker: 'docker', image: 'image', name: 'name', user: '0:0', cpus: 1, argv: ['cat'], cwd: '/', env: {} },
      ...{ hasInput: true, limits: TRIAL_LIMITS, mounts: [] },
    });
    expect(argv.join(' ')).toMatch(/--pull never --interactive --network none /);
  });
});

describe('docker', () => {
  test('without an engine it says so and what to do', async () => {
    const answer = await createSubject().available();
    expect(answer).toMatchObject({ ok: false, fix: expect.stringContaining('install Docker') });
  });

  test('without the image it says how to get it', async () => {
    const subject = createSubject('[ "$1" = version ] && echo 27.1');
    expect(await subject.available()).toEqual({
      ok: false,
      reason: 'the image lainclaw/sandbox:1 is not present',
      fix: 'run "docker pull lainclaw/sandbox:1"',
    });
  });

  test('it runs a command in a container that sees only the workspace, guarded', async () => {
    const subject = createSubject(RUNNER);
    expect(await subject.available()).toMatchObject({ ok: true, version: 'docker 27.1' });
    const finished = await subject.run(trial.script('cat; ls -A; exit 5', { stdin: 'in\n' }), trialOptions());
    expect(finished).toMatchObject({ exitCode: 5, timedOut: false });
    const passed = (await trial.none().run(trial.script(`cat ${trial.path('programs/arguments')}`), trialOptions()))
      .stdout.text;
    expect(passed).toContain(`type=bind,source=${trial.workspace},destination=${trial.workspace}\n`);
    expect(passed).toContain(`type=tmpfs,destination=${trial.path('workspace/.git')},`);
    expect(passed).not.toContain('destination=/home');
    const given = (await trial.none().run(trial.script(`cat ${trial.path('programs/environment')}`), trialOptions()))
      .stdout.text;
    expect(given).toContain('DOCKER_HOST=');
    expect(given).not.toContain('sk-secret');
    expect(readdirSync(trial.workspace)).toEqual([]);
  });

  test('at the timeout the container is killed by its name', async () => {
    const finished = await withLongEnough(
      1_000,
      (timeoutMs) => createSubject(RUNNER).run(trial.script('echo begun; sleep 300'), trialOptions({ timeoutMs })),
      ({ stdout }) => stdout.text !== '',
    );
    expect(finished).toMatchObject({ exitCode: null, timedOut: true, stdout: { text: 'begun\n' } });
  });

  test('a refusal of the engine is not reported as a result of the command', async () => {
    const subject = createSubject('echo "docker: Error response from daemon: no such image." >&2; exit 125');
    await expect(subject.run(trial.script('true'), trialOptions())).rejects.toMatchObject({ code: 'setup-failed' });
  });
});
