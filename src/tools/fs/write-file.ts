import { LARGEST_KEPT_BYTES, readWholeFile } from '../../workspace/file-access.ts';
import type { Written } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { type ToolContext, ToolFailure, type ToolSpec } from '../tool.ts';
import { changeFile, checkText, diffOf, linkNote, notePreviewed, type PlannedChange } from './change-file.ts';
import { orToolFailure } from './failure.ts';
import { inCharsetOf } from './in-charset.ts';
import { orTooLargeForUndo } from './read-kept.ts';
import { refuseStale } from './refuse-stale.ts';

const DEFAULT_LIMIT_BYTES = 1024 * 1024;
const HEAD_CHARS = 4_000;

interface WriteArgs {
  path: string;
  content: string;
  mode: 'overwrite' | 'append';
}

export interface WriteFileDependencies {
  /** Of the whole file afterwards. */
  maxFileSizeBytes?: number;
  /** Waits until no other session appends to the file with this absolute path. */
  lockAppend?: LockAppend;
}

export type LockAppend = (path: string, signal: AbortSignal) => Promise<{ release(): Promise<void> }>;

export function createWriteFileTool({
  maxFileSizeBytes = DEFAULT_LIMIT_BYTES,
  lockAppend,
}: WriteFileDependencies = {}): ToolSpec {
  const plan = (args: WriteArgs, context: ToolContext) => planWrite(args, context, maxFileSizeBytes);

  /** `written` is undefined when the file has exactly this content already. */
  async function changeAsPlanned(
    args: WriteArgs,
    context: ToolContext,
  ): Promise<{ change: PlannedChange; written: Written | undefined }> {
    const change = await plan(args, context);
    if (change.before?.bytes.equals(change.after)) return { change, written: undefined };
    return { change, written: await changeFile(change, context) };
  }

  /** What is added goes to the end as it is then: sessions that append to one file at the same time wait for each other. */
  async function write(args: WriteArgs, context: ToolContext): ReturnType<typeof changeAsPlanned> {
    if (args.mode !== 'append' || !lockAppend) return changeAsPlanned(args, context);
    const { workspace, signal } = context;
    const { path } = await workspace.locate(args.path, signal).catch(orToolFailure);
    const lock = await lockAppend(`${workspace.root}/${path}`, signal);
    try {
      return await changeAsPlanned(args, context);
    } finally {
      await lock.release();
    }
  }

  return defineTool({
    name: 'file_write',
    schema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1 },
        content: { type: 'string' },
        mode: { type: 'string', enum: ['overwrite', 'append'], default: 'overwrite' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    effect: 'write',
    subject: ({ path }) => ({ kind: 'path', path, access: 'write' }),
    rules: { pattern: 'path', governs: 'write' },
    handlesFiles: 'contents',
    timeoutMs: 20_000,

    async preview(args, context) {
      const change = await plan(args, context);
      await notePreviewed(change, context);
      const { resolved, before, after } = change;
      if (before) {
        const { text } = await diffOf(change);
        const verb = change.write.mode === 'append' ? 'append to' : 'overwrite';
        const shown = text || 'no change: it has exactly this content already';
        return { summary: `${verb} ${resolved}`, text: shown, paths: [resolved] };
      }
      const content = after.toString('utf8');
      const more = content.length > HEAD_CHARS ? `\n… ${content.length - HEAD_CHARS} more characters` : '';
      const summary = `create ${resolved} (${after.length} bytes)`;
      const isCut = more !== '' && { isCut: true as const };
      return { summary, text: content.slice(0, HEAD_CHARS) + more, paths: [resolved], ...isCut };
    },

    async execute(args, context) {
      const replies = repliesIn(context);
      const { change, written } = await write(args, context);
      const { resolved, before, after } = change;
      const data = { path: resolved, created: before === undefined, bytes: after.length };
      if (!written) {
        const text = replies.unchanged(resolved);
        return { data: { ...data, diff: '' }, text };
      }
      if (!before) {
        return { data: { ...data, diff: '' }, text: replies.created(resolved, after.length) };
      }
      const diff = await diffOf(change);
      const text = `${replies.wrote(resolved, after.length, before.bytes.length)}${linkNote(written)}\n${diff.text}`;
      return { data: { ...data, diff: diff.text }, text };
    },
  });
}

async function planWrite(
  { path, content, mode }: WriteArgs,
  context: ToolContext,
  maxBytes: number,
): Promise<PlannedChange> {
  const { workspace, signal } = context;
  checkText(content, 'content');
  const given = Buffer.from(content);
  if (given.length > maxBytes) throw tooLarge(path, given.length, maxBytes);
  const { path: resolved } = await workspace.locate(path, signal).catch(orToolFailure);
  const before = await readWholeFile(workspace, path, { maxBytes: LARGEST_KEPT_BYTES, signal }).catch(
    orTooLargeForUndo,
  );
  const isText = before !== undefined && !before.bytes.includes(0);
  const bytes = isText ? await inCharsetOf(before.bytes, resolved, given) : given;
  const after = before && mode === 'append' ? Buffer.concat([before.bytes, bytes]) : bytes;
  if (after.length > maxBytes) throw tooLarge(path, after.length, maxBytes);
  if (before && mode === 'overwrite') await refuseStale(before, context);
  return { tool: 'file_write', path, resolved, before, after, write: { mode, bytes }, maxBytes };
}

function tooLarge(path: string, size: number, maxBytes: number): ToolFailure {
  return new ToolFailure(
    `${path} would have ${size} bytes, over the limit of ${maxBytes} (maxFileSizeBytes): write less, or several files`,
    { reason: 'limit' },
  );
}
