// A picture as a model is given it: no side longer than providers look at, within their size, upright, and without what a camera
// wrote into it (place, time, device). A picture that is like that already stays as it is.
import type { Metadata, Sharp } from 'sharp';
import { imageType } from '../lib/image-type.ts';
import { installCommand } from '../lib/install-command.ts';
import { DocumentProblem } from './document.ts';
import { KIND_BYTES, unreadablePicture } from './document-kind.ts';

export const LONGEST_SIDE = 1_568;
/** The strictest of the large providers takes 5 MB in base64. */
export const LARGEST_BYTES = 3_600_000;
/** A picture of more pixels is refused before it is unpacked. */
const MOST_PIXELS = 100_000_000;
/** A drawing or a screenshot up to this size stays lossless. */
const LOSSLESS_BYTES = 1_500_000;

export interface PreparedPicture {
  mediaType: string;
  bytes: Buffer;
  width: number;
  height: number;
  /** Of the file, upright. */
  original: { width: number; height: number };
  /** How many pictures the file holds (an animation, a TIFF of several pages); this is the first. */
  count: number;
}

/** Throws `DocumentProblem`; `unsupported` where the package for pictures is not installed. */
export async function preparePicture(bytes: Buffer): Promise<PreparedPicture> {
  const open = await openSharp();
  try {
    const metadata = await open(bytes).metadata();
    const original = metadata.autoOrient;
    const mediaType = imageType(bytes);
    const count = metadata.pages ?? 1;
    if (mediaType && isFit(metadata, bytes)) return { mediaType, bytes, ...original, original, count };
    return { ...(await encoded(open(bytes), metadata)), original, count };
  } catch (error) {
    if (error instanceof DocumentProblem) throw error;
    throw pictureProblem(bytes, error);
  }
}

/** Of what the library says, the first line: for a damaged file it writes many. */
function pictureProblem(bytes: Buffer, error: unknown): DocumentProblem {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  if (/pixel limit/i.test(reason))
    return new DocumentProblem('too_large', `the picture has more than ${MOST_PIXELS / 1_000_000} megapixels`, error);
  const kind = unreadablePicture(bytes.subarray(0, KIND_BYTES));
  if (kind)
    return new DocumentProblem(
      'unsupported',
      `it is a ${kind} picture, a kind that is not supported: save it as JPEG or PNG`,
      error,
    );
  return new DocumentProblem('damaged', `the picture is damaged, or of a kind that cannot be read: ${reason}`, error);
}

/** Models look at the first picture of an animation, or refuse it. */
function isFit({ width, height, exif, xmp, iptc, comments, pages, orientation = 1 }: Metadata, bytes: Buffer): boolean {
  const isPlain = !exif && !xmp && !iptc && !comments?.length && orientation === 1 && (pages ?? 1) === 1;
  return isPlain && Math.max(width, height) <= LONGEST_SIDE && bytes.length <= LARGEST_BYTES;
}

async function encoded(
  picture: Sharp,
  { format, hasAlpha }: Metadata,
): Promise<Omit<PreparedPicture, 'original' | 'count'>> {
  const upright = picture
    .autoOrient()
    .resize({ width: LONGEST_SIDE, height: LONGEST_SIDE, fit: 'inside', withoutEnlargement: true });
  const isDrawn = format === 'png' || format === 'gif' || hasAlpha;
  if (isDrawn) {
    const { data, info } = await upright.clone().png().toBuffer({ resolveWithObject: true });
    if (data.length <= LOSSLESS_BYTES)
      return { mediaType: 'image/png', bytes: data, width: info.width, height: info.height };
  }
  const { data, info } = await upright.flatten({ background: '#fff' }).jpeg({ quality: 85 }).toBuffer({
    resolveWithObject: true,
  });
  return { mediaType: 'image/jpeg', bytes: data, width: info.width, height: info.height };
}

async function openSharp(): Promise<(bytes: Buffer) => Sharp> {
  try {
    const { default: sharp } = await import('sharp');
    sharp.cache(false);
    return (bytes) => sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error' });
  } catch (error) {
    throw new DocumentProblem(
      'unsupported',
      `pictures need the package sharp, which is not installed: run "${installCommand('sharp')}"`,
      error,
    );
  }
}
