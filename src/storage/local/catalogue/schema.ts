// sessions.db: the index of sessions. A file of its own, because it can be thrown away: sessions.json and the transcripts hold
// everything that is in it.
import type { Schema } from '../open-database.ts';

export const SCHEMA: Schema = { version: 2, steps: async () => (await import('./steps.ts')).STEPS };
