import { closeSync, existsSync, openSync } from 'node:fs';
import { openContent } from '../pipes.ts';
import { seccompFilter } from './filter.ts';

/** A kernel that can filter has it. */
const SECCOMP = '/proc/sys/kernel/seccomp/actions_avail';

export interface FilterFile {
  /** Stays open until `close`; undefined where the kernel cannot filter or its numbers of system calls are not known. */
  descriptor(): number | undefined;
  /** For one program, which reads it to its end; empty where there is none. The caller closes it. */
  open(): number[];
  close(): void;
}

/** The filter of system calls as a file, made when it is first needed. */
export function createFilterFile({ temporary, architecture }: { temporary: string; architecture: string }): FilterFile {
  let known: { descriptor: number | undefined } | undefined;

  function make(): number | undefined {
    const filter = existsSync(SECCOMP) ? seccompFilter(architecture) : undefined;
    return filter && openContent(filter, temporary);
  }
  function descriptor(): number | undefined {
    known ??= { descriptor: make() };
    return known.descriptor;
  }
  return {
    descriptor,
    open() {
      const own = descriptor();
      // Opened again, because a copy of the descriptor would share how far it was read.
      return own === undefined ? [] : [openSync(`/proc/self/fd/${own}`, 'r')];
    },
    close() {
      if (known?.descriptor !== undefined) closeSync(known.descriptor);
      known = undefined;
    },
  };
}
