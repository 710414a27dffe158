// console-id: names the console of one storage, the same for all its gateways and another one for every other storage. It opens nothing.
import { randomBytes } from 'node:crypto';
import type { OwnerFiles } from '../../storage/storage.ts';

const FILE = 'console-id';

/** Made when there is none; of gateways that start at the same time, all get the one that was kept. */
export async function consoleId(files: Pick<OwnerFiles, 'read' | 'update'>): Promise<string> {
  const read = async (): Promise<string> => (await files.read(FILE))?.trim() ?? '';
  const known = await read();
  if (known !== '') return known;
  await files.update(FILE, (current = '') =>
    current.trim() === '' ? `${randomBytes(16).toString('hex')}\n` : undefined,
  );
  return read();
}
