// apply_patch: changes to several files, all or none.
import type { FileAccess, PlannedFile } from '../../undo/restore.ts';
import { unifiedDiff } from '../../undo/unified-diff.ts';
import { createFileAccess, LARGEST_KEPT_BYTES } from '../../workspace/file-access.ts';
import { ABSENT } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { type ToolContext, ToolFailure, type ToolSpec } from '../tool.ts';
import { checkText, orUnrecorded } from './change-file.ts';
import { parsePatch, pathsOfPatch } from './patch/parse-patch.ts';
import type { PatchedFile, PlannedPatch } from './patch/plan-patch.ts';
import { seenNow } from './seen.ts';

const TOOL = 'apply_patch';
/** Of what a person is shown; beyond it the patch itself is shown. */
const SHOWN_CHARS = 200_000;
/** Of what a program gets with the result. */
const RESULT_CHARS = 60_000;
/** Where the umask decides: undoing a new file needs no mode. */
const NEW_FILE_MODE = 0o644;

export function createApplyPatchTool(): ToolSpec {
  return defineTool({
    name: TOOL,
    schema: {
      type: 'object',
      properties: { patch: { type: 'string', minLength: 1, maxLength: 4_000_000 } },
      required: ['patch'],
      additionalProperties: false,
    },
    effect: 'write',
    subject: ({ patch }) => ({
      kind: 'paths',
      paths: pathsOfPatch(patch).map((path) => ({ path, access: 'write' as const })),
    }),
    rules: { pattern: 'path', governs: 'change' },
    handlesFiles: 'contents',
    timeoutMs: 120_000,

    async preview({ patch }, context) {
      const { files } = await plan(patch, context);
      for (const file of files) await notePreviewed(file, context);
      const { text, added, removed, isCut } = await wholeDiff(files, SHOWN_CHARS);
      const summary = `change ${counted(files.length)} (+${added} −${removed})`;
      return { summary, text, paths: files.map(({ path }) => path), ...(isCut && { isCut }) };
    },

    async execute({ patch }, context) {
      const planned = await plan(patch, context);
      const { files } = planned;
      await apply(planned, context);
      const { text: diff, added, removed, lines } = await wholeDiff(files, RESULT_CHARS);
      return {
        data: { files: files.map(described), added, removed, diff },
        text: [repliesIn(context).patched(files.length, added, removed), ...lines].join('\n'),
      };
    },
  });
}

async function plan(patch: string, context: ToolContext): Promise<PlannedPatch> {
  checkText(patch, 'patch');
  const { planPatch } = await import('./patch/plan-patch.ts');
  const planned = await planPatch(parsePatch(patch), context);
  if (planned.files.length === 0) throw new ToolFailure('the files have exactly this content already: nothing to do');
  return planned;
}

async function apply({ files, madeDirectories }: PlannedPatch, context: ToolContext): Promise<void> {
  const { workspace, changes, seen, now, signal } = context;
  signal.throwIfAborted();
  // Deleted last: what is moved is there twice for a moment, never nowhere.
  const ordered = [...files.filter(({ after }) => after), ...files.filter(({ after }) => !after)];
  const access = accessTo(context, files);
  const applied = await changes
    .applyTogether({ tool: TOOL, files: ordered.map(plannedFile), madeDirectories, access })
    .catch(orUnrecorded);
  if (!applied.ok) {
    const why = applied.cause instanceof Error ? applied.cause.message : String(applied.cause);
    const outcome = applied.isPutBack
      ? 'every file is as it was before'
      : 'not every file could be put back: the next command makes the rest of the changes';
    throw new ToolFailure(`The patch was not applied: ${why}; ${outcome}`, { cause: applied.cause });
  }
  for (const { path, after } of files) {
    if (!after) continue;
    const file = await workspace.openFile(path, signal).catch(() => undefined);
    await file?.handle.close();
    if (file) await seen.note(path, await seenNow(file.fingerprint, file.size, now(), after.bytes)).catch(() => {});
  }
}

/** New files get what the umask leaves, as those of file_write do. */
function accessTo({ workspace }: ToolContext, files: readonly PatchedFile[]): FileAccess {
  const access = createFileAccess(workspace, LARGEST_KEPT_BYTES);
  const added = new Set(files.flatMap(({ path, after }) => (after && after.mode === undefined ? [path] : [])));
  return {
    ...access,
    async write(path, state, expected, id) {
      if (!added.has(path)) return access.write(path, state, expected, id);
      await workspace.writeFile(path, state.bytes, {
        mode: 'overwrite',
        createParents: true,
        expected: expected?.fingerprint ?? ABSENT,
        temporaryName: access.temporaryName(id),
      });
    },
  };
}

function plannedFile({ path, before, after }: PatchedFile): PlannedFile {
  return {
    path,
    current: before,
    target: after && { bytes: after.bytes, mode: after.mode ?? NEW_FILE_MODE },
    action: after ? (before ? 'restored' : 'recreated') : 'deleted',
  };
}

/** What a person is shown is what they permit: a file that changes before the answer is then refused as stale. */
async function notePreviewed({ path, before }: PatchedFile, { seen, now }: ToolContext): Promise<void> {
  if (!before) return;
  await seen.note(path, await seenNow(before.fingerprint, before.bytes.length, now(), before.bytes)).catch(() => {});
}

interface WholeDiff {
  text: string;
  added: number;
  removed: number;
  isCut: boolean;
  /** One for each file. */
  lines: string[];
}

async function wholeDiff(files: readonly PatchedFile[], maxChars: number): Promise<WholeDiff> {
  const whole: WholeDiff = { text: '', added: 0, removed: 0, isCut: false, lines: [] };
  for (const file of files) {
    const { path, before, after, movedFrom } = file;
    const left = Math.max(maxChars - whole.text.length, 0);
    const diff = await unifiedDiff({ path, before: before?.bytes, after: after?.bytes, maxChars: left });
    whole.text += diff.text;
    whole.added += diff.added;
    whole.removed += diff.removed;
    whole.isCut ||= diff.truncated;
    const from = movedFrom === undefined ? '' : ` (from ${movedFrom})`;
    whole.lines.push(`${described(file).change} ${path}${from} +${diff.added} −${diff.removed}`);
  }
  return whole;
}

function described({ path, before, after, movedFrom }: PatchedFile): { path: string; change: string; from?: string } {
  const change = !after ? 'deleted' : movedFrom !== undefined ? 'moved' : before ? 'changed' : 'added';
  return { path, change, ...(movedFrom !== undefined && { from: movedFrom }) };
}

function counted(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}
