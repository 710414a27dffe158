// Descriptors that this process inherited and would pass to every child. An open directory would be a way out of a sandbox,
// so each descriptor is replaced by /dev/null. Node closes its own on exec.
import { readdirSync, readFileSync } from 'node:fs';

const O_CLOEXEC = 0o2000000;

/** Looks once, at the first call: nothing is inherited later. */
export function createInherited(): () => readonly number[] {
  let found: readonly number[] | undefined;
  return () => {
    found ??= inheritedDescriptors();
    return found;
  };
}

/** Descriptors beyond the three standard ones, ascending. Empty where /proc does not list them. */
function inheritedDescriptors(): number[] {
  let names: string[];
  try {
    names = readdirSync('/proc/self/fdinfo');
  } catch {
    return [];
  }
  return names
    .map(Number)
    .filter((descriptor) => descriptor > 2 && survivesExec(descriptor))
    .sort((a, b) => a - b);
}

function survivesExec(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    return false; // The listing's own descriptor, already closed.
  }
}
