import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Transcript, TranscriptLine } from '../storage/storage.ts';
import type { SessionLine } from './lines.ts';
import { readRecent } from './recent.ts';

/** A transcript that counts how many of its lines were read. */
function transcriptOf(lines: readonly (SessionLine | TranscriptLine)[]): Transcript & { read: number } {
  const transcript = {
    read: 0,
    repairedBytes: 0,
    isEmpty: lines.length === 0,
    append: async () => {},
    sync: async () => {},
    close: async () => {},
    async *newestFirst() {
      for (const line of lines.toReversed()) {
        transcript.read += 1;
        yield line as TranscriptLine;
      }
    },
  };
  return transcript;
}

const message = (role: 'user' | 'assistant' | 'system', content: string): SessionLine => ({
  type: 'message',
  message: { id: `msg-${content}`, role, timestamp: '', content, route: 'stub', stage: '' },
});

let count = 0;
function turn(name: string, { size = 2, ended = true } = {}): SessionLine[] {
  const said = Array.from({ length: size }, (_, index) =>
    message(index === 0 ? 'user' : 'assistant', `${name}-${index}`),
  );
  count += size;
  const start: SessionLine = { type: 'turn-start', turnId: name, timestamp: '', entry: {} };
  const end: SessionLine = { type: 'turn-end', turnId: name, timestamp: '', outcome: 'answered', messageCount: count };
  return ended ? [start, ...said, end] : [start, ...said];
}

function turns(amount: number, size = 2): SessionLine[] {
  count = 0;
  return Array.from({ length: amount }, (_, index) => turn(`turn-${index}`, { size })).flat();
}

describe('the recent conversation', () => {
  it('of nothing is nothing', async () => {
    expect(await readRecent(transcriptOf([]))).toEqual({
      messages: [],
      messageCount: 0,
      isMarked: false,
      unfinished: [],
    });
  });

  it('is everything while there is little, oldest first', async () => {
    const { messages, messageCount, unfinished } = await readRecent(transcriptOf(turns(3)));
    expect(messages.map(({ content }) => content)).toEqual([
      'turn-0-0',
      'turn-0-1',
      'turn-1-0',
      'turn-1-1',
      'turn-2-0',
      'turn-2-1',
    ]);
    expect({ messageCount, unfinished }).toEqual({ messageCount: 6, unfinished: [] });
  });

  it.each([
    [1, 24],
    [2, 24],
    [3, 24],
    [5, 25],
    [30, 30],
  ])('of turns of %i messages is whole turns, at least 24 messages: %i', async (size, expected) => {
    const { messages, messageCount } = await readRecent(transcriptOf(turns(100, size)));
    expect(messages).toHaveLength(expected);
    expect(messages[0]?.content).toMatch(/-0$/);
    expect(messages.at(-1)?.content).toBe(`turn-99-${size - 1}`);
    expect(messageCount).toBe(100 * size);
  });

  it('costs the same however long the transcript is', async () => {
    const [short, long] = [transcriptOf(turns(50)), transcriptOf(turns(5_000))];
    await readRecent(short);
    await readRecent(long);
    expect(long.read).toBe(short.read);
    expect(long.read).toBeLessThan(60);
  });

  it('ends earlier where messages are very long', async () => {
    count = 0;
    const long = Array.from({ length: 10 }, (_, index) => {
      const [start, , ...rest] = turn(`turn-${index}`);
      return [start as SessionLine, message('user', `${index}${'x'.repeat(1_500_000)}`), ...rest];
    }).flat();
    const { messages, messageCount } = await readRecent(transcriptOf(long));
    expect(messages.length).toBeLessThan(8);
    expect(messages.at(-1)?.content).toBe('turn-9-1');
    expect(messageCount).toBe(20);
  });

  it('passes over lines of other versions and damaged messages', async () => {
    const lines = [
      ...turns(2),
      { type: 'future', x: 1 },
      { type: 'message', message: { role: 'robot', content: 'x' } },
      { type: 'message' },
    ];
    expect(await readRecent(transcriptOf(lines))).toMatchObject({ messageCount: 4, unfinished: [] });
  });

  it('counts messages that no turn has counted', async () => {
    const bare = [message('user', 'a'), message('assistant', 'b'), message('user', 'c')];
    expect(await readRecent(transcriptOf(bare))).toMatchObject({ messageCount: 3, unfinished: [] });
    expect(await readRecent(transcriptOf([...turns(2), ...bare]))).toMatchObject({ messageCount: 7, unfinished: [] });
  });
});

describe('a last turn without its end', () => {
  it('is told with its journal, and its messages are part of the conversation', async () => {
    const before = turns(2);
    const call: SessionLine = {
      type: 'tool-call',
      turnId: 'cut',
      timestamp: '',
      call: { id: 'c', name: 'n', args: {}, source: 'ask' },
      effect: 'read',
    };
    const cut = [...turn('cut', { size: 1, ended: false }), call];
    const { messages, messageCount, unfinished } = await readRecent(transcriptOf([...before, ...cut]));
    expect(unfinished).toEqual(cut);
    expect(messages.at(-1)?.content).toBe('cut-0');
    expect(messageCount).toBe(5);
  });

  it('is recognised behind a repair, and not when a later turn closed it', async () => {
    const cut = turn('cut', { ended: false });
    const repair: SessionLine = { type: 'repair', timestamp: '', droppedBytes: 3 };
    expect((await readRecent(transcriptOf([...cut, repair]))).unfinished).toEqual(cut);
    expect((await readRecent(transcriptOf([...cut, ...turn('next')]))).unfinished).toEqual([]);
  });

  it('of which only a part is left is not begun, so not unfinished', async () => {
    expect((await readRecent(transcriptOf([message('user', 'x')]))).unfinished).toEqual([]);
  });
});

it('the count is right after any mixture of turns', async () => {
  const sizes = fc.array(fc.record({ size: fc.integer({ min: 0, max: 6 }), ended: fc.boolean() }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(sizes, async (described) => {
      count = 0;
      const lines = described.flatMap((each, index) =>
        turn(`t${index}`, { ...each, ended: each.ended || index < described.length - 1 }),
      );
      const { messages, messageCount } = await readRecent(transcriptOf(lines));
      expect(messageCount).toBe(count);
      const all = lines.flatMap((line) => (line.type === 'message' ? [line.message] : []));
      expect(messages).toEqual(all.slice(all.length - messages.length));
      expect(messages.length).toBeGreaterThanOrEqual(Math.min(24, all.length));
    }),
  );
});
