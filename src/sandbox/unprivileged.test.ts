// The same sandbox for somebody who is nobody: where the tests run as root, this one runs as the user "nobody"; elsewhere
// as the user who runs the tests.
import { execFileSync } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';

const nobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
// Under limits of its own that are smaller than what it would give a command.
const wrapper = [...nobody, 'prlimit', '--fsize=20000000', '--cpu=20', '--'];

const code = `
  import { existsSync, readdirSync, readlinkSync } from 'node:fs';
  import { createTrial, processesWith, TRIAL_LIMITS, trialOptions } from '${new URL('../../test/support/sandbox-trial.ts', import.meta.url).href}';
  const trial = createTrial();
  trial.write('home/.ssh/id_ed25519', 'KEY');
  const sandbox = trial.bubblewrap();
  const run = (text, profile, change, options) => sandbox.run(trial.script(text, change, profile), trialOptions(options));
  const readable = (pid) => { try { return [readlinkSync('/proc/' + pid + '/ns/mnt')]; } catch { return []; } };
  const result = { available: await sandbox.available() };
  result.writes = (await run('touch /usr/x /etc/x /var/x; echo x > ' + trial.path('outside/x') + '; cat ~/.ssh/id_ed25519; echo fine > fine; cat fine')).stdout.text;
  result.size = (await run('head -c 30000000 /dev/zero > big; echo $(stat -c %s big); rm big')).stdout.text;
  result.outside = existsSync(trial.path('outside/x'));
  await run('mkdir -p .git/hooks .vscode; echo evil > .envrc; echo evil > .git/hooks/x');
  result.workspace = readdirSync(trial.workspace);
  result.limits = [(await run('cat /proc/self/limits')).stdout.text];
  await sandbox.prepare(trial.script('true'));
  const waiting = processesWith(trial.workspace).flatMap((pid) => readable(pid));
  const ran = await run('readlink /proc/self/ns/mnt; cat /proc/self/limits; mkdir -p .git/hooks .vscode 2>/dev/null; echo evil 2>/dev/null > .envrc');
  const [ranIn, ...limitsThere] = ran.stdout.text.split('\\n');
  result.prepared = waiting.includes(ranIn) ? 'used' : 'not used';
  result.limits.push(limitsThere.join('\\n'));
  result.left = readdirSync(trial.workspace);
  const limits = { ...TRIAL_LIMITS, processes: 40 };
  const many = await run('for i in $(seq 60); do sleep 1 & done 2>/dev/null & sleep 0.4; ls /proc | grep -c "^[0-9]"; kill -9 -1', { limits });
  result.most = Number.parseInt(many.stdout.text, 10);
  const mark = 'mark-' + trial.root;
  let pulses = 0;
  const pulse = setInterval(() => { pulses += 1; }, 5);
  const env = { PATH: '/usr/bin:/bin', mark };
  const bomb = await run('bomb() { bomb | bomb & }; bomb; while :; do :; done', { limits: { ...limits, processes: 128 } }, { env }, { timeoutMs: 1000 });
  clearInterval(pulse);
  result.bomb = { exitCode: bomb.exitCode, pulses, survivors: processesWith(mark).length };
  result.memory = (await run("for i in 1 2 3; do python3 -c 'import time; x = bytearray(b\\"x\\") * (120 << 20); time.sleep(20)' & done; wait", { limits: { ...limits, memoryBytes: 200 << 20 } })).limitExceeded;
  const { runWithHosts } = await import('${new URL('./network/run-with-hosts.ts', import.meta.url).href}');
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => response.end('reached')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  const fetched = trial.script("python3 -c 'import urllib.request as r; print(r.urlopen(\\"http://127.0.0.1:" + port + "\\").read().decode())'");
  const hosts = { allowed: [{ name: '127.0.0.1', port }], privateNames: [], temporary: trial.temporary };
  result.network = (await runWithHosts(sandbox, fetched, trialOptions(), hosts)).finished.interleaved.text;
  server.closeAllConnections();
  server.close();
  await sandbox.close();
  trial.remove();
  console.log(JSON.stringify(result));`;

let result: Record<string, unknown>;
beforeAll(() => {
  const [program = '', ...rest] = [...wrapper, process.execPath, '--input-type=module', '-e', code];
  const said = execFileSync(program, rest, { encoding: 'utf8', cwd: '/', env: { PATH: '/usr/bin:/bin' } });
  result = JSON.parse(said);
});

test('it works, and every limit holds for all processes together', () => {
  expect(result.available).toMatchObject({ ok: true, limits: { memory: 'tree', processes: 'tree' } });
  expect(result.most).toBeLessThanOrEqual(40);
  expect(result.memory).toBe('memory');
});

test('limits it is under itself are not exceeded, and do not keep it from working', () => {
  expect(result.size).toBe('20000000\n');
});

test('nothing is written outside, and no secret is read', () => {
  expect(result).toMatchObject({ writes: 'fine\n', outside: false, workspace: ['fine'] });
});

test('a permitted host is reached', () => {
  expect(result.network).toBe('reached\n');
});

test('a sandbox that was prepared is used, and leaves nothing', () => {
  expect(result).toMatchObject({ prepared: 'used', left: ['fine'] });
});

test('the limits of a prepared sandbox are those of one that is started for its command, size by blocks of 512 bytes', () => {
  const [started = '', prepared] = result.limits as string[];
  expect(started).toMatch(/^Max processes +\d/m);
  expect(started).toMatch(/^Max file size +20000000 /m);
  const inBlocks = started.replaceAll(/20000000 +20000000/g, (text) => text.replaceAll('20000000', '19999744'));
  expect(prepared).toBe(inBlocks);
});

test('a fork bomb leaves its caller responsive and is gone after the timeout', () => {
  const { exitCode, pulses, survivors } = result.bomb as Record<string, number | null>;
  expect({ exitCode, survivors }).toEqual({ exitCode: null, survivors: 0 });
  // Of 200, on a machine with nothing else to do. One that waits for the bomb has none.
  expect(pulses).toBeGreaterThan(20);
});
