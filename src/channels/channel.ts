// The contract of a channel: a platform on which people write to Lainclaw. A channel knows how its platform speaks, and
// nothing else: who may write, what a message means and when it is answered is the gateway's business.

import { CodedError } from '../vocabulary/coded-error.ts';

export interface IncomingFile {
  kind: 'image' | 'file';
  /** As the sender named it; never a path. */
  name: string;
  bytes?: number;
  /** The sender spoke it. */
  isVoice?: true;
  /** What `download` needs, as plain JSON: it is stored with the message. */
  reference: unknown;
}

export interface IncomingMessage {
  /** The platform's own id: the same on every redelivery, and never another message's in this account. */
  id: string;
  chatId: string;
  /** A topic within the chat, where the platform has them. */
  threadId?: string;
  chatKind: 'direct' | 'group';
  /** The bot itself was addressed. Always so in a direct chat. */
  isAddressed: boolean;
  sender: { id: string; name?: string };
  /** Grows within a chat in the order in which people wrote, whatever the order of arrival. */
  order: number;
  sentAt: number;
  /** What was written, without the mention of the bot; empty when there are only files. */
  text: string;
  files: readonly IncomingFile[];
  /** Somebody else wrote it: the sender only passed it on. Absent where the platform does not tell. */
  isForwarded?: true;
  /** The message this one answers. */
  replyTo?: string;
  /** A button was pressed instead of a text being written: its value, and the message it belongs to. */
  pressed?: { value: string; messageId: string };
}

export interface Button {
  label: string;
  /** At most 60 bytes. */
  value: string;
  tone?: 'primary' | 'danger';
}

export interface OutgoingMessage {
  /** The same on every attempt, at most 50 characters: platforms that know such keys send it once. */
  key: string;
  chatId: string;
  threadId?: string;
  replyTo?: string;
  /** CommonMark with tables; one of the parts of `split`. */
  markdown: string;
  buttons?: readonly Button[];
}

/** A picture as a message of its own, without words. */
export interface OutgoingPicture extends Pick<OutgoingMessage, 'key' | 'chatId' | 'threadId' | 'replyTo'> {
  /** What the bytes are: PNG, JPEG, GIF or WebP. */
  mediaType: string;
  bytes: Uint8Array;
}

/** Where a message of ours stands. */
export interface SentMessage {
  chatId: string;
  messageId: string;
}

export interface ChannelStatus {
  state: 'connecting' | 'connected' | 'disconnected' | 'closed';
  /** Since when it is so. */
  since: number;
  lastEventAt?: number;
  lastError?: string;
  reconnects: number;
}

export type ChannelErrorCode =
  /** Try again, not before `retryAfterMs`. */
  | 'rate-limited'
  /** Nothing was sent; try again. */
  | 'unreachable'
  /** It may have been sent: with `isIdempotent` try again, otherwise a repeat is possible. */
  | 'unknown-outcome'
  /** The platform will never take this message. */
  | 'rejected'
  /** The credentials are not accepted. */
  | 'auth';

/** Every failure of a channel: the message says what to do and holds no secret. */
export class ChannelError extends CodedError<ChannelErrorCode> {
  readonly retryAfterMs: number | undefined;

  constructor(code: ChannelErrorCode, message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(code, message, options.cause);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Resolves once the message is stored for good, new or not; only then may the platform get its acknowledgement. */
export type Receive = (message: IncomingMessage) => Promise<void>;

export interface Channel {
  /** As in its definition. */
  readonly name: string;
  /** Which of the owner's bots on this platform; `default` when there is one. */
  readonly account: string;
  /** Sending twice with one key sends once. */
  readonly isIdempotent: boolean;
  /** Whether `buttons` are shown. */
  readonly hasButtons: boolean;

  /** Resolves when messages can arrive. Rejects when the credentials are refused; from then on it reconnects by itself. */
  connect(receive: Receive, signal: AbortSignal): Promise<void>;
  /** One text as the parts that each fit into a message: cut between blocks, lines or words, code fences kept whole. */
  split(markdown: string): string[];
  /** Resolves only after the platform has confirmed. Throws ChannelError. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<SentMessage>;
  /** As `send`. A picture that the platform finds too large is `rejected`. Absent where the platform shows no pictures. */
  sendPicture?(picture: OutgoingPicture, signal: AbortSignal): Promise<SentMessage>;
  /** Replaces a message of ours, its buttons included. The same content again is not an error. */
  edit(sent: SentMessage, content: Pick<OutgoingMessage, 'markdown' | 'buttons'>, signal: AbortSignal): Promise<void>;
  /** A sign that lasts some seconds. Best effort: never throws. */
  showWorking(chat: Pick<OutgoingMessage, 'chatId' | 'threadId' | 'replyTo'>, signal: AbortSignal): Promise<void>;
  /** Rejects when it is larger than `maxBytes`. */
  download(file: IncomingFile, maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  /** In webhook mode: what the platform's requests are answered with. The signature is checked before anything is parsed. */
  webhook?(request: Request): Promise<Response>;
  /** True to what is known: a connection that died silently is not `connected`. */
  status(): ChannelStatus;
  close(): Promise<void>;
}
