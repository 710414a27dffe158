import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { LANGUAGES } from '../config/settings.ts';
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

const SCRIPTS = { en: /\p{Script=Latin}/u, zh: /\p{Script=Han}/u, ru: /\p{Script=Cyrillic}/u };

test.for(Object.entries(CHANNELS))('%s is set up in every language', async ([, load]) => {
  const { setup } = await load();
  if (!setup) return;
  for (const language of LANGUAGES) {
    const { offer, title, steps, stepsOnceRunning = [], questions } = await setup.words(language);
    for (const key of setup.asks) expect(questions[key], `${language} ${key}`).toBeTruthy();
    for (const words of [offer, ...steps, ...stepsOnceRunning]) expect(words).toMatch(SCRIPTS[language]);
    expect(title).not.toBe('');
  }
});

it('names the channels in the order of the table, and nothing by the names of prototypes', async () => {
  expect([...(await loadChannelTable()).keys()]).toEqual(CHANNEL_NAMES);
  expect(CHANNEL_NAMES.every(isChannelName)).toBe(true);
  expect(['', 'Local', 'constructor', '__proto__'].some(isChannelName)).toBe(false);
});
