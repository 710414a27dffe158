import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCallLimit } from './call-limit.ts';

describe('the limit of a call', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const limitOf = (ms: number) => createCallLimit(ms, () => new Error('late'), Date.now);

  it('fires when the time is over, with its reason', () => {
    const { signal } = limitOf(1_000);
    vi.advanceTimersByTime(999);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal.reason).toEqual(new Error('late'));
  });

  it('does not run while anybody holds it, and then has as much left as before', () => {
    const { signal, hold } = limitOf(1_000);
    vi.advanceTimersByTime(400);
    const [first, second] = [hold(), hold()];
    vi.advanceTimersByTime(60_000);
    first();
    first();
    vi.advanceTimersByTime(60_000);
    second();
    vi.advanceTimersByTime(599);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(signal.aborted).toBe(true);
  });

  it('never fires after its end, also when a holder lets go later', () => {
    const { signal, hold, end } = limitOf(1_000);
    const release = hold();
    end();
    release();
    vi.advanceTimersByTime(60_000);
    expect(signal.aborted).toBe(false);
  });
});
