// The one place that bounds pictures in results. Each goes to a file, so that neither the journal nor what is reused holds
// megabytes; the text says where it is, and what was left out and why. The files are read back when a model is asked.
import { type FileHandle, readFile, stat, writeFile } from 'node:fs/promises';
import { imageType } from '../lib/image-type.ts';

const MOST_PICTURES = 8;
/** What the strictest of the large providers accepts. */
const LARGEST_BYTES = 5 * 1024 * 1024;
/** A larger one of a tool is not even looked at. */
const LARGEST_RETURNED = 30 * 1024 * 1024;

/** A picture that a tool returns: in base64, or as a file that it has made and that stays. */
export type ToolPicture = ({ mediaType: string; data: string } | { mediaType: string; path: string }) & ForPerson;

interface ForPerson {
  /** The tool made it (a screenshot, a chart): a chat gets it with the answer. Absent: the model only reads it. */
  isForPerson?: true;
}

/** As it is kept with the result. */
export interface KeptPicture extends ForPerson {
  mediaType: string;
  path: string;
}

export interface BoundPictures {
  kept: KeptPicture[];
  /** One line for each, for readers of the text. */
  lines: string[];
}

/** `place` returns a path that does not exist yet. The first bytes decide the type, not what the tool says. */
export async function boundPictures(
  pictures: readonly ToolPicture[],
  place: (name: string) => Promise<string>,
): Promise<BoundPictures> {
  const bound: BoundPictures = { kept: [], lines: [] };
  for (const picture of pictures.slice(0, MOST_PICTURES)) {
    const bytes = await bytesOf(picture);
    const mediaType = bytes && imageType(bytes);
    if (!bytes || !mediaType) {
      bound.lines.push(`[a picture was left out: ${bytes ? 'not a PNG, JPEG, GIF or WebP' : TOO_LARGE}]`);
      continue;
    }
    const path =
      'path' in picture ? picture.path : await place(`picture-${bound.kept.length + 1}${endingOf(mediaType)}`);
    // Synced: the outbox may refer to it.
    if (!('path' in picture)) await writeFile(path, bytes, { flag: 'wx', mode: 0o600, flush: true });
    bound.kept.push({ mediaType, path, ...(picture.isForPerson && { isForPerson: true }) });
    bound.lines.push(`[picture ${mediaType}, ${bytes.length} bytes, in ${path}]`);
  }
  const more = pictures.length - MOST_PICTURES;
  if (more > 0) bound.lines.push(`[${more} more pictures were left out: ${MOST_PICTURES} at most]`);
  return bound;
}

/** Opens a kept file that another machine has made; undefined when there is none. */
export type OpenKept = (path: string) => Promise<FileHandle | undefined>;

/** For a model. A file that is gone, or has become something else, is passed over: the text names it. */
export async function readPictures(
  kept: readonly KeptPicture[],
  openKept?: OpenKept,
): Promise<{ mimeType: string; data: string }[]> {
  const read = await Promise.all(
    kept.map(async ({ path, mediaType }) => {
      const bytes =
        (await readBounded(path).catch(() => undefined)) ??
        (openKept && (await readElsewhere(openKept, path).catch(() => undefined)));
      return bytes && imageType(bytes) === mediaType ? [{ mimeType: mediaType, data: bytes.toString('base64') }] : [];
    }),
  );
  return read.flat();
}

const TOO_LARGE = `larger than ${LARGEST_BYTES / 1024 ** 2} MB, or not there`;

/** Undefined when there is none, or too much of it. */
async function bytesOf(picture: ToolPicture): Promise<Buffer | undefined> {
  if ('path' in picture) return readBounded(picture.path).catch(() => undefined);
  if (picture.data.length > LARGEST_RETURNED * 1.4) return undefined;
  const bytes = Buffer.from(picture.data, 'base64');
  if (bytes.length > LARGEST_BYTES) return smaller(bytes);
  return bytes.length > 0 ? bytes : undefined;
}

/** Undefined when it cannot be made smaller. */
async function smaller(bytes: Buffer): Promise<Buffer | undefined> {
  const { preparePicture } = await import('../documents/prepare-picture.ts');
  return preparePicture(bytes).then(
    (prepared) => prepared.bytes,
    () => undefined,
  );
}

async function readBounded(path: string): Promise<Buffer | undefined> {
  const { size } = await stat(path);
  return size > 0 && size <= LARGEST_BYTES ? readFile(path) : undefined;
}

async function readElsewhere(openKept: OpenKept, path: string): Promise<Buffer | undefined> {
  const handle = await openKept(path);
  try {
    const { size = 0 } = (await handle?.stat()) ?? {};
    return size > 0 && size <= LARGEST_BYTES ? await handle?.readFile() : undefined;
  } finally {
    await handle?.close();
  }
}

function endingOf(mediaType: string): string {
  return `.${mediaType.slice('image/'.length)}`;
}
