import { expect, it } from 'vitest';
import type { ScannedLine, Transcripts } from '../storage/storage.ts';
import { keptSessions } from './kept.ts';

const first = (sessionKey: string, createdAt: string): ScannedLine => ({
  number: 1,
  line: { type: 'session', version: 1, sessionKey, sessionId: 'x', createdAt },
});
const TRANSCRIPTS: Record<string, ScannedLine[]> = {
  current: [first('main', '2026-03-01')],
  earlier: [first('main', '2026-01-01')],
  damaged: [
    { number: 1, damaged: '{' },
    { ...first('work', '2026-02-01'), number: 2 },
  ],
  lost: [{ number: 1, damaged: '{' }],
};
const transcripts: Transcripts = {
  open: () => Promise.reject(new Error('nothing is opened for writing')),
  async *scan(sessionId) {
    yield* TRANSCRIPTS[sessionId] ?? [];
  },
  list: async () => Object.keys(TRANSCRIPTS),
  revision: async () => undefined,
  isContinued: () => true,
  redact: async () => 0,
  remove: () => Promise.reject(new Error('nothing is removed')),
};

it('every session is found, oldest first, also one whose first line is damaged or whose key nobody tells', async () => {
  const entry = { sessionKey: 'main', sessionId: 'current', createdAt: '2026-03-01', updatedAt: '2026-03-02' };
  const unwritten = { ...entry, sessionKey: 'new', sessionId: 'unwritten', createdAt: '2026-04-01' };
  expect(await keptSessions(transcripts, [entry, unwritten])).toEqual([
    { sessionId: 'lost', isCurrent: false },
    { sessionKey: 'main', sessionId: 'earlier', createdAt: '2026-01-01', isCurrent: false },
    { sessionKey: 'work', sessionId: 'damaged', createdAt: '2026-02-01', isCurrent: false },
    { sessionKey: 'main', sessionId: 'current', createdAt: '2026-03-01', isCurrent: true },
    { sessionKey: 'new', sessionId: 'unwritten', createdAt: '2026-04-01', isCurrent: true },
  ]);
});
