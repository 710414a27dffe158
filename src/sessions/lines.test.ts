import { describe, expect, it } from 'vitest';
import { asSessionLine } from './lines.ts';

describe('lines of earlier versions', () => {
  it('say in their own words what is tainted', () => {
    const turn = { turnId: 't', timestamp: 'now', marked: true };
    expect(asSessionLine({ type: 'turn-start', ...turn, entry: {} })).toMatchObject({ tainted: true });
    expect(asSessionLine({ type: 'turn-end', ...turn, outcome: 'answered', messageCount: 1 })).toMatchObject({
      tainted: true,
    });
    const result = { type: 'tool-result', turnId: 't', callId: 'c', ok: true, text: '' };
    expect(asSessionLine({ ...result, meta: { outside: true, durationMs: 1 } })).toMatchObject({
      meta: { tainted: true, durationMs: 1 },
    });
    for (const meta of [undefined, null, {}, { outside: 'yes' }])
      expect(asSessionLine({ ...result, meta })).toEqual({ ...result, meta });
  });
});
