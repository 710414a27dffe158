// The content of a message of the platform: its text without the mention of the bot, and its files. Each kind of message has
// its own JSON in `content`; a kind we cannot read says so instead of being empty.
import type { IncomingFile } from '../channel.ts';

export interface Mention {
  key: string;
  name?: string;
  id?: { open_id?: string };
}

export interface ReadContent {
  text: string;
  files: IncomingFile[];
}

/** What `download` needs; stored with the message. */
export interface FileReference {
  messageId: string;
  key: string;
  type: 'image' | 'file';
}

export interface RawMessage {
  message_id: string;
  message_type: string;
  content: string;
  mentions?: Mention[];
}

interface PostElement {
  tag?: string;
  text?: string;
  href?: string;
  user_id?: string;
  user_name?: string;
  image_key?: string;
  file_key?: string;
  file_name?: string;
  language?: string;
  emoji_type?: string;
}

interface PostBody {
  title?: string;
  content?: PostElement[][];
}

const MAX_NAME = 120;

export function readContent(message: RawMessage, botOpenId: string | undefined): ReadContent {
  const content = parse(message.content);
  const mentions = message.mentions ?? [];
  const isBot = (mention: Mention) => botOpenId !== undefined && mention.id?.open_id === botOpenId;
  const image = (key: string) => fileOf(message, 'image', key, `${tail(key)}.png`);
  const file = (key: string, name: string) => fileOf(message, 'file', key, name);

  switch (message.message_type) {
    case 'text':
      return { text: withMentions(String(content.text ?? ''), mentions, isBot), files: [] };
    case 'post': {
      const files: IncomingFile[] = [];
      const text = readPost(unwrapLanguage(content), mentions, (element) => {
        if (element.tag === 'img' && element.image_key) files.push(image(element.image_key));
        if (element.tag === 'media' && element.file_key)
          files.push(file(element.file_key, element.file_name ?? `${tail(element.file_key)}.mp4`));
      });
      return { text: withMentions(text, mentions, isBot), files };
    }
    case 'image':
      return typeof content.image_key === 'string' ? { text: '', files: [image(content.image_key)] } : unreadable();
    case 'file':
    case 'audio':
    case 'media': {
      if (typeof content.file_key !== 'string') return unreadable();
      const ending = { file: '', audio: '.opus', media: '.mp4' }[message.message_type];
      const name = content.file_name ? String(content.file_name) : `${tail(content.file_key)}${ending}`;
      const isVoice = message.message_type === 'audio' && { isVoice: true as const };
      return { text: '', files: [{ ...file(content.file_key, name), ...isVoice }] };
    }
    case 'location':
      return { text: `[place: ${content.name} (${content.latitude}, ${content.longitude})]`, files: [] };
    case 'sticker':
      return { text: '[a sticker, which Feishu does not show to bots]', files: [] };
    // Feishu names only the id.
    case 'share_user':
      return typeof content.user_id === 'string'
        ? { text: `[contact card of the person ${content.user_id}]`, files: [] }
        : unreadable();
    default:
      return unreadable();
  }

  function unreadable(): ReadContent {
    return { text: `[a message of the kind "${message.message_type}", which cannot be read here]`, files: [] };
  }
}

/** The platform writes `@_user_1` where a name stands. */
function withMentions(text: string, mentions: readonly Mention[], isBot: (mention: Mention) => boolean): string {
  const byKey = new Map(mentions.map((mention) => [mention.key, mention]));
  const named = text.replace(/@_user_\d+|@_all/g, (key) => {
    const mention = byKey.get(key);
    if (mention) return isBot(mention) ? '' : `@${mention.name ?? 'someone'}`;
    return key === '@_all' ? '@all' : key;
  });
  return named.trim();
}

function readPost(body: PostBody, mentions: readonly Mention[], visit: (element: PostElement) => void): string {
  const keyOf = new Map(mentions.map((mention) => [mention.id?.open_id, mention.key]));
  const lines = (Array.isArray(body.content) ? body.content : []).map((line) =>
    (Array.isArray(line) ? line : []).map((raw) => {
      const element = stringsOf(raw);
      visit(element);
      return readElement(element, keyOf);
    }),
  );
  return [
    ...(typeof body.title === 'string' && body.title !== '' ? [`# ${body.title}`, ''] : []),
    ...lines.map((pieces) => pieces.join('')),
  ].join('\n');
}

/** Only what is a string: the rest is not what the platform writes. */
function stringsOf(raw: unknown): PostElement {
  if (typeof raw !== 'object' || raw === null) return {};
  return Object.fromEntries(Object.entries(raw).filter(([, value]) => typeof value === 'string'));
}

function readElement(element: PostElement, keyOf: Map<string | undefined, string>): string {
  switch (element.tag) {
    case 'a':
      return element.href ? `[${element.text ?? element.href}](${element.href})` : (element.text ?? '');
    case 'at': {
      const id = element.user_id ?? '';
      if (id === 'all' || id === '@_all') return '@all';
      return id.startsWith('@_user_') ? id : (keyOf.get(id) ?? `@${element.user_name ?? 'someone'}`);
    }
    case 'code_block':
      return `\n\`\`\`${(element.language ?? '').toLowerCase()}\n${(element.text ?? '').replace(/\n$/, '')}\n\`\`\`\n`;
    case 'hr':
      return '\n---\n';
    case 'emotion':
      return `:${element.emoji_type ?? ''}:`;
    case 'img':
    case 'media':
      return '';
    default:
      return element.text ?? '';
  }
}

/** A post has its languages as keys, or none. */
function unwrapLanguage(content: Record<string, unknown>): PostBody {
  if (Array.isArray(content.content) || typeof content.title === 'string') return content as PostBody;
  const first = Object.values(content).find((value) => typeof value === 'object' && value !== null);
  return (first ?? {}) as PostBody;
}

function fileOf(message: RawMessage, type: FileReference['type'], key: string, name: string): IncomingFile {
  const reference: FileReference = { messageId: message.message_id, key, type };
  return { kind: type, name: safeName(name), reference };
}

function safeName(name: string): string {
  const plain = [...name]
    // biome-ignore lint/suspicious/noControlCharactersInRegex: names from outside may hold them
    .map((character) => (/[\u0000-\u001f\u007f/\\]/.test(character) ? '_' : character))
    .slice(-MAX_NAME)
    .join('')
    .replace(/^\.+/, '_');
  return plain === '' ? 'file' : plain;
}

function tail(key: string): string {
  return key.slice(-12).replace(/[^A-Za-z0-9_-]/g, '_');
}

function parse(content: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(content);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
