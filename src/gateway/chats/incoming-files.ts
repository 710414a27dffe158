// Files that came with a message: kept in the workspace under inbox/<date>/, attached to the turn where a model can read
// them, and the model gets their path. A file that cannot be fetched is named too; it never fails the turn.
import { createHash } from 'node:crypto';
import type { Channel, IncomingFile } from '../../channels/channel.ts';
import { imageType } from '../../lib/image-type.ts';
import type { Attachment } from '../../pipeline/attachments.ts';
import { WorkspaceError } from '../../vocabulary/workspace-error.ts';
import { ABSENT, type Workspace } from '../../workspace/workspace.ts';
import type { ChatMessage } from './chat.ts';

const TEXT_BYTES = 1024 * 1024;
const IMAGE_BYTES = 10 * 1024 * 1024;

export interface TakeFilesOptions {
  channel: Channel;
  workspace: Pick<Workspace, 'writeFile'>;
  maxBytes: number;
  now(): number;
}

export interface TakenFiles {
  attachments: Attachment[];
  /** A line for each file: where it is, or why not. */
  told: string[];
}

export async function takeFiles(
  messages: readonly ChatMessage[],
  options: TakeFilesOptions,
  signal: AbortSignal,
): Promise<TakenFiles> {
  const taken: TakenFiles = { attachments: [], told: [] };
  for (const { message } of messages) {
    for (const [index, file] of message.files.entries()) {
      try {
        const { path, attachment } = await take(file, `${message.id}/${index}`, options, signal);
        taken.told.push(`[${file.kind === 'image' ? 'picture' : 'file'} saved as ${path}]`);
        if (attachment) taken.attachments.push(attachment);
      } catch (error) {
        signal.throwIfAborted();
        taken.told.push(`[${safeName(file.name)} was sent too, but could not be fetched: ${(error as Error).message}]`);
      }
    }
  }
  return taken;
}

async function take(
  file: IncomingFile,
  id: string,
  { channel, workspace, maxBytes, now }: TakeFilesOptions,
  signal: AbortSignal,
): Promise<{ path: string; attachment?: Attachment }> {
  const bytes = Buffer.from(await channel.download(file, maxBytes, signal));
  const date = new Date(now()).toISOString().slice(0, 10);
  const path = `inbox/${date}/${uniqueName(file.name, id)}`;
  try {
    const options = { mode: 'overwrite' as const, createParents: true, expected: ABSENT, maxBytes, signal };
    await workspace.writeFile(path, bytes, options);
  } catch (error) {
    // The same message before a restart: it is there already.
    if (!(error instanceof WorkspaceError) || error.code !== 'changed') throw error;
  }
  return { path, attachment: attachmentOf(path, bytes) };
}

function attachmentOf(path: string, bytes: Buffer): Attachment | undefined {
  const mimeType = imageType(bytes);
  if (mimeType) {
    if (bytes.length > IMAGE_BYTES) return undefined;
    return { kind: 'image', name: path, mimeType, data: bytes.toString('base64') };
  }
  if (bytes.length > TEXT_BYTES || bytes.includes(0)) return undefined;
  try {
    return { kind: 'text', name: path, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return undefined;
  }
}

/** The sender's name for it, with what tells it from another of that name. */
function uniqueName(name: string, id: string): string {
  const mark = createHash('sha256').update(id).digest('hex').slice(0, 8);
  const safe = safeName(name);
  const dot = safe.lastIndexOf('.');
  return dot > 0 ? `${safe.slice(0, dot)}-${mark}${safe.slice(dot)}` : `${safe}-${mark}`;
}

/** Letters, digits and a few signs of any script; no hidden file, no path, not too long. */
export function safeName(name: string): string {
  const last = name.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const plain = last.replace(/[^\p{L}\p{N}\p{M}._+@-]+/gu, '_').replace(/^[._-]+/, '');
  const [, stem = '', extension = ''] = /^(.*?)(\.[A-Za-z0-9]{1,10})?$/u.exec(plain) ?? [];
  const short = Array.from(stem).slice(0, 50).join('');
  return (short || 'file') + extension;
}
