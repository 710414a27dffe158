// Who may write to a bot. `admit` is asked for every message before anything is done with it; nothing but a clear yes lets one
// in: an unreadable list, an unknown policy or a failure is a no.
import type { IncomingMessage } from '../../channels/channel.ts';
import type { BotSettings } from '../../config/gateway/settings.ts';
import type { OwnerFiles } from '../../storage/storage.ts';
import { createAllowLists } from './allow-lists.ts';
import { createRequests, type Requests } from './requests.ts';

export type AccessSettings = Pick<
  BotSettings,
  'pairingPolicy' | 'pairingAllowFrom' | 'pairingPendingTtlMs' | 'pairingPendingMax' | 'groups'
>;

type Knock = Pick<IncomingMessage, 'id' | 'chatKind' | 'sender'>;

export type Admission =
  /** `isOwner`: may also permit what needs permission. Not so for someone an open policy let in. */
  | { allowed: true; isOwner: boolean }
  /** `reply` is for the sender, and only there when there is something to tell. `reason` is for the log. */
  | { allowed: false; reason: string; reply?: string };

export interface Access {
  /** Never throws. The same message asked again gets the same answer. */
  admit(message: Knock, bot: AccessBot): Promise<Admission>;
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

  async function decide(message: Knock, bot: AccessBot): Promise<Admission> {
    const set = settings(bot);
    const { sender, chatKind } = message;
    if (chatKind === 'group' && !set.groups) return no('groups are off');
    const isListed = async (): Promise<boolean> =>
      set.pairingAllowFrom.includes(sender.id) || (await lists.isAllowed(bot, sender.id));
    switch (set.pairingPolicy) {
      case 'open':
        return { allowed: true, isOwner: await isListed() };
      case 'disabled':
        return no('the policy is disabled');
      case 'allowlist':
        return (await isListed()) ? { allowed: true, isOwner: true } : no('the sender is not on the allow-list');
      case 'pairing':
        if (await isListed()) return { allowed: true, isOwner: true };
        // A code in a group would be for everyone in it.
        return chatKind === 'direct' ? pair(message, bot, set, requests) : no('the sender is not paired');
      default:
        return no(`"${set.pairingPolicy}" is not a policy`);
    }
  }

  return {
    async admit(message, bot) {
      try {
        return await decide(message, bot);
      } catch (error) {
        return no(`access cannot be decided: ${(error as Error).message}`);
      }
    },
  };
}

async function pair(
  { sender, id: messageId }: Knock,
  { channel, account }: AccessBot,
  settings: AccessSettings,
  requests: Requests,
): Promise<Admission> {
  const limits = { ttlMs: settings.pairingPendingTtlMs, max: settings.pairingPendingMax };
  const asked = await requests.ask({ channel, account, sender, messageId }, limits);
  if (asked.outcome === 'full') return no('the sender is not paired, and all places to wait are taken');
  if (asked.outcome === 'repeated') return no('the sender is not paired, and has a code');
  const minutes = Math.max(1, Math.round(limits.ttlMs / 60_000));
  const reply = [
    'This bot answers only people its owner has let in.',
    `Your pairing code: \`${asked.code}\` (it holds for ${minutes} min)`,
    `The owner lets you in with: \`lainclaw pairing approve --channel ${channel} ${asked.code}\``,
  ].join('\n\n');
  return { allowed: false, reason: 'the sender is not paired, and was given a code', reply };
}

function no(reason: string): Admission {
  return { allowed: false, reason };
}
