import { expect, it } from 'vitest';
import { SCHEMA as SESSIONS } from './catalogue/schema.ts';
import { SCHEMA as LAINCLAW } from './lainclaw-db/schema.ts';
import { SCHEMA as UNDO } from './undo/local-undo-records.ts';

it.each([
  ['lainclaw.db', LAINCLAW],
  ['sessions.db', SESSIONS],
  ['undo.db', UNDO],
])('counts every step of %s, so that each runs in homes that are there', async (_, { version, steps }) => {
  expect(await steps()).toHaveLength(version);
});
