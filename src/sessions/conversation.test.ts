import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Transcript, TranscriptLine } from '../storage/storage.ts';
import { LEAST_MESSAGES, type RecentLines, readRecent as readLines, turnsOf } from './conversation.ts';
import type { SessionLine, SessionMessage } from './lines.ts';

/** A transcript that counts how many of its lines were read. */
function transcriptOf(lines: readonly (SessionLine | TranscriptLine)[]): Transcript & { read: number } {
  const transcript = {
    read: 0,
    repairedBytes: 0,
    isEmpty: lines.length === 0,
    append: async () => {},
    sync: async () => {},
    close: async () => {},
    revision: () => undefined,
    async *newestFirst() {
      for (const line of lines.toReversed()) {
        transcript.read += 1;
        yield line as TranscriptLine;
      }
    },
  };
  return transcript;
}

interface Recent extends RecentLines {
  messages: SessionMessage[];
}

async function readRecent(transcript: Transcript, characters = 0): Promise<Recent> {
  const recent = await readLines(transcript, characters);
  return { ...recent, messages: turnsOf(recent.lines).flatMap(({ messages }) => messages) };
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
      lines: [],
      hasOlder: false,
      messageCount: 0,
      taintedBy: [],
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
    [1, 12],
    [2, 12],
    [3, 12],
    [5, 15],
    [30, 30],
  ])('of turns of %i messages is whole turns, at least 12 messages: %i', async (size, expected) => {
    const { messages, messageCount } = await readRecent(transcriptOf(turns(100, size)));
    expect(messages).toHaveLength(expected);
    expect(messages[0]?.content).toMatch(/-0$/);
    expect(messages.at(-1)?.content).toBe(`turn-99-${size - 1}`);
    expect(messageCount).toBe(100 * size);
  });

  it('costs the same however long the transcript is', async () => {
    const [short, long] = [transcriptOf(turns(1_100)), transcriptOf(turns(9_000))];
    for (const transcript of [short, long]) await readRecent(transcript, 200);
    expect(long.read).toBe(short.read);
    expect(long.read).toBeLessThan(100);
  });

  it('goes back as far as the size asked for, and says whether there is more', async () => {
    const some = await readRecent(transcriptOf(turns(100)), 300);
    expect(some.messages.length).toBeGreaterThan(30);
    expect(some.messages.length).toBeLessThan(50);
    expect(some.hasOlder).toBe(true);
    expect(await readRecent(transcriptOf(turns(100)), 1_000_000)).toMatchObject({ hasOlder: false });
  });

  it('begins where the newest summary ends', async () => {
    const summary = (keptFrom: string, throughMessage: number): SessionLine => ({
      type: 'history-summary',
      timestamp: '',
      fromMessage: 1,
      throughMessage,
      keptFrom,
      summary: `up to ${throughMessage}`,
      by: 'model',
    });
    const all = turns(20);
    const lines = [...all.slice(0, 60), summary('turn-5', 10), ...all.slice(60), summary('turn-12', 24)];
    const transcript = transcriptOf(lines);
    const { messages, summary: found, hasOlder } = await readRecent(transcript, 1_000_000);
    expect(found).toMatchObject({ summary: 'up to 24' });
    expect(messages[0]?.content).toBe('turn-12-0');
    expect(hasOlder).toBe(false);
    expect(transcript.read).toBe(8 * 4 + 2);
    // Where no turn is named, the number of the message decides.
    const { keptFrom: _, ...unnamed } = summary('', 24) as Extract<SessionLine, { type: 'history-summary' }>;
    const bare = await readRecent(transcriptOf([...all, unnamed]), 1_000_000);
    expect(bare.messages[0]?.content).toBe('turn-12-0');
  });

  it('has the last messages whole, however long they are', async () => {
    count = 0;
    const long = Array.from({ length: 10 }, (_, index) => {
      const [start, , ...rest] = turn(`turn-${index}`);
      return [start as SessionLine, message('user', `${index}${'x'.repeat(1_500_000)}`), ...rest];
    }).flat();
    const { messages, messageCount } = await readRecent(transcriptOf(long));
    expect(messages.length).toBe(LEAST_MESSAGES);
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
  it('is shown with its journal, and its messages are part of the conversation', async () => {
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

  it('with only a part left is not begun, so not unfinished', async () => {
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
      expect(messages.length).toBeGreaterThanOrEqual(Math.min(LEAST_MESSAGES, all.length));
    }),
  );
});
