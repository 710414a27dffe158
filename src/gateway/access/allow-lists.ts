// Admitted people, by the ids of senders: a list for each bot and one for its whole channel.
import type { OwnerFiles } from '../../storage/storage.ts';
import { type ListFile, listFile } from './owner-json.ts';

/** Without an account: the channel's own list, which holds for all its bots. */
export interface AllowListName {
  channel: string;
  account?: string;
}

export interface AllowLists {
  /** The account's own list first, then the channel's. */
  isAllowed(bot: { channel: string; account: string }, id: string): Promise<boolean>;
  list(name: AllowListName): Promise<string[]>;
  /** Durable when it resolves. */
  add(name: AllowListName, id: string): Promise<void>;
  /** False: it was not there. */
  remove(name: AllowListName, id: string): Promise<boolean>;
}

export function createAllowLists(files: OwnerFiles): AllowLists {
  const open = ({ channel, account }: AllowListName): ListFile<string> =>
    listFile(files, `${channel}${account === undefined ? '' : `-${account}`}-allowFrom.json`, 'allowFrom', idOf);
  return {
    async isAllowed({ channel, account }, id) {
      if ((await open({ channel, account }).read()).includes(id)) return true;
      return (await open({ channel }).read()).includes(id);
    },
    list: (name) => open(name).read(),
    add: (name, id) => open(name).update((ids) => (ids.includes(id) ? ids : [...ids, id])),
    async remove(name, id) {
      let found = false;
      await open(name).update((ids) => {
        found = ids.includes(id);
        return ids.filter((other) => other !== id);
      });
      return found;
    },
  };
}

/** Some write ids as numbers. */
function idOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}
