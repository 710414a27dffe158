import type { WholeFile } from '../../workspace/file-access.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import type { ToolContext, ToolSpec } from '../tool.ts';
import { diffOf, orUnrecorded } from './change-file.ts';
import { orToolFailure } from './failure.ts';
import { readKept } from './read-kept.ts';
import { refuseStale } from './refuse-stale.ts';

const TOOL = 'file_delete';

export function createDeleteFileTool(): ToolSpec {
  return defineTool({
    name: TOOL,
    schema: {
      type: 'object',
      properties: { path: { type: 'string', minLength: 1 } },
      required: ['path'],
      additionalProperties: false,
    },
    effect: 'write',
    isFolded: true,
    subject: ({ path }) => ({ kind: 'path', path, access: 'write' }),
    rules: { pattern: 'path', governs: 'change' },
    handlesFiles: 'contents',
    timeoutMs: 20_000,

    async preview({ path }, context) {
      const file = await planDelete(path, context);
      const { text } = await diffOf({ resolved: file.path, before: file, after: undefined });
      return { summary: `delete ${file.path} (${file.bytes.length} bytes)`, text, paths: [file.path] };
    },

    async execute({ path }, context) {
      const file = await planDelete(path, context);
      await deleteFile(TOOL, file, context);
      return {
        data: { path: file.path, bytes: file.bytes.length },
        text: repliesIn(context).deleted(file.path, file.bytes.length),
      };
    },
  });
}

async function planDelete(path: string, context: ToolContext): Promise<WholeFile> {
  const file = await readKept(path, context);
  await refuseStale(file, context);
  return file;
}

/** On record for undo first, then removed. */
export async function deleteFile(tool: string, file: WholeFile, context: ToolContext): Promise<void> {
  const { workspace, changes, signal } = context;
  const before = { bytes: file.bytes, mode: file.mode };
  await changes.record({ tool, path: file.path, before, after: undefined, madeDirectories: [] }).catch(orUnrecorded);
  await workspace.remove(file.path, { kind: 'file', expected: file.fingerprint, signal }).catch(orToolFailure);
}
