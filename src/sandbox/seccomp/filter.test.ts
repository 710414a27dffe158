// The filter in the real sandbox, by the system calls themselves; and its program, run by a small interpreter of what the kernel
// would run, for both architectures. Fails where bubblewrap is missing.
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTrial, type Trial, trialOptions, WAYS } from '../../../test/support/sandbox-trial.ts';
import type { Sandbox } from '../sandbox.ts';
import { seccompFilter } from './filter.ts';
import { type Architecture, CLONE3, JUDGED, REFUSED } from './system-calls.ts';

const ALLOWED = 0x7fff0000;
const ENDED = 0x80000000;
const refused = (error: number): number => 0x50000 + error;
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** What the kernel does with the filter: the instructions used here only. */
function judge(filter: Buffer, number: number, args: readonly number[] = [], audit = AUDIT.x64): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(audit, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const [code, yes, no] = [filter.readUInt16LE(at * 8), filter[at * 8 + 2] ?? 0, filter[at * 8 + 3] ?? 0];
    const k = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return k;
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x15) at += accumulator === k ? yes : no;
    else if (code === 0x35) at += accumulator >= k ? yes : no;
    else if (code === 0x45) at += (accumulator & k) !== 0 ? yes : no;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error('the program does not end');
}

describe.each(['x64', 'arm64'] as const)('the filter for %s', (architecture: Architecture) => {
  const filter = seccompFilter(architecture) as Buffer;
  const answer = (number: number, args: readonly number[] = []): number =>
    judge(filter, number, args, AUDIT[architecture]);

  it('refuses each call of the list, and allows every other number', () => {
    const listed = new Set(Object.values(REFUSED).flatMap((call) => call[architecture] ?? []));
    for (const number of listed) expect(answer(number)).toBe(refused(1));
    for (let number = 0; number < 1_000; number += 1)
      if (!listed.has(number) && number !== CLONE3) expect(answer(number), String(number)).toBe(ALLOWED);
    expect(answer(CLONE3)).toBe(refused(38));
  });

  it('refuses new namespaces, and no other way of starting a process or thread', () => {
    const [clone, unshare] = [JUDGED.clone[architecture], JUDGED.unshare[architecture]];
    for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
      for (const call of [clone, unshare]) expect(answer(call, [flag | 17])).toBe(refused(1));
    expect(answer(unshare, [0x80])).toBe(refused(1));
    // fork, vfork, a thread of the C library.
    for (const flags of [17, 0x4111, 0x3d0f00]) expect(answer(clone, [flags])).toBe(ALLOWED);
    expect(answer(unshare, [0x400])).toBe(ALLOWED);
  });

  it('refuses typing into the terminal, whatever the upper half of the argument is', () => {
    const { [architecture]: ioctl } = JUDGED.ioctl;
    for (const request of [0x5412, 0x541c, 2 ** 32 + 0x5412]) expect(answer(ioctl, [0, request])).toBe(refused(1));
    for (const request of [0x5401, 0x5413, 0x541b]) expect(answer(ioctl, [0, request])).toBe(ALLOWED);
  });

  it('allows sockets of files, addresses and routing only', () => {
    const { [architecture]: socket } = JUDGED.socket;
    for (const family of [0, 1, 2, 10]) expect(answer(socket, [family, 1, 0])).toBe(ALLOWED);
    expect(answer(socket, [16, 3, 0])).toBe(ALLOWED);
    expect(answer(socket, [16, 3, 12])).toBe(refused(97));
    for (const family of [3, 17, 21, 29, 31, 38, 40, 44]) expect(answer(socket, [family, 1, 0])).toBe(refused(97));
  });

  it('ends what calls the kernel as another architecture', () => {
    expect(judge(filter, 1, [], 0x40000003)).toBe(ENDED);
    if (architecture === 'x64') expect(answer(0x40000000 + 101)).toBe(refused(38));
  });
});

it('is not made for an architecture whose numbers are not known', () => {
  expect(seccompFilter('riscv64')).toBeUndefined();
});

/** Calls the kernel by number, and prints the error of each: 0 when it was allowed. */
const CALLS = `
import ctypes, platform, sys
libc = ctypes.CDLL(None, use_errno=True)
column = 0 if platform.machine() == 'x86_64' else 1
calls = {
  'ptrace': ((101, 117), 0, 0, 0, 0), 'mount': ((165, 40), 0, 0, 0, 0), 'keyctl': ((250, 219), 0, -3, 0, 0),
  'bpf': ((321, 280), 0, 0, 0, 0), 'perf_event_open': ((298, 241), 0, 0, 0, 0), 'userfaultfd': ((323, 282), 1, 0, 0, 0),
  'io_uring_setup': ((425, 425), 1, 0, 0, 0), 'unshare': ((272, 97), 0x10000000, 0, 0, 0),
  'clone': ((56, 220), 0x10000011, 0, 0, 0), 'clone3': ((435, 435), 0, 0, 0, 0), 'vsock': ((41, 198), 40, 1, 0, 0),
  'packet': ((41, 198), 17, 3, 0, 0), 'netfilter': ((41, 198), 16, 3, 12, 0), 'tiocsti': ((16, 29), 0, 0x5412, 0, 0),
  'getpid': ((39, 172), 0, 0, 0, 0), 'unix': ((41, 198), 1, 1, 0, 0), 'inet': ((41, 198), 2, 1, 0, 0), 'route': ((41, 198), 16, 3, 0, 0),
}
for name, (numbers, *args) in calls.items():
  ctypes.set_errno(0)
  result = libc.syscall(numbers[column], *[ctypes.c_long(each) for each in args])
  print(name, ctypes.get_errno() if result == -1 else 0)
`;

describe.each(WAYS)('a command in a sandbox %s', (_how, open) => {
  let trial: Trial;
  let sandbox: Sandbox;
  beforeEach(() => {
    trial = createTrial();
    sandbox = open(trial);
  });
  afterEach(() => trial.remove());

  it('cannot make the calls that are refused, and can make the others', async () => {
    trial.write('workspace/calls.py', CALLS);
    const { stdout, stderr } = await sandbox.run(trial.script('python3 calls.py'), trialOptions());
    expect(stderr.text).toBe('');
    expect(
      Object.fromEntries(
        stdout.text
          .trim()
          .split('\n')
          .map((line) => line.split(' ')),
      ),
    ).toEqual({
      ...{
        ptrace: '1',
        mount: '1',
        keyctl: '1',
        bpf: '1',
        perf_event_open: '1',
        userfaultfd: '1',
        io_uring_setup: '1',
      },
      ...{ unshare: '1', clone: '1', clone3: '38', vsock: '97', packet: '97', netfilter: '97', tiocsti: '1' },
      ...{ getpid: '0', unix: '0', inet: '0', route: '0' },
    });
  });

  it('has a filter in its first process and in all that it starts', async () => {
    const text = 'grep Seccomp: /proc/1/status /proc/self/status; sh -c "sh -c \\"grep Seccomp: /proc/self/status\\""';
    const { stdout } = await sandbox.run(trial.script(text), trialOptions());
    expect(stdout.text.match(/Seccomp:\t2/g)).toHaveLength(3);
  });

  it('works with threads, git, node, python and a compiler', async () => {
    const text = `set -e
git init -q project && cd project && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first && git log --oneline | wc -l
node -e "require('fs').promises.readFile('/etc/hostname').then(() => console.log('read', require('os').networkInterfaces() !== undefined))"
node -e "new (require('worker_threads').Worker)('console.log(\\"worker\\")', { eval: true })"
python3 -c "import threading, subprocess; t = threading.Thread(target=lambda: print('thread', flush=True)); t.start(); t.join(); print(subprocess.check_output(['echo', 'child']).decode(), end='')"
if command -v cc >/dev/null; then printf 'int main(void){return 0;}' > a.c && cc a.c -o a && ./a && echo compiled; else echo compiled; fi`;
    const { stdout, stderr, exitCode } = await sandbox.run(
      trial.script(text, { env: { PATH: process.env.PATH ?? '', HOME: trial.path('home') } }),
      trialOptions({ timeoutMs: 30_000 }),
    );
    expect(`${stderr.text}${exitCode}`).toBe('0');
    expect(
      stdout.text
        .trim()
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([...['1', 'read true', 'worker', 'thread', 'child', 'compiled']]);
    expect(readdirSync(trial.temporary)).toEqual([]);
  });
});
