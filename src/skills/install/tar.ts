// Reads a tar archive in memory: ustar with the extensions npm packages use (pax and GNU long names). Nothing is
// written; an archive with a path that leads outside is refused. Stops at the end mark, the end of the bytes or the first
// damaged header.
import { LONGEST_TAR_EXTENSION, parseTarExtension, parseTarHeader, TAR_BLOCK, TarError } from '../../lib/tar-header.ts';
import { SkillError } from '../skill-error.ts';
import { MAX_ENTRIES, safePath, type TreeEntry, tooManyEntries } from './tree.ts';

export interface TarEntry extends TreeEntry {
  bytes: Buffer;
}

/** The first part of each path (`package/`) is dropped. */
export function readTar(archive: Buffer): TarEntry[] {
  try {
    return entriesOf(archive);
  } catch (error) {
    if (!(error instanceof TarError)) throw error;
    throw new SkillError('SKILL_SOURCE', `the package's archive is damaged: ${error.message}`, error);
  }
}

function entriesOf(archive: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  let extension = {};
  for (let at = 0; at + TAR_BLOCK <= archive.length; ) {
    const header = parseTarHeader(archive.subarray(at, at + TAR_BLOCK), extension);
    if (!header) break;
    const { type, size, name, executable } = header;
    const start = at + TAR_BLOCK;
    if (start + size > archive.length) throw new TarError('it ends too early');
    const bytes = archive.subarray(start, start + size);
    at = start + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
    if (type === 'x' || type === 'g' || type === 'L') {
      if (size > LONGEST_TAR_EXTENSION) throw new TarError('a header is too long');
      extension = { ...extension, ...parseTarExtension(type, bytes) };
      continue;
    }
    extension = {};
    if (type === '5') continue;
    const kind = type === '0' ? 'file' : type === '1' || type === '2' ? 'link' : 'other';
    const path = pathInPackage(name);
    if (entries.length >= MAX_ENTRIES) throw tooManyEntries();
    entries.push({
      path,
      kind,
      size: kind === 'file' ? size : 0,
      executable,
      bytes: kind === 'file' ? bytes : Buffer.alloc(0),
    });
  }
  return entries;
}

function pathInPackage(name: string): string {
  const path = name.replace(/^\.\//, '');
  if (path.startsWith('/')) safePath(path);
  const slash = path.indexOf('/');
  safePath(path);
  return slash < 0 ? path : path.slice(slash + 1);
}
