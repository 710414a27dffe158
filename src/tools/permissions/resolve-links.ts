// Follows the links of an absolute path the way the kernel does: part by part, `..` after the link before it. Parts that do
// not exist stay as they are. It only looks; the code that opens the path must still walk it safely (src/workspace).
import { lstatSync, readlinkSync } from 'node:fs';

const MAX_LINKS = 40;

export function createLinkResolver(
  readLink: (path: string) => string | undefined = linkTarget,
): (absolute: string) => string {
  return (absolute) => {
    const parts = absolute.split('/').reverse();
    let path = '';
    let links = 0;
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      if (part === '' || part === '.') continue;
      if (part === '..') {
        path = path.slice(0, Math.max(0, path.lastIndexOf('/')));
        continue;
      }
      const target = links < MAX_LINKS ? readLink(`${path}/${part}`) : undefined;
      if (target === undefined) {
        path = `${path}/${part}`;
        continue;
      }
      links += 1;
      if (target.startsWith('/')) path = '';
      parts.push(...target.split('/').reverse());
    }
    return path || '/';
  };
}

/** Undefined for what is not a link, or is not there. */
function linkTarget(path: string): string | undefined {
  try {
    // Most parts are not links, and an exception costs more than a look.
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
