import type { OpenDocument } from './document.ts';
import { listText } from './list-text.ts';
import type { Zip } from './zip.ts';

export function openZipList({ entries }: Zip): OpenDocument {
  const isLocked = entries.some(({ isEncrypted }) => isEncrypted);
  return {
    label: `zip archive${isLocked ? ' with a password' : ''} of ${entries.length} entries`,
    count: 1,
    read: () => ({ text: listText(entries) }),
  };
}
