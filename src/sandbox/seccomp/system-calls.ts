// System calls that no command of a sandbox needs: they reach parts of the kernel where escapes from namespaces have been found, or
// change the machine. The numbers are the kernel's, by architecture; a call that an architecture does not have is left out.

export type Architecture = 'x64' | 'arm64';

interface SystemCall {
  x64?: number;
  arm64?: number;
}

/** From number 424 on, a call has the same number everywhere. */
function everywhere(number: number): SystemCall {
  return { x64: number, arm64: number };
}

export const REFUSED: Readonly<Record<string, SystemCall>> = {
  // Looks into other processes, or changes them.
  ptrace: { x64: 101, arm64: 117 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  kcmp: { x64: 312, arm64: 272 },
  pidfd_getfd: everywhere(438),
  // Mounts.
  mount: { x64: 165, arm64: 40 },
  umount2: { x64: 166, arm64: 39 },
  pivot_root: { x64: 155, arm64: 41 },
  open_tree: everywhere(428),
  move_mount: everywhere(429),
  fsopen: everywhere(430),
  fsconfig: everywhere(431),
  fsmount: everywhere(432),
  fspick: everywhere(433),
  mount_setattr: everywhere(442),
  open_tree_attr: everywhere(467),
  setns: { x64: 308, arm64: 268 },
  // Keys are kept by user, not by namespace.
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  keyctl: { x64: 250, arm64: 219 },
  // Programs inside the kernel, and interfaces that attacks on it are built with.
  bpf: { x64: 321, arm64: 280 },
  perf_event_open: { x64: 298, arm64: 241 },
  userfaultfd: { x64: 323, arm64: 282 },
  io_uring_setup: everywhere(425),
  io_uring_enter: everywhere(426),
  io_uring_register: everywhere(427),
  fanotify_init: { x64: 300, arm64: 262 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  lookup_dcookie: { x64: 212, arm64: 18 },
  vmsplice: { x64: 278, arm64: 75 },
  uselib: { x64: 134 },
  modify_ldt: { x64: 154 },
  // The machine itself.
  kexec_load: { x64: 246, arm64: 104 },
  kexec_file_load: { x64: 320, arm64: 294 },
  init_module: { x64: 175, arm64: 105 },
  finit_module: { x64: 313, arm64: 273 },
  delete_module: { x64: 176, arm64: 106 },
  reboot: { x64: 169, arm64: 142 },
  swapon: { x64: 167, arm64: 224 },
  swapoff: { x64: 168, arm64: 225 },
  acct: { x64: 163, arm64: 89 },
  quotactl: { x64: 179, arm64: 60 },
  quotactl_fd: everywhere(443),
  syslog: { x64: 103, arm64: 116 },
  settimeofday: { x64: 164, arm64: 170 },
  clock_settime: { x64: 227, arm64: 112 },
  vhangup: { x64: 153, arm64: 58 },
  iopl: { x64: 172 },
  ioperm: { x64: 173 },
};

/** Calls that are judged by their arguments. */
export const JUDGED = {
  clone: { x64: 56, arm64: 220 },
  unshare: { x64: 272, arm64: 97 },
  ioctl: { x64: 16, arm64: 29 },
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
} as const;

/** Its arguments lie in memory, where a filter cannot look. Where it is missing, the C library uses `clone`. */
export const CLONE3 = 435;
