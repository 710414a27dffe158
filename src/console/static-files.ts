// The files of the web page. They are listed when the first is asked for, so that no request can name a path; names with a hash in them
// are kept by browsers for good. A file with .br or .gz beside it is sent compressed.
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, posix } from 'node:path';
import { lazily } from '../lib/lazily.ts';

export interface StaticFile {
  type: string;
  isHashed: boolean;
  read(encoding: 'br' | 'gzip' | undefined): Promise<Buffer>;
  /** The best one that the browser takes and we have. */
  encoding(accepted: string): 'br' | 'gzip' | undefined;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/** `-` or `.` and at least eight characters that a bundler makes of the content. */
const HASHED = /[-.][\w-]{8,}\.\w+$/;

/** Finds a file by its path below the folder, `assets/index-a1b2c3d4.js`; undefined when there is none. */
export function createStaticFiles(folder: string): (path: string) => Promise<StaticFile | undefined> {
  const listed = lazily(async () => {
    const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    return new Set(
      names
        .filter((entry) => entry.isFile())
        .map((entry) => posix.join(entry.parentPath.slice(folder.length).replace(/^[\\/]/, ''), entry.name)),
    );
  });
  return async (path) => {
    const files = await listed();
    const type = TYPES[extname(path)];
    if (!files.has(path) || type === undefined) return undefined;
    return {
      type,
      isHashed: path.startsWith('assets/') && HASHED.test(path),
      encoding(accepted) {
        if (files.has(`${path}.br`) && /\bbr\b/.test(accepted)) return 'br';
        return files.has(`${path}.gz`) && /\bgzip\b/.test(accepted) ? 'gzip' : undefined;
      },
      read: (encoding) => readFile(join(folder, encoding ? `${path}.${encoding === 'br' ? 'br' : 'gz'}` : path)),
    };
  };
}
