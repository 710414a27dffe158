import { describe, expect, it } from 'vitest';
import type { AskRequest, Gateway } from '../gateway/gateway.ts';
import type { RunEvent } from '../pipeline/events.ts';
import { trackTurns } from './turns-in-progress.ts';

const request = {} as AskRequest;
const never = new AbortController().signal;
const delta = (text: string): RunEvent => ({ type: 'text-delta', text });

/** A turn that says two things, waits to be cancelled, and says that it was. */
function openTurn(): { ask: Gateway['ask']; log: string[] } {
  const log: string[] = [];
  const ask: Gateway['ask'] = async (_request, signal) =>
    (async function* () {
      log.push('begun');
      try {
        yield delta('one');
        yield delta('two');
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
        yield delta('cancelled');
        log.push('ended');
      } finally {
        log.push('closed');
      }
    })();
  return { ask, log };
}

describe('closing', () => {
  it('ends a turn that somebody reads, and the reader gets every event', async () => {
    const { ask, log } = openTurn();
    const turns = trackTurns(ask);
    const reading = Array.fromAsync(await turns.ask(request, never));
    await turns.close();
    expect(log).toEqual(['begun', 'ended', 'closed']);
    expect(await reading).toEqual([delta('one'), delta('two'), delta('cancelled')]);
  });

  it('ends a turn whose reader has gone without saying so', async () => {
    const { ask, log } = openTurn();
    const turns = trackTurns(ask);
    const events = await turns.ask(request, never);
    await events[Symbol.asyncIterator]().next();
    await turns.close();
    expect(log).toEqual(['begun', 'ended', 'closed']);
  });

  it('begins no turn that nobody has begun to read', async () => {
    const { ask, log } = openTurn();
    const turns = trackTurns(ask);
    await turns.ask(request, never);
    await turns.close();
    expect(log).toEqual([]);
  });

  it('refuses what is asked later', async () => {
    const turns = trackTurns(openTurn().ask);
    await turns.close();
    await expect(turns.ask(request, never)).rejects.toThrow('the workspace is closed');
  });
});

it('a reader that stops ends its turn', async () => {
  const { ask, log } = openTurn();
  const turns = trackTurns(ask);
  for await (const event of await turns.ask(request, never)) if (event.type === 'text-delta') break;
  expect(log).toEqual(['begun', 'closed']);
  await turns.close();
});

it('the signal of the request cancels its turn, also one that fired before', async () => {
  const cancel = new AbortController();
  const turns = trackTurns(openTurn().ask);
  const reading = Array.fromAsync(await turns.ask(request, cancel.signal));
  cancel.abort();
  expect(await reading).toHaveLength(3);
  expect(await Array.fromAsync(await turns.ask(request, AbortSignal.abort()))).toHaveLength(3);
});

it('what a turn fails with reaches its reader, also while the workspace is closed', async () => {
  const ask: Gateway['ask'] = async (_request, signal) =>
    (async function* () {
      yield delta('one');
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new Error('a defect');
    })();
  const turns = trackTurns(ask);
  const reading = Array.fromAsync(await turns.ask(request, never));
  const failing = expect(reading).rejects.toThrow('a defect');
  await turns.close();
  await failing;
});
