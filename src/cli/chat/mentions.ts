// Files of the workspace that a message names with `@path`: those that exist are attached as `--file` and `--image` do. The text stays as
// it was typed. Nothing outside the workspace is: a text that was pasted may name anything.
import { realpath, stat } from 'node:fs/promises';
import { extname, resolve, sep } from 'node:path';
import type { Attachment } from '../../pipeline/attachments.ts';
import type { Terminal } from '../terminal.ts';

const PICTURES = ['.png', '.jpg', '.jpeg', '.gif', '.webp'];
const MENTION = /(?<=^|\s)@(?:"([^"\n]+)"|(\S+))/g;

/** Every path behind an `@`, once. */
export function mentionsIn(text: string): string[] {
  const found = [...text.matchAll(MENTION)].map(([, quoted, plain = '']) => quoted ?? plain);
  return [...new Set(found)].filter((path) => path !== '');
}

/** Rejects with a UsageError that names the file which cannot be attached. Names that are no files are only text. */
export async function readMentions(text: string, root: string, { environment }: Terminal): Promise<Attachment[]> {
  const { readAttachments } = await import('../attachments.ts');
  const attachments: Attachment[] = [];
  for (const mention of mentionsIn(text)) {
    const path = await existing(mention, root);
    if (path === undefined) continue;
    const isPicture = PICTURES.includes(extname(path).toLowerCase());
    const from = { environment: { ...environment, cwd: root }, flags: { file: '@file', image: '@file' } };
    attachments.push(...(await readAttachments(isPicture ? [] : [path], isPicture ? [path] : [], from)));
  }
  return attachments;
}

/** The file as it is named, or without the punctuation that ends the sentence. */
async function existing(mention: string, root: string): Promise<string | undefined> {
  for (const path of [mention, mention.replace(/[.,;:!?)\]}'"]+$/, '')]) {
    const stats = path === '' ? undefined : await stat(resolve(root, path)).catch(() => undefined);
    if (stats && !stats.isDirectory() && (await isInside(resolve(root, path), root))) return path;
  }
  return undefined;
}

async function isInside(path: string, root: string): Promise<boolean> {
  const [real, realRoot] = await Promise.all([realpath(path), realpath(root)]).catch(() => ['', '']);
  return real.startsWith(realRoot.endsWith(sep) ? realRoot : `${realRoot}${sep}`);
}
