// A line of the inbox as a message. The format is for scripts: only id, chatId, senderId and one of text, files and
// pressed are needed.
import { basename, extname, resolve } from 'node:path';
import type { IncomingFile, IncomingMessage } from '../channel.ts';

const IMAGES = ['.png', '.jpg', '.jpeg', '.gif', '.webp'];

/** What a file of a line is downloaded by. */
export interface LocalReference {
  path: string;
}

export interface LineOptions {
  /** Where relative paths of files start. */
  directory: string;
  /** For a line that tells none itself. */
  order: number;
  sentAt: number;
}

/** The problem as a text when it is not a message. */
export function parseInboxLine(line: string, { directory, order, sentAt }: LineOptions): IncomingMessage | string {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(line);
  } catch {
    return 'it is not JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is not a JSON object';
  for (const name of ['id', 'chatId', 'senderId'] as const) {
    if (typeof value[name] !== 'string' || value[name] === '') return `"${name}" must be a text that is not empty`;
  }
  for (const name of ['text', 'threadId', 'replyTo', 'senderName'] as const) {
    if (value[name] !== undefined && typeof value[name] !== 'string') return `"${name}" must be a text`;
  }
  for (const name of ['order', 'sentAt'] as const) {
    if (value[name] !== undefined && !Number.isFinite(value[name])) return `"${name}" must be a number`;
  }
  if (value.chatKind !== undefined && value.chatKind !== 'direct' && value.chatKind !== 'group')
    return '"chatKind" must be direct or group';
  const files = filesOf(value.files, directory);
  if (typeof files === 'string') return files;
  const pressed = value.pressed as IncomingMessage['pressed'];
  if (pressed !== undefined && (typeof pressed?.value !== 'string' || typeof pressed.messageId !== 'string'))
    return '"pressed" must hold the texts "value" and "messageId"';
  const text = (value.text as string | undefined) ?? '';
  if (text === '' && files.length === 0 && !pressed) return 'it has neither text nor files nor a pressed button';

  const chatKind = value.chatKind === 'group' ? 'group' : 'direct';
  return {
    id: value.id as string,
    chatId: value.chatId as string,
    ...(typeof value.threadId === 'string' && value.threadId !== '' && { threadId: value.threadId }),
    chatKind,
    isAddressed: chatKind === 'direct' || value.isAddressed === true || pressed !== undefined,
    sender: {
      id: value.senderId as string,
      ...(typeof value.senderName === 'string' && { name: value.senderName }),
    },
    order: (value.order as number | undefined) ?? order,
    sentAt: (value.sentAt as number | undefined) ?? sentAt,
    text,
    files,
    ...(typeof value.replyTo === 'string' && { replyTo: value.replyTo }),
    ...(pressed && { pressed: { value: pressed.value, messageId: pressed.messageId } }),
  };
}

function filesOf(value: unknown, directory: string): IncomingFile[] | string {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return '"files" must be a list';
  const files: IncomingFile[] = [];
  for (const each of value as { path?: unknown; name?: unknown; kind?: unknown }[]) {
    if (typeof each?.path !== 'string' || each.path === '') return 'each of "files" needs a "path"';
    const path = resolve(directory, each.path);
    const isImage = each.kind === undefined ? IMAGES.includes(extname(path).toLowerCase()) : each.kind === 'image';
    const reference: LocalReference = { path };
    files.push({
      kind: isImage ? 'image' : 'file',
      name: typeof each.name === 'string' ? basename(each.name) : basename(path),
      reference,
    });
  }
  return files;
}
