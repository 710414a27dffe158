// The program by which the kernel refuses system calls of a command (seccomp, classic BPF). Everything is allowed but what is
// listed. In order: another architecture than ours ends the process, because its calls have other numbers; refused calls fail with
// EPERM; `clone`, `unshare`, `ioctl` and `socket` are judged by their arguments; the rest is allowed. The kernel remembers which calls
// are allowed whatever their arguments, so these cost nothing more.
import { type Architecture, CLONE3, JUDGED, REFUSED } from './system-calls.ts';

const AUDIT_ARCHITECTURE: Record<Architecture, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** On x64, numbers from here on are those of its 32-bit variant. */
const X32 = 0x40000000;

/** Offsets in what the kernel hands to the program. */
const NUMBER = 0;
const ARCHITECTURE = 4;
/** The lower half of an argument: the kernel reads no more of those judged here. */
const argument = (index: number): number => 16 + 8 * index;

const ALLOW = 0x7fff0000;
const END_PROCESS = 0x80000000;
const refuseWith = (error: number): number => 0x00050000 | error;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** All flags that make a namespace: user, mount, process, network, and so on. */
const NEW_NAMESPACES = 0x7e020000;
/** Of `unshare` alone: to `clone` this bit is part of a signal's number. */
const NEW_TIME = 0x80;
/** Types what a person would have to type, into the terminal. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const AF_NETLINK = 16;
/** Unspecified, Unix, IPv4, IPv6. */
const SOCKET_FAMILIES = [0, 1, 2, 10];

interface Instruction {
  code: number;
  k: number;
  /** How many instructions are skipped when the condition holds, and when it does not. */
  yes?: number;
  no?: number;
}

const load = (offset: number): Instruction => ({ code: 0x20, k: offset });
const give = (k: number): Instruction => ({ code: 0x06, k });
const isEqual = (k: number, yes: number, no: number): Instruction => ({ code: 0x15, k, yes, no });
const isAtLeast = (k: number, yes: number, no: number): Instruction => ({ code: 0x35, k, yes, no });
const hasAnyOf = (k: number, yes: number, no: number): Instruction => ({ code: 0x45, k, yes, no });

/** Undefined for an architecture whose numbers are not known here. */
export function seccompFilter(architecture: string): Buffer | undefined {
  if (architecture !== 'x64' && architecture !== 'arm64') return undefined;
  const instructions = [
    load(ARCHITECTURE),
    isEqual(AUDIT_ARCHITECTURE[architecture], 1, 0),
    give(END_PROCESS),
    load(NUMBER),
    ...(architecture === 'x64' ? [isAtLeast(X32, 0, 1), give(refuseWith(ENOSYS))] : []),
    isEqual(CLONE3, 0, 1),
    give(refuseWith(ENOSYS)),
    ...Object.values(REFUSED).flatMap(({ [architecture]: number }) =>
      number === undefined ? [] : [isEqual(number, 0, 1), give(refuseWith(EPERM))],
    ),
    ...judged(JUDGED.clone[architecture], refuseFlags(NEW_NAMESPACES)),
    ...judged(JUDGED.unshare[architecture], refuseFlags(NEW_NAMESPACES | NEW_TIME)),
    ...judged(JUDGED.ioctl[architecture], REFUSE_TERMINAL_INPUT),
    ...judged(JUDGED.socket[architecture], REFUSE_FAMILIES),
    ...judged(JUDGED.socketpair[architecture], REFUSE_FAMILIES),
    give(ALLOW),
  ];
  return Buffer.concat(instructions.map(bytesOf));
}

/** Runs the instructions for one call; they must end with an answer on every way. */
function judged(number: number, instructions: readonly Instruction[]): Instruction[] {
  return [isEqual(number, 0, instructions.length), ...instructions];
}

function refuseFlags(flags: number): Instruction[] {
  return [load(argument(0)), hasAnyOf(flags, 0, 1), give(refuseWith(EPERM)), give(ALLOW)];
}

const REFUSE_TERMINAL_INPUT = [
  load(argument(1)),
  isEqual(TIOCSTI, 1, 0),
  isEqual(TIOCLINUX, 0, 1),
  give(refuseWith(EPERM)),
  give(ALLOW),
];

/** Of netlink only routing (0), which lists the machine's addresses: runtimes ask for them. */
const REFUSE_FAMILIES = [
  load(argument(0)),
  ...SOCKET_FAMILIES.flatMap((family) => [isEqual(family, 0, 1), give(ALLOW)]),
  isEqual(AF_NETLINK, 0, 2),
  load(argument(2)),
  isEqual(0, 1, 0),
  give(refuseWith(EAFNOSUPPORT)),
  give(ALLOW),
];

function bytesOf({ code, k, yes = 0, no = 0 }: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(yes, 2);
  bytes.writeUInt8(no, 3);
  bytes.writeUInt32LE(k >>> 0, 4);
  return bytes;
}
