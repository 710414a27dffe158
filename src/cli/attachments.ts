// What is attached to a question: files the person names, images, and what another program pipes in. The person chose
// these paths, so they are not confined to the workspace; they are still regular files of a bounded size.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { setImmediate as nextTurnOfLoop, setTimeout as sleep } from 'node:timers/promises';
import type { Attachment } from '../pipeline/attachments.ts';
import type { InputStream } from './host.ts';
import { type Terminal, UsageError } from './terminal.ts';

const TEXT_LIMIT = 1024 * 1024;
const IMAGE_LIMIT = 10 * 1024 * 1024;
/** What was already said when we look is there within this. */
const AT_ONCE_MS = 10;

/** Where paths start, and what they are called in errors. */
export interface AttachedBy extends Pick<Terminal, 'environment'> {
  flags?: { file: string; image: string };
}

export async function readAttachments(
  files: readonly string[],
  images: readonly string[],
  { environment, flags = { file: '--file', image: '--image' } }: AttachedBy,
): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  for (const path of files) {
    const { isDocument } = await import('../pipeline/document-attachment.ts');
    const { documentAttachments, LARGEST_DOCUMENT } = await import('./document-attachment.ts');
    const bytes = await readRegular(flags.file, resolve(environment.cwd, path), path, LARGEST_DOCUMENT);
    if (isDocument(bytes, path)) {
      attachments.push(...(await documentAttachments(bytes, path)));
      continue;
    }
    if (bytes.length > TEXT_LIMIT) throw tooLarge(flags.file, path, bytes.length, TEXT_LIMIT);
    const { charsetOf } = await import('../documents/text-charset.ts');
    const charset = charsetOf(bytes);
    if (bytes.includes(0) && !charset.startsWith('utf-16'))
      throw new UsageError(
        `${flags.file} ${path} is a binary file: attach text, or a picture${flags.image === '--image' ? ' with --image' : ''}`,
      );
    const text = charset === 'utf-8' ? bytes.toString('utf8') : new TextDecoder(charset).decode(bytes);
    attachments.push({ kind: 'text', name: path, text });
  }
  for (const path of images) {
    const bytes = await readRegular(flags.image, resolve(environment.cwd, path), path, IMAGE_LIMIT);
    const { isPicture, KIND_BYTES } = await import('../documents/document-kind.ts');
    if (!isPicture(bytes.subarray(0, KIND_BYTES)))
      throw new UsageError(`${flags.image} ${path} is not accepted: a PNG, JPEG, GIF, WebP, TIFF or AVIF picture is`);
    const { attachedPicture } = await import('./document-attachment.ts');
    attachments.push(await attachedPicture(bytes, basename(path)));
  }
  return attachments;
}

/** A file that a flag names, as text. Refuses what is not UTF-8, larger than the limit, or not a regular file. */
export async function readTextFile(
  path: string,
  { flag, limit }: { flag: string; limit: number },
  { environment }: AttachedBy,
): Promise<string> {
  const bytes = await readRegular(flag, resolve(environment.cwd, path), path, limit);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${flag} ${path} is not UTF-8 text`);
  }
}

async function readRegular(flag: string, path: string, shown: string, limit: number): Promise<Buffer> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new UsageError(`${flag} ${shown} cannot be read: ${(error as Error).message}`);
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new UsageError(`${flag} ${shown} is not a regular file`);
    if (stats.size > limit) throw tooLarge(flag, shown, stats.size, limit);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

function tooLarge(flag: string, shown: string, size: number, limit: number): UsageError {
  return new UsageError(`${flag} ${shown} has ${size} bytes; accepted: up to ${limit}`);
}

/** What is piped in (`git diff | lainclaw ask "review"`), or undefined when nothing is. */
export async function readPiped({
  input,
  signal,
}: Pick<Terminal, 'input' | 'signal'>): Promise<Extract<Attachment, { kind: 'text' }> | undefined> {
  const kind = input.kind();
  if (kind === 'none' || kind === 'terminal') return undefined;
  const text = await readToEnd(
    input,
    kind === 'file' ? undefined : AT_ONCE_MS,
    () => kind === 'pipe' && input.isFedByPipeline() !== false,
    signal,
  );
  return text ? { kind: 'text', name: 'standard input', text } : undefined;
}

/**
 * Everything to the end. Where nothing comes at once, `isComing` decides whether to wait for it: programs start us with
 * a pipe or a socket that they mostly have nothing to say on.
 */
async function readToEnd(
  input: InputStream,
  atOnceMs: number | undefined,
  isComing: () => boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const stream = input.stream();
  const stop = (): void => void stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  const chunksRead = stream[Symbol.asyncIterator]();
  const first = chunksRead.next();
  first.catch(() => {});
  try {
    const begun = atOnceMs === undefined ? await first : await Promise.race([first, afterLooking(atOnceMs)]);
    if (begun === undefined && !isComing()) {
      stop();
      return undefined;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    for (let item = begun ?? (await first); !item.done; item = await chunksRead.next()) {
      chunks.push(item.value as Buffer);
      size += (item.value as Buffer).length;
      if (size > TEXT_LIMIT)
        throw new UsageError(`standard input has more than ${TEXT_LIMIT} bytes; accepted: up to that`);
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    signal.removeEventListener('abort', stop);
    signal.throwIfAborted();
  }
}

/** On a busy machine the time is over before the input was looked at once; it is, before this resolves. */
async function afterLooking(milliseconds: number): Promise<undefined> {
  await sleep(milliseconds);
  return nextTurnOfLoop(undefined);
}
