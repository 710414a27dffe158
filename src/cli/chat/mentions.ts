// Files of the workspace that a message names with `@path`: those that exist are attached as `--file` and `--image` do. The text stays as
// it was typed, and the person sees which names are not files here. Nothing outside the workspace is attached: a text that was pasted may name anything.
import { realpath, stat } from 'node:fs/promises';
import { extname, resolve, sep } from 'node:path';
import type { Attachment } from '../../pipeline/attachments.ts';
import type { Terminal } from '../terminal.ts';

const PICTURES = ['.png', '.jpg', '.jpeg', '.gif', '.webp', '.tif', '.tiff', '.avif', '.heic', '.heif', '.bmp'];
/** Of a text that was pasted, with names that were never meant. */
const MOST_NOTICES = 3;
const MENTION = /(?<=^|\s)@(?:"([^"\n]+)"|(\S+))/g;

/** Every path behind an `@`, once. */
export function mentionsIn(text: string): string[] {
  const found = [...text.matchAll(MENTION)].map(([, quoted, plain = '']) => quoted ?? plain);
  return [...new Set(found)].filter((path) => path !== '');
}

export interface ReadMentions {
  attachments: Attachment[];
  /** Why a name is only text, in words. */
  notices: string[];
}

/** Rejects with a UsageError that names the file which cannot be attached. */
export async function readMentions(text: string, root: string, { environment }: Terminal): Promise<ReadMentions> {
  const { readAttachments } = await import('../attachments.ts');
  const attachments: Attachment[] = [];
  const notices: string[] = [];
  for (const mention of mentionsIn(text)) {
    const path = await existing(mention, root);
    if (path === undefined) {
      const problem = await whyNot(mention, root);
      if (problem !== undefined) notices.push(`${problem}: @${withoutPunctuation(mention)} is sent as text`);
      continue;
    }
    const isPicture = PICTURES.includes(extname(path).toLowerCase());
    const from = { environment: { ...environment, cwd: root }, flags: { file: '@file', image: '@file' } };
    attachments.push(...(await readAttachments(isPicture ? [] : [path], isPicture ? [path] : [], from)));
  }
  return { attachments, notices: notices.slice(0, MOST_NOTICES) };
}

/** Undefined for a folder of the workspace, which the model can list by its name. */
async function whyNot(mention: string, root: string): Promise<string | undefined> {
  const path = resolve(root, withoutPunctuation(mention));
  if (!(await stat(path).catch(() => undefined))) return 'There is no such file';
  return path === root || (await isInside(path, root)) ? undefined : 'It is outside the workspace';
}

function withoutPunctuation(mention: string): string {
  return mention.replace(/[.,;:!?)\]}'"]+$/, '');
}

/** The file as it is named, or without the punctuation that ends the sentence. */
async function existing(mention: string, root: string): Promise<string | undefined> {
  for (const path of [mention, withoutPunctuation(mention)]) {
    const stats = path === '' ? undefined : await stat(resolve(root, path)).catch(() => undefined);
    if (stats && !stats.isDirectory() && (await isInside(resolve(root, path), root))) return path;
  }
  return undefined;
}

async function isInside(path: string, root: string): Promise<boolean> {
  const [real, realRoot] = await Promise.all([realpath(path), realpath(root)]).catch(() => ['', '']);
  return real.startsWith(realRoot.endsWith(sep) ? realRoot : `${realRoot}${sep}`);
}
