import { describe, expect, it } from 'vitest';
import { newId } from '../../lib/new-id.ts';
import type { RunEvent } from '../../pipeline/events.ts';
import { createAskedTurns } from './asked-turns.ts';
import { createTurnHub, type StartOptions, type TurnHub } from './turn-hub.ts';

const never = new AbortController().signal;
const notice = (text: string): RunEvent => ({ type: 'notice', text });
const ALL = [notice('one'), notice('two'), notice('cancelled')];

/** A turn that says two things, waits to be cancelled, and says that it was. */
function openTurn(signal = never): { options: StartOptions; log: string[] } {
  const log: string[] = [];
  return {
    log,
    options: {
      id: newId('req'),
      sessionKey: 'main',
      provider: 'stub',
      signal,
      async *run(turn) {
        yield notice('one');
        yield notice('two');
        if (!turn.signal.aborted) await new Promise((resolve) => turn.signal.addEventListener('abort', resolve));
        yield notice('cancelled');
        log.push('ended');
      },
    },
  };
}

function setUp() {
  const hub: TurnHub = createTurnHub({ now: Date.now, newId });
  return { hub, turns: createAskedTurns(hub) };
}

describe('closing', () => {
  it('ends a turn that somebody reads, and the reader gets every event', async () => {
    const { turns } = setUp();
    const { options, log } = openTurn();
    const reading = Array.fromAsync(turns.start(options));
    await turns.close();
    expect(log).toEqual(['ended']);
    expect(await reading).toEqual(ALL);
  });

  it('ends a turn that nobody reads, or whose reader has gone without saying so', async () => {
    const { turns } = setUp();
    const [unread, left] = [openTurn(), openTurn()];
    turns.start(unread.options);
    await turns.start(left.options)[Symbol.asyncIterator]().next();
    await turns.close();
    expect([unread.log, left.log]).toEqual([['ended'], ['ended']]);
  });

  it('refuses what is asked later', async () => {
    const { turns } = setUp();
    await turns.close();
    expect(() => turns.start(openTurn().options)).toThrow('the workspace is closed');
  });
});

it('who asked and stops reading cancels the turn; other readers see its end', async () => {
  const { hub, turns } = setUp();
  const { options, log } = openTurn();
  const events = turns.start(options);
  const other = Array.fromAsync(hub.read(options.id));
  for await (const event of events) if (event.type === 'notice') break;
  expect(log).toEqual(['ended']);
  expect((await other).at(-1)).toMatchObject({ number: 3, event: notice('cancelled') });
});

it('another reader that stops changes nothing for the turn', async () => {
  const { hub, turns } = setUp();
  const { options, log } = openTurn();
  turns.start(options);
  for await (const _ of hub.read(options.id)) break;
  expect(log).toEqual([]);
  expect(hub.turn(options.id)?.state).toBe('running');
  await turns.close();
});

it('the signal of the request cancels its turn, also one that fired before', async () => {
  const cancel = new AbortController();
  const { turns } = setUp();
  const reading = Array.fromAsync(turns.start(openTurn(cancel.signal).options));
  cancel.abort();
  expect(await reading).toEqual(ALL);
  expect(await Array.fromAsync(turns.start(openTurn(AbortSignal.abort()).options))).toEqual(ALL);
});

it('what a turn fails with reaches its reader, also while it is closed', async () => {
  const { turns } = setUp();
  const { options } = openTurn();
  const reading = Array.fromAsync(
    turns.start({
      ...options,
      async *run(turn) {
        yield notice('one');
        if (!turn.signal.aborted) await new Promise((resolve) => turn.signal.addEventListener('abort', resolve));
        throw new Error('a defect');
      },
    }),
  );
  const failing = expect(reading).rejects.toThrow('a defect');
  await turns.close();
  await failing;
});
