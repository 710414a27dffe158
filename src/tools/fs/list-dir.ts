import type { Listing } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

const MAX_ENTRIES = 5_000;

export function createListDirTool(): ToolSpec {
  return defineTool({
    name: 'fs.list_dir',
    aliases: ['file_list'],
    schema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, default: '.' },
        recursive: { type: 'boolean', default: false },
        maxDepth: { type: 'integer', minimum: 1, maximum: 32, default: 4 },
      },
      additionalProperties: false,
    },
    effect: 'read',
    subject: ({ path }) => ({ kind: 'path', path, access: 'read' }),
    handlesFiles: 'names',
    timeoutMs: 20_000,
    async execute({ path, recursive, maxDepth }, { workspace, signal, hides }) {
      const options = { recursive, maxDepth, maxEntries: MAX_ENTRIES, signal };
      const all = await workspace.list(path, options).catch(orToolFailure);
      const prefix = all.path === '.' ? '' : `${all.path}/`;
      const listing = hides ? { ...all, entries: all.entries.filter((entry) => !hides(prefix + entry.path)) } : all;
      return { data: listing, text: render(listing) };
    },
  });
}

/** One entry a line: cheaper for a model than JSON. */
function render({ path, entries, truncated }: Listing): string {
  const lines = entries.map((entry) => {
    if (entry.type === 'directory') return `${entry.path}/`;
    const kind = entry.type === 'file' ? `${entry.size} bytes` : entry.type;
    return `${entry.path}  ${kind}  ${entry.mtime}`;
  });
  const header = `${path}: ${entries.length} entries${truncated ? ' (more were left out: list a subdirectory or raise maxDepth)' : ''}`;
  return [header, ...lines].join('\n');
}
