import { describe, expect, it } from 'vitest';
import type { NotificationKind } from '../../config/settings.ts';
import { createNotifier } from './notifier.ts';

function setUp(kind: NotificationKind) {
  const time = { now: 0 };
  const written: string[] = [];
  const notifier = createNotifier({ kind, afterMs: 10_000, write: (data) => written.push(data), now: () => time.now });
  return { notifier, time, written };
}

describe('a notification', () => {
  it.each([
    ['bell', ['\x07']],
    ['osc9', ['\x1b]9;Done\x07']],
    ['osc777', ['\x1b]777;notify;Lainclaw;Done\x07']],
    ['off', []],
  ] as const)('is sent as %s once nobody has typed for a while', (kind, expected) => {
    const { notifier, time, written } = setUp(kind);
    time.now = 9_999;
    notifier.notify('Done');
    expect(written).toEqual([]);
    time.now = 10_000;
    notifier.notify('Done');
    expect(written).toEqual(expected);
  });

  it('is not sent to somebody who types', () => {
    const { notifier, time, written } = setUp('bell');
    time.now = 30_000;
    notifier.typed();
    notifier.notify('Done');
    expect(written).toEqual([]);
  });
});
