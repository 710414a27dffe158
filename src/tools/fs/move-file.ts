import { LARGEST_KEPT_BYTES, type WholeFile } from '../../workspace/file-access.ts';
import { ABSENT } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { type ToolContext, ToolFailure, type ToolSpec } from '../tool.ts';
import { orUnrecorded } from './change-file.ts';
import { deleteFile } from './delete-file.ts';
import { orToolFailure } from './failure.ts';
import { readKept } from './read-kept.ts';
import { refuseStale } from './refuse-stale.ts';
import { seenNow } from './seen.ts';

const TOOL = 'file_move';

interface MoveArgs {
  from: string;
  to: string;
}

export function createMoveFileTool(): ToolSpec {
  return defineTool({
    name: TOOL,
    schema: {
      type: 'object',
      properties: { from: { type: 'string', minLength: 1 }, to: { type: 'string', minLength: 1 } },
      required: ['from', 'to'],
      additionalProperties: false,
    },
    effect: 'write',
    isFolded: true,
    subject: ({ from, to }) => ({
      kind: 'paths',
      paths: [
        { path: from, access: 'write' },
        { path: to, access: 'write' },
      ],
    }),
    rules: { pattern: 'path', governs: 'change' },
    handlesFiles: 'contents',
    timeoutMs: 20_000,

    async preview(args, context) {
      const { file, to } = await planMove(args, context);
      const summary = `move ${file.path} to ${to} (${file.bytes.length} bytes)`;
      return { summary, text: '', paths: [file.path, to] };
    },

    async execute(args, context) {
      const { file, to } = await planMove(args, context);
      // The copy first: a kill between the two leaves the file twice, never nowhere, and undo knows both.
      await writeCopy(file, args.to, context);
      await deleteFile(TOOL, file, context);
      return {
        data: { from: file.path, to, bytes: file.bytes.length },
        text: repliesIn(context).moved(file.path, to),
      };
    },
  });
}

async function planMove({ from, to }: MoveArgs, context: ToolContext): Promise<{ file: WholeFile; to: string }> {
  const { workspace, signal } = context;
  const file = await readKept(from, context);
  await refuseStale(file, context);
  const target = await workspace.locate(to, signal).catch(orToolFailure);
  if (target.exists) {
    const advice = 'delete it first, or choose another name (for a directory, name the file in it)';
    throw new ToolFailure(`${target.path} exists already: ${advice}`);
  }
  return { file, to: target.path };
}

async function writeCopy(file: WholeFile, to: string, context: ToolContext): Promise<void> {
  const { workspace, changes, seen, now, signal } = context;
  const after = { bytes: file.bytes, mode: file.mode };
  const written = await workspace
    .writeFile(to, file.bytes, {
      mode: 'overwrite',
      createParents: true,
      expected: ABSENT,
      maxBytes: LARGEST_KEPT_BYTES,
      permissions: file.mode,
      signal,
      beforeReplacing: ({ path, madeDirectories }) =>
        changes.record({ tool: TOOL, path, before: undefined, after, madeDirectories }).catch(orUnrecorded),
    })
    .catch(orToolFailure);
  const shown = await seenNow(written.fingerprint, file.bytes.length, now(), file.bytes);
  await seen.note(written.path, shown).catch(() => {});
}
