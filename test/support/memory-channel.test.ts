import { describeChannel } from '../conformance/channel.ts';
import { createMemoryPlatform, MEMORY_PART_CHARACTERS } from './memory-channel.ts';

describeChannel('in memory', async () => {
  const platform = createMemoryPlatform();
  return {
    platform,
    open: () => platform.open(),
    chats: { direct: 'anna', otherDirect: 'boris', group: 'team' },
    senderId: 'anna',
    fits: (markdown) => markdown.length <= MEMORY_PART_CHARACTERS,
    secrets: [],
    close: async () => {},
  };
});
