import { DocumentProblem } from '../../documents/document.ts';
import type { OpenedFile } from '../../workspace/workspace.ts';
import { ToolFailure, type ToolOutput } from '../tool.ts';
import { readAt } from './read-at.ts';

const LARGEST_FILE = 50 * 1024 * 1024;

/** For a model that cannot see, its adapter writes so in place of the picture. */
export async function readPicture({ handle, path, size }: OpenedFile): Promise<ToolOutput> {
  if (size > LARGEST_FILE)
    throw new ToolFailure(`${path} is a picture of ${size} bytes: up to ${LARGEST_FILE} are read`, { reason: 'limit' });
  const { preparePicture } = await import('../../documents/prepare-picture.ts');
  const { mediaType, bytes, width, height, original, count } = await preparePicture(
    await readAt(handle, 0, size),
  ).catch((error: unknown) => {
    if (!(error instanceof DocumentProblem)) throw error;
    throw new ToolFailure(`${path} cannot be shown: ${error.message}`, { cause: error });
  });
  const isSmaller = width !== original.width || height !== original.height;
  const shown =
    (isSmaller ? `, shown as ${width} × ${height}` : '') + (count > 1 ? `; the first of ${count} in it` : '');
  return {
    data: { path, size, mediaType, width: original.width, height: original.height },
    text: `[${path}: a picture of ${original.width} × ${original.height} pixels${shown}]`,
    pictures: [{ mediaType, data: bytes.toString('base64') }],
  };
}
