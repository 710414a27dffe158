import { documentKind, isPicture, KIND_BYTES } from '../../documents/document-kind.ts';
import { sha256Of } from '../../lib/sha256.ts';
import type { OpenedFile } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import type { ToolOutput, ToolSpec } from '../tool.ts';
import { ToolFailure } from '../tool.ts';
import { orToolFailure } from './failure.ts';
import { readAt } from './read-at.ts';
import { openOutput, taintedOutput } from './read-output.ts';
import { readText } from './read-text.ts';
import { seenNow } from './seen.ts';

const MAX_BYTES = 10 * 1024 * 1024;
/** A file up to this size is read whole even when only a range is asked for: it may be edited next. */
const NOTED_BYTES = 4 * 1024 * 1024;
/** A file that changed less than this ago can change again without its times showing it: then its content counts too. */
const SETTLED_MS = 2_000;

export function createReadFileTool(): ToolSpec {
  return defineTool({
    name: 'fs.read_file',
    aliases: ['file_read'],
    schema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1 },
        startLine: { type: 'integer', minimum: 1 },
        maxLines: { type: 'integer', minimum: 1 },
        maxBytes: { type: 'integer', minimum: 1, maximum: MAX_BYTES, default: 204_800 },
        pages: { type: 'string', minLength: 1, maxLength: 200 },
        view: { type: 'string', enum: ['text', 'source', 'picture'] },
        tail: { type: 'integer', minimum: 1 },
      },
      required: ['path'],
      additionalProperties: false,
    },
    effect: 'read',
    subject: ({ path }) => ({ kind: 'path', path, access: 'read' }),
    rules: { pattern: 'path', governs: 'read' },
    handlesFiles: 'contents',
    timeoutMs: 20_000,
    async fingerprint({ path }, { workspace, signal, now }) {
      const file = await workspace.openFile(path, signal).catch(() => undefined);
      if (!file) return undefined;
      try {
        const state = `${file.path}|${file.fingerprint}`;
        if (now() - file.changedAt >= SETTLED_MS) return state;
        return file.size > MAX_BYTES ? undefined : `${state}|${await contentHash(file)}`;
      } finally {
        await file.handle.close();
      }
    },
    async execute(args, context) {
      const { workspace, signal, seen, now } = context;
      const kept = await openOutput(args.path, context);
      const file = kept ?? (await workspace.openFile(args.path, signal).catch(orExplained));
      let whole: Buffer | undefined;
      try {
        const output = (await readOther(file, args, signal)) ?? (await asText());
        if (kept) return taintedOutput(output, args.path);
        // A note that is lost only means that a later edit is not compared with this look.
        const shown = await seenNow(file.fingerprint, file.size, now(), whole);
        await seen.note(file.path, shown).catch(() => {});
        return output;
      } finally {
        await file.handle.close();
      }

      function orExplained(error: unknown): never {
        const problem = context.problemOfSentFile?.(args.path);
        if (problem !== undefined) throw new ToolFailure(problem, { cause: error });
        return orToolFailure(error);
      }

      async function asText(): Promise<ToolOutput> {
        const text = await readText(file, args, signal);
        whole = text.whole ?? (file.size <= NOTED_BYTES ? await readAt(file.handle, 0, file.size) : undefined);
        return text.output;
      }
    },
  });
}

interface ReadArgs {
  startLine?: number;
  maxLines?: number;
  pages?: string;
  view?: 'text' | 'source' | 'picture';
}

/** A picture or a document; undefined: the file is read as text. */
async function readOther(file: OpenedFile, args: ReadArgs, signal: AbortSignal): Promise<ToolOutput | undefined> {
  if (args.view === 'source' || file.size === 0) return undefined;
  const head = await readAt(file.handle, 0, Math.min(KIND_BYTES, file.size));
  if (isPicture(head)) return (await import('./read-picture.ts')).readPicture(file);
  const kind = documentKind(head, file.path);
  // A person who works on a page or a table wants to see what is in the file; text in UTF-16 has no other reader.
  const isSource =
    (kind === 'html' || kind === 'csv') && args.view === undefined && args.pages === undefined && !head.includes(0);
  if (kind === undefined || isSource) return undefined;
  return (await import('./read-document.ts')).readDocumentFile(file, kind, args, signal);
}

async function contentHash({ handle, size }: OpenedFile): Promise<string> {
  return sha256Of(await readAt(handle, 0, size));
}
