// What gateways that share one storage need beside its records: which chats wait for a gateway, what they tell each other of their turns, and signals that it is
// worth looking.
import type { BotKey, ChatKey } from '../vocabulary/chat-name.ts';

/** A chat with unfinished messages that no gateway claims validly. Times are the storage's own, so that they can be compared. */
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

/**
 * `inbox`: a message waits for a gateway. `outbox`: a message waits to be sent. `turns`: a gateway told something of its turns. `watchers`: a gateway began to
 * read the turns of others. `commands`: a gateway wrote to another.
 */
export type ClusterTopic = 'inbox' | 'outbox' | 'turns' | 'watchers' | 'commands';

/** What a gateway told all others of one of its turns. */
export interface ToldLines {
  /** Grows with each of the same gateway. */
  number: number;
  gateway: string;
  text: string;
}

/**
 * What gateways tell each other of their turns. A gateway is named by a lock `turns:…` that it holds; what it told is read while it does. One that wants
 * to see every event holds a lock `watches:…` too. Texts are encrypted and kept for some minutes.
 */
export interface TurnExchangeStore {
  /** One call after the other, with growing numbers; the same again changes nothing. `isEnd`: nothing more follows of this turn. */
  tell(
    gateway: string,
    told: readonly { number: number; turnId: string; text: string; isEnd: boolean }[],
  ): Promise<void>;
  /**
   * What the other gateways told after the numbers that the reader has, in order for each; some hundred at most. Of a gateway that the reader has a number of, also
   * what it told last before it ended.
   */
  read(reader: string, after: ReadonlyMap<string, number>): Promise<ToldLines[]>;
  /** Writes to one gateway. A call that rejects may have written all the same. */
  post(gateway: string, text: string): Promise<void>;
  /** What was written to this gateway, in order; it stays until it is removed. */
  messages(gateway: string): Promise<{ number: number; text: string }[]>;
  remove(gateway: string, numbers: readonly number[]): Promise<void>;
  /** Those of the locks that nobody holds. */
  gone(locks: readonly string[]): Promise<string[]>;
  /** Whether a gateway wants to see every event, besides the one with this lock. */
  isWatched(except: string): Promise<boolean>;
  /** Tells every gateway that this one wants to see every event. */
  signal(): Promise<void>;
  /** Removes what nobody needs any more. */
  prune(): Promise<void>;
}

export interface Cluster {
  /** Why a gateway cannot work with the storage as it is: another key, or no writes. Undefined when it can. Rejects while the storage cannot be asked. */
  problem(): Promise<string | undefined>;
  exchange: TurnExchangeStore;
  /** Chats of these bots, those that wait the longest first. At most some thousand, with those of the owner among them. */
  unclaimedChats(bots: readonly BotKey[]): Promise<UnclaimedChat[]>;
  /** Records that a turn of this person begins now. */
  countStart(bot: BotKey, person: string): Promise<void>;
  /** Calls the listener when it is worth looking, and every few seconds in any case. Returns what ends that. */
  on(topic: ClusterTopic, listener: () => void): () => void;
}
