// Who may write to a bot. `admit` is asked for every message before anything is done with it; nothing but a clear yes admits
// somebody: a damaged list, one that this user may not read, or an unknown policy is a no. Every other failure decides nothing: the
// message is not taken, and its platform delivers it again.
import type { IncomingMessage } from '../../channels/channel.ts';
import type { ChatPerson } from '../../storage/mailbox.ts';
import { type OwnerFiles, StorageError } from '../../storage/storage.ts';
import type { BotSettings } from '../settings/settings.ts';
import { AccessError } from './access-error.ts';
import { createAllowLists } from './allow-lists.ts';
import { createRequests, type Requests } from './requests.ts';

export type AccessSettings = Pick<
  BotSettings,
  'pairingPolicy' | 'pairingAllowFrom' | 'pairingPendingTtlMs' | 'pairingPendingMax' | 'groups'
>;

const NOT_PAIRED = 'the sender is not paired';

type Knock = Pick<IncomingMessage, 'id' | 'chatId' | 'chatKind' | 'sender'>;

export type Admission =
  /** `isOwner`: may also permit what needs permission. Not so for someone admitted by an open policy. */
  | { allowed: true; isOwner: boolean }
  /** `reply` is for the sender, and only there when there is something to tell. `reason` is for the log. */
  | { allowed: false; reason: string; reply?: string };

export interface Access {
  /** The same message asked again gets the same answer. Rejects when the storage cannot be asked now. */
  admit(message: Knock, bot: AccessBot): Promise<Admission>;
  /** Whether a person who was admitted before still would be: a revoked one would not. Rejects when the storage cannot be asked now. */
  stillAdmits(person: ChatPerson, bot: AccessBot): Promise<boolean>;
}

export interface AccessBot {
  channel: string;
  account: string;
}

export interface AccessDependencies {
  files: OwnerFiles;
  /** As they are now: they may change while the gateway runs. */
  settings(bot: AccessBot): AccessSettings;
  now(): number;
}

export function createAccess({ files, settings, now }: AccessDependencies): Access {
  const lists = createAllowLists(files);
  const requests = createRequests({ files, now });

  /** Without giving anybody a code: that is for those who knock. */
  async function judge({ id, chatKind }: ChatPerson, bot: AccessBot): Promise<Admission> {
    let set: AccessSettings;
    try {
      set = settings(bot);
    } catch (error) {
      // A bot that is not configured.
      return no(`access cannot be decided: ${(error as Error).message}`);
    }
    if (chatKind === 'group' && !set.groups) return no('groups are off');
    const isListed = async (): Promise<boolean> =>
      set.pairingAllowFrom.includes(id) || (await lists.isAllowed(bot, id));
    switch (set.pairingPolicy) {
      case 'open':
        return { allowed: true, isOwner: await isListed() };
      case 'disabled':
        return no('the policy is disabled');
      case 'allowlist':
        return (await isListed()) ? { allowed: true, isOwner: true } : no('the sender is not on the allow-list');
      case 'pairing':
        return (await isListed()) ? { allowed: true, isOwner: true } : no(NOT_PAIRED);
      default:
        return no(`"${set.pairingPolicy}" is not a policy`);
    }
  }

  async function decide(message: Knock, bot: AccessBot): Promise<Admission> {
    const { sender, chatKind } = message;
    const judged = await judge({ id: sender.id, chatKind }, bot);
    // A code in a group would be for everyone in it.
    if (judged.allowed || judged.reason !== NOT_PAIRED || chatKind === 'group') return judged;
    return pair(message, bot, settings(bot), requests);
  }

  return {
    async admit(message, bot) {
      try {
        return await decide(message, bot);
      } catch (error) {
        if (!isVerdict(error)) throw error;
        return no(`access cannot be decided: ${(error as Error).message}`);
      }
    },
    stillAdmits: (person, bot) =>
      judge(person, bot).then(
        ({ allowed }) => allowed,
        (error: unknown) => {
          if (!isVerdict(error)) throw error;
          return false;
        },
      ),
  };
}

async function pair(
  { sender, chatId, id: messageId }: Knock,
  { channel, account }: AccessBot,
  settings: AccessSettings,
  requests: Requests,
): Promise<Admission> {
  const limits = { ttlMs: settings.pairingPendingTtlMs, max: settings.pairingPendingMax };
  const asked = await requests.ask({ channel, account, sender, messageId, chatId }, limits);
  if (asked.outcome === 'full') return no('the sender is not paired, and too many others wait for approval');
  if (asked.outcome === 'repeated') return no('the sender is not paired, and has a code');
  const minutes = Math.max(1, Math.round(limits.ttlMs / 60_000));
  const reply = [
    'This bot answers only people its owner has admitted.',
    `Your pairing code: \`${asked.code}\` (it holds for ${minutes} min)`,
    `The owner admits you with: \`lainclaw pairing approve --channel ${channel} ${asked.code}\``,
  ].join('\n\n');
  return { allowed: false, reason: 'the sender is not paired, and was given a code', reply };
}

/** Whether the failure is about a list itself: asking again would find the same. A role that the database refuses is not about a list. */
function isVerdict(error: unknown): boolean {
  if (error instanceof AccessError) return true;
  if (!(error instanceof StorageError) || error.code !== 'STORAGE_NO_PERMISSION') return false;
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM';
}

function no(reason: string): Admission {
  return { allowed: false, reason };
}
