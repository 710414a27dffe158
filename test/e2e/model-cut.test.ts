// A recorded tool round, ended at every one of its bytes, through the whole of a turn: nothing crashes, no part of a
// call is ever executed, and each ending is reported.
import { describe, expect, it } from 'vitest';
import type { SessionLine } from '../../src/sessions/lines.ts';
import type { Storage, Transcript } from '../../src/storage/storage.ts';
import type { Dialect } from '../fakes/model-server/neutral-request.ts';
import { replyBytes } from '../fakes/model-server/render-reply.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { memoryOwnerFiles } from '../support/memory-owner-files.ts';
import { type AppTool, createModelApp } from '../support/model-app.ts';
import { structureProblems } from '../support/transcript-rules.ts';

const ROUND: Reply = { text: 'Wait, 请稍候. ', toolCalls: [{ name: 'probe', args: { word: 'Zürich 🌧' } }] };
const ANSWER: Reply = { text: 'Done.' };
/** What ends an answer well, in each dialect: a stream that holds it whole is complete. */
const MARKERS: Record<Dialect, string> = {
  chat: '"finish_reason":"tool_calls"',
  responses: 'event: response.completed',
  codex: 'event: response.completed',
  messages: 'event: message_stop',
};

describe.each([
  { provider: 'openai-compatible', dialect: 'chat', everyByte: true },
  { provider: 'openai', dialect: 'responses', everyByte: true },
  // The adapters' own suite cuts these at every byte; here a turn meets the places where it could matter.
  { provider: 'openai-codex', dialect: 'codex', everyByte: false },
  { provider: 'anthropic', dialect: 'messages', everyByte: false },
] as const)('a tool round of $provider', ({ provider, dialect, everyByte }) => {
  const model = 'fake';
  const round = replyBytes(ROUND, { dialect, model });
  const answer = replyBytes(ANSWER, { dialect, model });
  const marker = round.indexOf(MARKERS[dialect]);
  const markerEnd = round.indexOf('\n\n', marker);
  const frames = [...round.toString('latin1').matchAll(/\n\n/g)].map(({ index }) => index);
  const aroundFrames = frames.flatMap((frame) => [frame - 1, frame, frame + 1, frame + 2]);
  const executed: unknown[] = [];
  const replies: Response[] = [];
  const { storage, journal } = forgetfulStorage();
  const probe: AppTool = {
    name: 'probe',
    effect: 'read',
    parameters: ['word'],
    run(args) {
      executed.push(args);
      return 'probed';
    },
  };
  const app = createModelApp({
    storage,
    provider,
    baseUrl: 'http://127.0.0.1:1/v1',
    tools: [probe],
    fetch: async (_, init) =>
      (init?.method === 'POST' ? replies.shift() : undefined) ??
      new Response('nothing more was expected', { status: 418 }),
  });

  /** What is wrong with the turn whose first answer ended there. */
  async function problemAt(length: number, ending: Ending): Promise<string | undefined> {
    executed.length = 0;
    journal.length = 0;
    replies.splice(0, 2, streamOf(round.subarray(0, length), ending), streamOf(answer, 'closes'));
    const { result } = await app.ask('go');
    const [broken] = structureProblems(journal);
    if (broken) return `its journal is broken: ${broken}`;
    const calls = journal.filter(({ type }) => type === 'tool-call').length;
    if (result.success) {
      if (length < markerEnd) return 'it succeeded before the finish marker was whole';
      if (JSON.stringify(executed) !== '[{"word":"Zürich 🌧"}]') return `it executed ${JSON.stringify(executed)}`;
      return result.result === 'Done.' ? undefined : `it answered ${result.result}`;
    }
    if (executed.length + calls + result.toolCalls.length > 0) return 'it executed a call of a broken stream';
    if (!/^PROVIDER_(NETWORK|PROTOCOL)$/.test(result.error.code) || result.error.message === '')
      return `it failed with ${JSON.stringify(result.error)}`;
    if (result.result !== '') return 'a failure has a result';
    return length > markerEnd + 1 && ending === 'closes' ? 'it failed although it was complete' : undefined;
  }

  async function expectNoProblem(lengths: readonly number[], ending: Ending): Promise<void> {
    const problems: string[] = [];
    for (const length of lengths) {
      const problem = await problemAt(length, ending);
      if (problem) problems.push(`${ending} after ${length} of ${round.length} bytes: ${problem}`);
      if (problems.length > 5) break;
    }
    expect(problems).toEqual([]);
  }

  it(`broken off at every ${everyByte ? 'byte' : 'frame'}, never executes a part of a call and tells why it ended`, async () => {
    expect(markerEnd).toBeGreaterThan(marker);
    await expectNoProblem(everyByte ? [...Array(round.length + 1).keys()] : aroundFrames, 'breaks');
  });

  it('ended in good order around every frame, is complete only with its finish marker', async () => {
    await expectNoProblem(aroundFrames, 'closes');
  });
});

/** Every turn is the first one, and nothing waits for a disk: there are thousands of them. */
function forgetfulStorage(): { storage: Storage; journal: SessionLine[] } {
  const journal: SessionLine[] = [];
  const done = async (): Promise<void> => {};
  const transcript: Transcript = {
    append: async (lines) => void journal.push(...(lines as unknown as SessionLine[])),
    sync: done,
    revision: () => undefined,
    async *newestFirst() {},
    repairedBytes: 0,
    isEmpty: true,
    close: done,
  };
  const used: { [Part in keyof Storage]?: Partial<Storage[Part]> } = {
    transcripts: { open: async () => transcript },
    catalogue: { get: async () => undefined, put: done, putSoon: done },
    locks: { acquire: async (name) => ({ name, token: 1, lost: new AbortController().signal, release: done }) },
    ownerFiles: memoryOwnerFiles(),
    spending: { add: done, on: async () => ({ tokens: 0, costUsd: 0 }) },
  };
  const storage = used as Storage;
  return { storage, journal };
}

type Ending = 'breaks' | 'closes';

function streamOf(bytes: Uint8Array, ending: Ending): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(new Uint8Array(bytes));
    },
    // The end comes when what was sent has been read, as it does from a socket.
    pull(controller) {
      if (ending === 'closes') controller.close();
      else controller.error(new TypeError('terminated', { cause: { code: 'UND_ERR_SOCKET' } }));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
