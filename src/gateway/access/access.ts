// Who may write to a bot. `admit` is asked for every message before anything is done with it; nothing but a clear yes lets one
// in: an unreadable list, an unknown policy or a failure is a no.
import type { BotSettings } from '../../config/gateway/settings.ts';
import type { OwnerFiles } from '../../storage/storage.ts';
import { type AllowLists, createAllowLists } from './allow-lists.ts';
import { createRequests, type Requests } from './requests.ts';

export type AccessSettings = Pick<
  BotSettings,
  'pairingPolicy' | 'pairingAllowFrom' | 'pairingPendingTtlMs' | 'pairingPendingMax' | 'groups'
>;

export interface Knock {
  channel: string;
  account: string;
  /** The platform's id of the message. */
  id: string;
  chatKind: 'direct' | 'group';
  sender: { id: string; name?: string };
}

export type Admission =
  | { admitted: true }
  /** `reply` is for the sender, and only there when there is something to tell. `reason` is for the log. */
  | { admitted: false; reason: string; reply?: string };

export interface Access {
  /** Never throws. The same message asked again gets the same answer. */
  admit(knock: Knock): Promise<Admission>;
}

export interface AccessDependencies {
  files: OwnerFiles;
  /** As they are now: they may change while the gateway runs. */
  settings(bot: { channel: string; account: string }): AccessSettings;
  now(): number;
}

export function createAccess({ files, settings, now }: AccessDependencies): Access {
  const lists = createAllowLists(files);
  const requests = createRequests({ files, now });
  return {
    async admit(knock) {
      try {
        return await decide(knock, settings(knock), { lists, requests });
      } catch (error) {
        return no(`access cannot be decided: ${(error as Error).message}`);
      }
    },
  };
}

async function decide(
  knock: Knock,
  settings: AccessSettings,
  { lists, requests }: { lists: AllowLists; requests: Requests },
): Promise<Admission> {
  const { sender, chatKind } = knock;
  if (chatKind === 'group' && !settings.groups) return no('groups are off');
  switch (settings.pairingPolicy) {
    case 'open':
      return { admitted: true };
    case 'disabled':
      return no('the policy is disabled');
    case 'allowlist':
      return settings.pairingAllowFrom.includes(sender.id) || (await lists.isAllowed(knock, sender.id))
        ? { admitted: true }
        : no('the sender is not on the allow-list');
    case 'pairing': {
      if (settings.pairingAllowFrom.includes(sender.id) || (await lists.isAllowed(knock, sender.id)))
        return { admitted: true };
      // A code in a group would be for everyone in it.
      return chatKind === 'direct' ? pair(knock, settings, requests) : no('the sender is not paired');
    }
    default:
      return no(`"${settings.pairingPolicy}" is not a policy`);
  }
}

async function pair(knock: Knock, settings: AccessSettings, requests: Requests): Promise<Admission> {
  const { channel, account, sender, id: messageId } = knock;
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
  return { admitted: false, reason: 'the sender is not paired, and was given a code', reply };
}

function no(reason: string): Admission {
  return { admitted: false, reason };
}
