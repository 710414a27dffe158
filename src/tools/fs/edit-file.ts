import { readWholeFile, type WholeFile } from '../../workspace/file-access.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { type ToolContext, ToolFailure, type ToolSpec } from '../tool.ts';
import { changeFile, checkText, diffOf, linkNote, notePreviewed, type PlannedChange } from './change-file.ts';
import { orToolFailure } from './failure.ts';
import { findText, isSameText, lineOf, type Match, replaceMatches } from './find-text.ts';
import { inCharset } from './in-charset.ts';
import { refuseBinary } from './refuse-binary.ts';
import { refuseStale } from './refuse-stale.ts';

const LIMIT_BYTES = 10 * 1024 * 1024;
const MOST_MATCHES = 100_000;
const LINES_NAMED = 20;

interface EditArgs {
  path: string;
  oldText: string;
  newText: string;
  replaceAll: boolean;
}

interface PlannedEdit extends PlannedChange {
  replacements: number;
}

export function createEditFileTool(): ToolSpec {
  return defineTool({
    name: 'file_edit',
    schema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1 },
        oldText: { type: 'string', minLength: 1 },
        newText: { type: 'string' },
        replaceAll: { type: 'boolean', default: false },
      },
      required: ['path', 'oldText', 'newText'],
      additionalProperties: false,
    },
    effect: 'write',
    subject: ({ path }) => ({ kind: 'path', path, access: 'write' }),
    rules: { pattern: 'path', governs: 'change' },
    handlesFiles: 'contents',
    timeoutMs: 20_000,

    async preview(args, context) {
      const edit = await planEdit(args, context);
      await notePreviewed(edit, context);
      const { text } = await diffOf(edit);
      return { summary: `edit ${edit.resolved} (${places(edit.replacements)})`, text, paths: [edit.resolved] };
    },

    async execute(args, context) {
      const edit = await planEdit(args, context);
      const written = await changeFile(edit, context);
      const { text: diff } = await diffOf(edit);
      const { resolved, replacements, after } = edit;
      return {
        data: { path: resolved, replacements, bytes: after.length, diff },
        text: `${repliesIn(context).edited(resolved, replacements)}${linkNote(written)}\n${diff}`,
      };
    },
  });
}

async function planEdit({ path, oldText, newText, replaceAll }: EditArgs, context: ToolContext): Promise<PlannedEdit> {
  const { workspace, signal } = context;
  checkText(newText, 'newText');
  if (isSameText(oldText, newText)) {
    throw new ToolFailure('oldText and newText are the same (an edit keeps line endings): nothing to do', {
      code: 'invalid_args',
    });
  }
  const { path: resolved } = await workspace.locate(path, signal).catch(orToolFailure);
  const before = await readWholeFile(workspace, path, { maxBytes: LIMIT_BYTES, signal }).catch(orToolFailure);
  if (!before) throw new ToolFailure(`No such file: ${path} — file_write creates files`);
  refuseBinary(before.path, before.bytes);
  await refuseStale(before, context);
  const { text, bytesOf } = await inCharset(before.path, before.bytes);
  const read = { path: before.path, bytes: text };
  const matches = findText(text, oldText, { overlapping: !replaceAll, limit: MOST_MATCHES + 1 });
  if (matches.length === 0) throw await notFound(read, oldText);
  if (matches.length > 1 && !replaceAll) throw severalFound(read, matches);
  if (matches.length > MOST_MATCHES) throw overLimit(`oldText occurs more than ${MOST_MATCHES} times in ${resolved}`);
  const after = await bytesOf(replaceMatches(text, matches, newText));
  if (after.length > LIMIT_BYTES) {
    throw overLimit(`${resolved} would have ${after.length} bytes, over the limit of ${LIMIT_BYTES}`);
  }
  return {
    tool: 'file_edit',
    path,
    resolved,
    before,
    after,
    write: { mode: 'overwrite', bytes: after },
    maxBytes: LIMIT_BYTES,
    replacements: matches.length,
  };
}

async function notFound({ path, bytes }: Pick<WholeFile, 'path' | 'bytes'>, oldText: string): Promise<ToolFailure> {
  const { nearMatches } = await import('./near-matches.ts');
  const near = nearMatches(bytes.toString('utf8'), oldText);
  const advice = oldText.includes('\ufffd')
    ? 'oldText holds U+FFFD, which replaces bytes that are not valid UTF-8: choose a piece without it.'
    : 'oldText must be copied exactly, white space included.';
  const closest = near ? `\nClosest:\n${near}\n` : ' ';
  return new ToolFailure(`oldText does not occur in ${path}.${closest}${advice}`);
}

function severalFound({ path, bytes }: Pick<WholeFile, 'path' | 'bytes'>, matches: readonly Match[]): ToolFailure {
  const lines = matches.slice(0, LINES_NAMED).map(({ start }) => lineOf(bytes, start));
  const more = matches.length > LINES_NAMED ? ', …' : '';
  const count = matches.length > MOST_MATCHES ? `more than ${MOST_MATCHES}` : matches.length;
  return new ToolFailure(
    `oldText occurs ${count} times in ${path} (lines ${lines.join(', ')}${more}): add lines around it until it is unique, or set replaceAll`,
  );
}

function overLimit(message: string): ToolFailure {
  return new ToolFailure(message, { reason: 'limit' });
}

function places(count: number): string {
  return count === 1 ? '1 place' : `${count} places`;
}
