// What the running gateway of chats is built from.
import type { Channel } from '../../channels/channel.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { AppendAudit } from '../../storage/audit.ts';
import type { Fence } from '../../storage/locks.ts';
import type { Mailbox } from '../../storage/mailbox.ts';
import type { OpenKept } from '../../tools/pictures.ts';
import type { BotKey, ChatKey } from '../../vocabulary/chat-name.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { Gateway } from '../gateway.ts';
import type { TurnHub } from '../turns/turn-hub.ts';
import type { Admit, BotSettings, ChatLimits, ChatLog } from './chat.ts';
import type { InvokeFromChat } from './commands/chat-operations.ts';
import type { Transcribe } from './transcribe.ts';

export interface ChannelGatewayDependencies {
  channels: readonly Channel[];
  mailbox: Mailbox;
  audit: AppendAudit;
  /** Of a lock that this gateway holds while it runs: the messages it handles are claimed under it. */
  claimant: Fence;
  ask: Gateway['ask'];
  hub: Pick<TurnHub, 'answer' | 'steer'>;
  sessions: Pick<Sessions, 'findTurn'>;
  admit: Admit;
  /** Whether a message may be sent to this chat: everybody who was admitted there may have been revoked since. */
  mayReceive(chat: ChatKey): Promise<boolean>;
  /** Asked before each message is sent, where another gateway could have taken over the bots. */
  isStillOurs?(): Promise<boolean>;
  /** True only where that is known without asking, for the whole time since that moment (of `performance.now()`). */
  isOursSince?(since: number): boolean;
  /** Asked for each turn: what it returns may change while the gateway runs. */
  settings(bot: BotKey): Promise<BotSettings>;
  /** What commands call operations with. */
  invoke: InvokeFromChat;
  workspace(): Promise<Pick<Workspace, 'writeFile'>>;
  /** Opens files that turns on other machines have kept. */
  openKept?: OpenKept;
  /** Of voice messages; absent: no server for it is configured. */
  transcribe?: Transcribe;
  limits?: Partial<ChatLimits>;
  systemTimezone(): string;
  now(): number;
  newId(prefix: string): string;
  random(): number;
  log: ChatLog;
}
