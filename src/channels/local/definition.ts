import { join } from 'node:path';
import { text } from '../../config/kinds.ts';
import { DEFAULT_ACCOUNT } from '../../vocabulary/chat-name.ts';
import { defineChannel } from '../definition.ts';

interface LocalSettings {
  folder: string;
}

export const local = defineChannel<LocalSettings>({
  name: 'local',
  settings: { folder: { kind: text('a directory'), about: 'of the inbox and outbox files', isOwn: true } },
  identity: 'folder',
  needed: () => [],
  defaults: ({ account, home }) => ({
    folder: join(home, 'channels', account === DEFAULT_ACCOUNT ? 'local' : `local-${account}`),
  }),
  async open({ account, settings, now, warn }) {
    const { createLocalChannel } = await import('./local-channel.ts');
    return createLocalChannel({ account, now, directory: settings.folder, warn });
  },
});
