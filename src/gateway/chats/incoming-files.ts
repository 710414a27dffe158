// Files that came with a message: kept in the workspace (keep-file.ts), attached to the turn where a model can read
// them, and the model gets their path. A file that cannot be fetched is named too; it never fails the turn.
import type { Channel, IncomingFile } from '../../channels/channel.ts';
import type { Attachment } from '../../pipeline/attachments.ts';
import type { MemoryScope } from '../../vocabulary/memory-scope.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { ChatMessage } from './chat.ts';
import { inboxPath, keepFile, keptFileLine, safeName } from './keep-file.ts';
import { readSentFile } from './read-sent-file.ts';
import type { Transcribe } from './transcribe.ts';

export interface TakeFilesOptions {
  channel: Channel;
  workspace: Pick<Workspace, 'writeFile'>;
  maxBytes: number;
  /** Of the turn. */
  scope: MemoryScope;
  /** Absent: no server for it is configured. */
  transcribe?: Transcribe;
  now(): number;
}

export interface TakenFiles {
  attachments: Attachment[];
  /** A line for each file: where it is, or why not. */
  told: string[];
  /** Where they are in the workspace. */
  paths: string[];
}

export async function takeFiles(
  messages: readonly ChatMessage[],
  options: TakeFilesOptions,
  signal: AbortSignal,
): Promise<TakenFiles> {
  const taken: TakenFiles = { attachments: [], told: [], paths: [] };
  for (const { message } of messages) {
    for (const [index, file] of message.files.entries()) {
      try {
        const { path, bytes } = await take(file, `${message.id}/${index}`, options, signal);
        taken.paths.push(path);
        if (file.isVoice) {
          taken.told.push(await spoken({ path, bytes, name: file.name }, options.transcribe, signal));
          continue;
        }
        const content = await readSentFile(path, bytes, signal);
        taken.told.push(keptFileLine(path, content));
        if (content.kind === 'read') taken.attachments.push(...content.attachments);
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
  { channel, workspace, maxBytes, scope, now }: TakeFilesOptions,
  signal: AbortSignal,
): Promise<{ path: string; bytes: Buffer }> {
  const bytes = Buffer.from(await channel.download(file, maxBytes, signal));
  const path = inboxPath({ name: file.name, id }, { now: now(), scope });
  await keepFile(path, bytes, { workspace, maxBytes }, signal);
  return { path, bytes };
}

/** What the model gets of a voice message: its words, or why it has none. */
async function spoken(
  { path, bytes, name }: { path: string; bytes: Buffer; name: string },
  transcribe: Transcribe | undefined,
  signal: AbortSignal,
): Promise<string> {
  const saved = `voice message saved as ${path}`;
  if (!transcribe) return `[${saved}; it cannot be listened to: set "transcriptionUrl" in config.json]`;
  try {
    const text = await transcribe({ bytes, name }, signal);
    return text === '' ? `[${saved}; no words were recognised]` : `[${saved}; its words:]\n${text}`;
  } catch (error) {
    signal.throwIfAborted();
    return `[${saved}; it could not be transcribed: ${(error as Error).message}]`;
  }
}
