import { lstatSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineTool } from '../define-tool.ts';
import { orToolFailure } from '../fs/failure.ts';
import { ToolFailure, type ToolSpec } from '../tool.ts';
import { findRipgrep } from './program.ts';
import { ripgrep, withoutRoot } from './ripgrep.ts';

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 10_000;
/** Files looked at to find the newest. */
const MOST_FILES = 200_000;
/** Listing waits for the disk and for its reader: more threads than processors take a quarter less time. */
const THREADS = Math.min(16, 4 * availableParallelism());

export function createGlobTool(): ToolSpec {
  return defineTool({
    name: 'glob',
    schema: {
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
    subject: ({ path = '.' }) => ({ kind: 'path', path, access: 'read' }),
    handlesFiles: 'names',
    timeoutMs: 60_000,
    async execute({ pattern: given, path = '.', limit }, { workspace, signal, hides }) {
      const pattern = anchored(given);
      const held = await workspace.hold(path, signal).catch(orToolFailure);
      try {
        if (held.kind !== 'directory') throw new ToolFailure(`Not a directory: ${path}`);
        const { createFileFilter } = await import('./file-filter.ts');
        const { fits, preselection } = createFileFilter(pattern);
        const found: { name: string; time: number }[] = [];
        const prefix = held.path === '.' ? '' : `${held.path}/`;
        // By its plain path: all that a swapped link could tell here is a time, and it takes half as long.
        const base = held.path === '.' ? workspace.root : `${workspace.root}/${held.path}`;
        await ripgrep({
          held,
          flags: [
            '--files',
            '--null',
            '--no-require-git',
            '--hidden',
            '--glob=!.git',
            `--threads=${THREADS}`,
            ...preselection,
          ],
          signal,
          program: findRipgrep,
          separator: '\0',
          onRecord(record) {
            const name = withoutRoot(record);
            if (fits(name) && !hides?.(prefix + name)) found.push({ name, time: changedAt(`${base}/${name}`) });
            return found.length < MOST_FILES;
          },
        });
        found.sort((a, b) => b.time - a.time || (a.name < b.name ? -1 : 1));
        const files = found.slice(0, limit).map(({ name }) => prefix + name);
        const truncated = found.length > files.length;
        return { data: { files, total: found.length, truncated }, text: render(files, found.length) };
      } finally {
        held.release();
      }
    },
  });
}

// `*.ts` means here, `**/*.ts` means anywhere below, as in a shell.
function anchored(given: string): string {
  if (given.startsWith('!')) throw new ToolFailure('glob: a pattern cannot start with "!"', { code: 'invalid_args' });
  return `/${given.replace(/^(\.?\/)+/, '')}`;
}

/** Read while ripgrep continues to search: a pool of threads would take longer than the call itself. */
function changedAt(path: string): number {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch {
    return 0;
  }
}

function render(files: string[], total: number): string {
  if (total === 0) return 'no file matches';
  const more = total > files.length ? [`(${total - files.length} more were left out)`] : [];
  return [...files, ...more].join('\n');
}
