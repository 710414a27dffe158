// Reads the files that a patch names and works out what each would be afterwards, without changing any. Sections that follow each other on one file see
// what the ones before have made of it.
import { dirname } from 'node:path';
import { LARGEST_KEPT_BYTES, readWholeFile, type WholeFile } from '../../../workspace/file-access.ts';
import { type ToolContext, ToolFailure } from '../../tool.ts';
import { orToolFailure } from '../failure.ts';
import { inCharset } from '../in-charset.ts';
import { orTooLargeForUndo } from '../read-kept.ts';
import { refuseBinary } from '../refuse-binary.ts';
import { refuseStale } from '../refuse-stale.ts';
import { applyHunks } from './apply-hunks.ts';
import { type FilePatch, patchFailure } from './patch.ts';

const MOST_FILES = 1_000;
const MOST_FILE_BYTES = 10 * 1024 * 1024;

export interface PatchedFile {
  /** Relative to the workspace, links resolved. */
  path: string;
  before: WholeFile | undefined;
  /** Undefined: it is deleted. Without a mode, the umask decides. */
  after: { bytes: Buffer; mode: number | undefined } | undefined;
  /** Where its content comes from, when it was moved. */
  movedFrom?: string;
}

export interface PlannedPatch {
  files: PatchedFile[];
  /** Parent directories that do not exist yet, outermost first. */
  madeDirectories: string[];
}

export async function planPatch(patches: readonly FilePatch[], context: ToolContext): Promise<PlannedPatch> {
  const { workspace, signal } = context;
  const files = new Map<string, PatchedFile>();

  /** As the sections before have left it. */
  async function find(path: string): Promise<PatchedFile> {
    const located = await workspace.locate(path, signal).catch(orToolFailure);
    const known = files.get(located.path);
    if (known) return known;
    if (files.size === MOST_FILES) throw patchFailure(`it changes more than ${MOST_FILES} files: use several patches`);
    const before = located.exists
      ? await readWholeFile(workspace, path, { maxBytes: LARGEST_KEPT_BYTES, signal }).catch(orTooLargeForUndo)
      : undefined;
    if (before) await refuseStale(before, context);
    const file = { path: located.path, before, after: before && { bytes: before.bytes, mode: before.mode } };
    files.set(located.path, file);
    refuseTooMuch(files);
    return file;
  }

  async function existing(path: string): Promise<{ file: PatchedFile; content: NonNullable<PatchedFile['after']> }> {
    const file = await find(path);
    if (!file.after) throw new ToolFailure(`No such file: ${path} (*** Add File creates one). Nothing was changed.`);
    return { file, content: file.after };
  }

  async function absent(path: string): Promise<PatchedFile> {
    const file = await find(path);
    if (!file.after) return file;
    throw new ToolFailure(`${file.path} exists already (*** Update File changes it). Nothing was changed.`);
  }

  async function plan(patch: FilePatch): Promise<void> {
    if (patch.kind === 'add') {
      const file = await absent(patch.path);
      file.after = { bytes: checked(patch.path, Buffer.from(patch.content)), mode: file.before?.mode };
      return;
    }
    const { file, content } = await existing(patch.path);
    if (patch.kind === 'delete') {
      file.after = undefined;
      return;
    }
    const { hunks, to } = patch;
    if (hunks.length > 0) refuseBinary(file.path, content.bytes);
    const after = { bytes: checked(file.path, await changed(file.path, content.bytes, hunks)), mode: content.mode };
    if (to === undefined) {
      file.after = after;
      return;
    }
    Object.assign(await absent(to), { after, movedFrom: file.path });
    file.after = undefined;
  }

  for (const patch of patches) await plan(patch);
  const changing = [...files.values()].filter(isChanged);
  return { files: changing, madeDirectories: await missingDirectories(changing, context) };
}

function isChanged({ before, after }: PatchedFile): boolean {
  if (before && after) return !before.bytes.equals(after.bytes);
  return before !== undefined || after !== undefined;
}

async function changed(path: string, bytes: Buffer, hunks: Parameters<typeof applyHunks>[2]): Promise<Buffer> {
  if (hunks.length === 0) return bytes;
  const { text, bytesOf } = await inCharset(path, bytes);
  const after = await applyHunks(path, text, hunks, async (wanted) => {
    const { nearMatches } = await import('../near-matches.ts');
    return nearMatches(text.toString('utf8'), wanted);
  });
  return bytesOf(after);
}

function checked(path: string, bytes: Buffer): Buffer {
  if (bytes.length <= MOST_FILE_BYTES) return bytes;
  const why = `${path} would have ${bytes.length} bytes, over the limit of ${MOST_FILE_BYTES}`;
  throw new ToolFailure(`${why}. Nothing was changed.`, { reason: 'limit' });
}

function refuseTooMuch(files: ReadonlyMap<string, PatchedFile>): void {
  let total = 0;
  for (const { before } of files.values()) total += before?.bytes.length ?? 0;
  if (total <= LARGEST_KEPT_BYTES) return;
  const why = `the files have more than ${LARGEST_KEPT_BYTES} bytes together: use several patches`;
  throw new ToolFailure(`${why}. Nothing was changed.`, { reason: 'limit' });
}

async function missingDirectories(files: readonly PatchedFile[], context: ToolContext): Promise<string[]> {
  const { workspace, signal } = context;
  const known = new Map<string, boolean>();
  for (const { path, before } of files) {
    if (before) continue;
    for (let directory = dirname(path); directory !== '.' && !known.has(directory); directory = dirname(directory)) {
      const { exists } = await workspace.locate(directory, signal).catch(orToolFailure);
      known.set(directory, exists);
      if (exists) break;
    }
  }
  return [...known].flatMap(([directory, exists]) => (exists ? [] : [directory])).sort();
}
