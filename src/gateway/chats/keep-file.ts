// A file that a person sent is kept in the workspace, in the inbox of the turn's readers, in a folder of the day.
import { createHash } from 'node:crypto';
import { inboxOf } from '../../vocabulary/inbox-of.ts';
import type { MemoryScope } from '../../vocabulary/memory-scope.ts';
import { WorkspaceError } from '../../vocabulary/workspace-error.ts';
import { ABSENT, type Workspace } from '../../workspace/workspace.ts';
import type { SentContent } from './read-sent-file.ts';

export interface SentFile {
  /** The sender's name for it. */
  name: string;
  /** Tells it from another one of that name; the same again is the same file. */
  id: string;
}

export interface KeepFileOptions {
  workspace: Pick<Workspace, 'writeFile'>;
  maxBytes: number;
}

/** `path`: from `inboxPath`. */
export async function keepFile(
  path: string,
  bytes: Buffer,
  { workspace, maxBytes }: KeepFileOptions,
  signal: AbortSignal,
): Promise<void> {
  try {
    const options = { mode: 'overwrite' as const, createParents: true, expected: ABSENT, maxBytes, signal };
    await workspace.writeFile(path, bytes, options);
  } catch (error) {
    // The same message before a restart: it is there already.
    if (!(error instanceof WorkspaceError) || error.code !== 'changed') throw error;
  }
}

/** Where a file that was sent is kept in the workspace. */
export function inboxPath({ name, id }: SentFile, { now, scope }: { now: number; scope: MemoryScope }): string {
  return `${inboxOf(scope)}/${new Date(now).toISOString().slice(0, 10)}/${uniqueName(name, id)}`;
}

/** What the model learns of it besides its content. */
export function keptFileLine(path: string, content: SentContent): string {
  if (content.kind !== 'read') return `[file saved as ${path}; its content is not attached: ${reasonOf(content)}]`;
  const isPicture = content.attachments[0]?.kind === 'image';
  return `[${isPicture ? 'picture' : 'file'} saved as ${path}]`;
}

function reasonOf({ kind, reason }: Exclude<SentContent, { kind: 'read' }>): string {
  return kind === 'unreadable' ? reason : `it is ${reason}`;
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
