// What gateways that share one storage need beside its records: which chats wait for a gateway, and signals that it is worth looking.
import type { BotKey, ChatKey } from '../vocabulary/chat-name.ts';

/** A chat with unfinished messages of which no gateway has a valid claim. Times are the storage's own, so that they can be compared. */
export interface UnclaimedChat {
  chat: ChatKey;
  /** Who wrote the first of its messages; empty when that is not known. */
  person: string;
  isOwner: boolean;
  /** A gateway that was lost had begun a turn with some of them. */
  isBegun: boolean;
  /** When the first of its messages was stored. */
  waitsSince: number;
  /** How long ago the first and the last of them were stored. */
  firstMs: number;
  lastMs: number;
  /** When the person's last turn began; 0 when none is known. */
  lastStart: number;
  /** Chats of the person, and of the bot, that gateways handle now. */
  personPlaces: number;
  botPlaces: number;
}

/** `inbox`: a message waits for a gateway. `outbox`: a message waits to be sent. */
export type ClusterTopic = 'inbox' | 'outbox';

export interface Cluster {
  /** Chats of these bots, those that wait the longest first. At most some thousand, with those of the owner among them. */
  unclaimedChats(bots: readonly BotKey[]): Promise<UnclaimedChat[]>;
  /** Records that a turn of this person begins now. */
  countStart(bot: BotKey, person: string): Promise<void>;
  /** Calls the listener when it is worth looking, and every second or so in any case. Returns what ends that. */
  on(topic: ClusterTopic, listener: () => void): () => void;
}
