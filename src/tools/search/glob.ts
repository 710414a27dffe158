import { lstat } from 'node:fs';
import { promisify } from 'node:util';
import { orToolFailure } from '../fs/failure.ts';
import { type ToolArgs, ToolFailure, type ToolSpec } from '../tool.ts';
import { createFileFilter } from './file-filter.ts';
import { findRipgrep } from './program.ts';
import { ripgrep, withoutRoot } from './ripgrep.ts';

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 10_000;
/** Files looked at to find the newest. */
const MOST_FILES = 200_000;
const STATS_AT_ONCE = 64;

export function createGlobTool(): ToolSpec {
  return {
    name: 'glob',
    inputSchema: {
      type: 'object',
      properties: {
        pattern: { type: 'string', minLength: 1, maxLength: 500 },
        path: { type: 'string', minLength: 1 },
        limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    effect: 'read',
    requiresPermission: false,
    timeoutMs: 60_000,
    async execute(args, { workspace, signal }) {
      const { pattern, path, limit } = optionsOf(args);
      const held = await workspace.hold(path, signal).catch(orToolFailure);
      try {
        if (held.kind !== 'directory') throw new ToolFailure(`Not a directory: ${path}`);
        const only = createFileFilter(pattern);
        const names: string[] = [];
        await ripgrep({
          held,
          flags: ['--files', '--null', '--no-require-git', '--hidden', '--glob=!.git'],
          only,
          signal,
          program: findRipgrep,
          separator: '\0',
          onRecord(record) {
            const name = withoutRoot(record);
            if (only.fits(name)) names.push(name);
            return names.length < MOST_FILES;
          },
        });
        const prefix = held.path === '.' ? '' : `${held.path}/`;
        const sorted = await newestFirst(names, `/proc/self/fd/${held.fd}`);
        const files = sorted.slice(0, limit).map((name) => prefix + name);
        const truncated = names.length > files.length;
        return { data: { files, total: names.length, truncated }, text: render(files, names.length) };
      } finally {
        held.release();
      }
    },
  };
}

function optionsOf({ pattern, path = '.', limit = DEFAULT_LIMIT }: ToolArgs) {
  const given = pattern as string;
  if (given.startsWith('!')) throw new ToolFailure('glob: a pattern cannot start with "!"', { code: 'invalid_args' });
  // Anchored: `*.ts` means here, `**/*.ts` means anywhere below, as in a shell.
  return { pattern: `/${given.replace(/^(\.?\/)+/, '')}`, path: path as string, limit: limit as number };
}

const lstatAsync = promisify(lstat);

async function newestFirst(names: string[], root: string): Promise<string[]> {
  const times = new Map<string, number>();
  const queue = names.values();
  const workers = Array.from({ length: STATS_AT_ONCE }, async () => {
    for (const name of queue) {
      const stats = await lstatAsync(`${root}/${name}`).catch(() => undefined);
      times.set(name, stats?.mtimeMs ?? 0);
    }
  });
  await Promise.all(workers);
  return names.sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0) || (a < b ? -1 : 1));
}

function render(files: string[], total: number): string {
  if (total === 0) return 'no file matches';
  const more = total > files.length ? [`(${total - files.length} more were left out)`] : [];
  return [...files, ...more].join('\n');
}
