import type { OwnerFiles } from './storage.ts';

const FILE = 'machine.id';

/** The name of this machine among those that share a storage. Kept in its home, because names of hosts change and repeat. */
export async function machineName(machineFiles: OwnerFiles, newId: (prefix: string) => string): Promise<string> {
  let name = (await machineFiles.read(FILE))?.trim();
  if (name) return name;
  await machineFiles.update(FILE, (current) => {
    name = current?.trim() || newId('machine');
    return `${name}\n`;
  });
  return name as string;
}
