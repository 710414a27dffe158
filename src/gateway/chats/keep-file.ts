// A file that a person sent: kept in the workspace under inbox/<date>/, and attached to the turn where a model can read it.
import { createHash } from 'node:crypto';
import { imageType } from '../../lib/image-type.ts';
import type { Attachment } from '../../pipeline/attachments.ts';
import { WorkspaceError } from '../../vocabulary/workspace-error.ts';
import { ABSENT, type Workspace } from '../../workspace/workspace.ts';

const TEXT_BYTES = 1024 * 1024;
const IMAGE_BYTES = 10 * 1024 * 1024;

export interface SentFile {
  /** The sender's name for it. */
  name: string;
  bytes: Buffer;
  /** Tells it from another one of that name; the same again is the same file. */
  id: string;
}

export interface KeepFileOptions {
  workspace: Pick<Workspace, 'writeFile'>;
  maxBytes: number;
  now(): number;
}

export interface KeptFile {
  path: string;
  /** Absent when no model could read it. */
  attachment?: Attachment;
}

export async function keepFile(
  { name, bytes, id }: SentFile,
  { workspace, maxBytes, now }: KeepFileOptions,
  signal: AbortSignal,
): Promise<KeptFile> {
  const date = new Date(now()).toISOString().slice(0, 10);
  const path = `inbox/${date}/${uniqueName(name, id)}`;
  try {
    const options = { mode: 'overwrite' as const, createParents: true, expected: ABSENT, maxBytes, signal };
    await workspace.writeFile(path, bytes, options);
  } catch (error) {
    // The same message before a restart: it is there already.
    if (!(error instanceof WorkspaceError) || error.code !== 'changed') throw error;
  }
  const attachment = attachmentOf(path, bytes);
  return { path, ...(attachment && { attachment }) };
}

/** What the model is told of it. */
export function keptFileLine({ path, isPicture }: { path: string; isPicture: boolean }): string {
  return `[${isPicture ? 'picture' : 'file'} saved as ${path}]`;
}

/** Undefined when no model could read it. */
export function attachmentOf(path: string, bytes: Buffer): Attachment | undefined {
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
