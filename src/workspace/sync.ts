import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, toSystem } from './byte-path.ts';
import { systemCode } from './refusal.ts';

/** Resolves once the names in a held directory would survive a power cut, as far as the file system can promise it. */
export async function syncDirectory(address: string): Promise<void> {
  try {
    const handle = await open(toSystem(join(address, '.')), constants.O_RDONLY | constants.O_DIRECTORY);
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    // A directory may be writable but not readable; some file systems cannot sync directories.
    if (!['EACCES', 'EPERM', 'EINVAL'].includes(systemCode(error) ?? '')) throw error;
  }
}
