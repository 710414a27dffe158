import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { CHANNELS } from './all.ts';
import { CHANNEL_NAMES, isChannelName, loadChannelTable } from './channel-table.ts';

const bot = { account: 'default', home: '/home' };

test.for(Object.entries(CHANNELS))('%s is whole', async ([key, load]) => {
  const { name, settings, identity, needed, defaults } = await load();
  expect(name).toBe(key);
  // What the names of chats and variables can hold.
  expect(name).toMatch(/^[a-z]+$/);
  expect(Object.keys(settings)).toContain(identity);
  for (const [setting, value] of Object.entries(defaults(bot)))
    expect(settings[setting]?.kind.isAccepted(value), `${setting}: ${value}`).toBe(true);
  const modes = settings.mode?.kind.options ?? [undefined];
  for (const mode of modes)
    for (const setting of needed({ ...defaults(bot), ...(mode && { mode }) }))
      expect(Object.keys(settings)).toContain(setting);
  // What tells bots apart, and secrets, are nobody else's.
  for (const [setting, { isSecret, isOwn }] of Object.entries(settings))
    if (isSecret || setting === identity) expect(isOwn, setting).toBe(true);
  expect(existsSync(join(import.meta.dirname, `../../docs/gateway/${name}.md`))).toBe(true);
});

it('names the channels in the order of the table, and nothing by the names of prototypes', async () => {
  expect([...(await loadChannelTable()).keys()]).toEqual(CHANNEL_NAMES);
  expect(CHANNEL_NAMES.every(isChannelName)).toBe(true);
  expect(['', 'Local', 'constructor', '__proto__'].some(isChannelName)).toBe(false);
});
