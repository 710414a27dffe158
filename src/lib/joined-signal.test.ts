import { expect, it } from 'vitest';
import { joinSignals } from './joined-signal.ts';

it('ends with the first of its sources, with the reason of that one', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const joined = joinSignals(first.signal, second.signal);
  expect(joined.signal.aborted).toBe(false);
  second.abort('two');
  first.abort('one');
  expect(joined.signal.reason).toBe('two');
});

it('ends by itself, and leaves its sources alone', () => {
  const source = new AbortController();
  const joined = joinSignals(source.signal);
  joined.abort('enough');
  expect([joined.signal.reason, source.signal.aborted]).toEqual(['enough', false]);
});

it('has ended where a source had ended before', () => {
  expect(joinSignals(AbortSignal.abort('before')).signal.reason).toBe('before');
});

it('heeds its sources no more once it is released', () => {
  const source = new AbortController();
  const joined = joinSignals(source.signal);
  joined.release();
  source.abort();
  expect(joined.signal.aborted).toBe(false);
});
