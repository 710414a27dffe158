import { expect, it } from 'vitest';
import { turnsOf } from '../sessions/conversation.ts';
import type { HistoryTurn } from '../sessions/history.ts';
import type { SessionLine } from '../sessions/lines.ts';
import { historyMessages } from './history-messages.ts';

const timestamp = '2026-01-02T03:04:05.000Z';
const wireNames = { toWire: (name: string) => name, callToWire: <T>(call: T): T => call };

function turn(turnId: string, question: string, picture?: string): HistoryTurn {
  const said = (role: 'user' | 'assistant', content: string): SessionLine => ({
    type: 'message',
    message: { id: `${turnId}-${role}`, role, timestamp, content, route: '', stage: 'input' },
  });
  const lines = [
    { type: 'turn-start', turnId, timestamp },
    said('user', question),
    ...(picture ? [{ type: 'attached', turnId, pictures: [{ mediaType: 'image/png', path: picture }] }] : []),
    said('assistant', 'yes'),
    { type: 'turn-end', turnId, timestamp, outcome: 'answered', messageCount: 2 },
  ] as SessionLine[];
  return turnsOf(lines)[0] as HistoryTurn;
}

it('writes a turn again only where its pictures may have changed', () => {
  const turns = [turn('one', 'hello'), turn('two', 'what is this?', 'a.png')];
  const image = { mimeType: 'image/png', data: 'AAAA' };
  const written = (pictures: [string, typeof image][]) =>
    historyMessages(turns, { wireNames, callsAsText: false, pictures: new Map(pictures) });
  const before = written([['a.png', image]]);
  expect(before[2]).toEqual({ role: 'user', text: 'what is this?', images: [image] });
  const other = { ...image, data: 'BBBB' };
  const after = written([['a.png', other]]);
  expect(after[0]).toBe(before[0]);
  expect(after[2]).toEqual({ role: 'user', text: 'what is this?', images: [other] });
  expect(written([])[2]).toEqual({ role: 'user', text: 'what is this?' });
});
