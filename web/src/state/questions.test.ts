import { afterEach, beforeEach, expect, it, vi } from 'vitest';

/** The gateway's side: its stream of events, and answers that wait until they are released. */
function gateway() {
  const { promise: stream, resolve: openStream } = Promise.withResolvers<Response>();
  const asked: { name: string; answer(output: unknown): void }[] = [];
  const fetch = ({ pathname }: URL): Promise<Response> => {
    const [name = ''] = pathname.split('/').slice(-1);
    const { promise, resolve } = Promise.withResolvers<Response>();
    asked.push({ name, answer: (output) => resolve(Response.json(output)) });
    return promise;
  };
  vi.stubGlobal('fetch', (address: URL | string) => {
    const url = new URL(address);
    return url.pathname === '/api/events' ? stream : fetch(url);
  });
  let sending: ReadableStreamDefaultController<Uint8Array> | undefined;
  return {
    openStream() {
      const start = (controller: typeof sending): void => {
        sending = controller;
      };
      openStream(new Response(new ReadableStream({ start })));
    },
    async send(event: object) {
      sending?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
      await settled();
    },
    /** Answers a request that waits, the oldest unless another place is said. */
    async answer(name: string, output: unknown, place = 0) {
      const request = asked.filter((each) => each.name === name)[place];
      if (!request) throw new Error(`nothing waits for ${name}`);
      asked.splice(asked.indexOf(request), 1);
      request.answer(output);
      await settled();
    },
    waiting: () => asked.map(({ name }) => name),
  };
}

const settled = () => vi.advanceTimersByTimeAsync(0);
const question = (id: string) => ({ id, turnId: 'turn' });

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers();
  vi.stubGlobal('document', { baseURI: 'http://localhost/' });
  vi.stubGlobal('localStorage', { getItem: () => null });
  vi.stubGlobal('SharedWorker', undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function opened() {
  const raised: string[] = [];
  const far = gateway();
  const { questions, loadQuestions, followQuestions } = await import('./questions.ts');
  const { streamStarted } = await import('../events/stream.ts');
  followQuestions(({ question: { id } }) => raised.push(id));
  const started = streamStarted('owner');
  return { ...far, started, raised, loadQuestions, ids: () => questions.value.map((each) => each.question.id) };
}

it('a list that was made before an event does not undo the event', async () => {
  const { openStream, started, send, answer, loadQuestions, raised, ids } = await opened();
  openStream();
  await settled();
  await send({ type: 'hello' });
  await started;
  const loaded = loadQuestions();
  await send({ type: 'permission-resolved', questionId: 'answered' });
  await send({ type: 'form-request', session: 'main', question: question('asked') });
  await answer('turns.list', []);
  await answer('turns.questions', [question('open'), question('answered')]);
  await loaded;
  expect(ids()).toEqual(['open', 'asked']);
  expect(raised).toEqual(['asked']);
});

it('of two lists the one that was asked for last is shown, whichever comes last', async () => {
  const { answer, loadQuestions, ids } = await opened();
  const loads = [loadQuestions(), loadQuestions()];
  await answer('turns.list', []);
  await answer('turns.list', []);
  await answer('turns.questions', [question('new')], 1);
  await answer('turns.questions', [question('old')]);
  await Promise.all(loads);
  expect(ids()).toEqual(['new']);
});

it('a stream that begins late has everything loaded again: nobody received what happened before it', async () => {
  const { openStream, started, send, answer, waiting, loadQuestions, ids } = await opened();
  await vi.advanceTimersByTimeAsync(1_500);
  await started;
  const loaded = loadQuestions();
  await answer('turns.list', []);
  await answer('turns.questions', []);
  await loaded;
  openStream();
  await settled();
  await send({ type: 'hello' });
  expect(waiting()).toEqual(['turns.questions', 'turns.list']);
  await answer('turns.list', []);
  await answer('turns.questions', [question('missed')]);
  expect(ids()).toEqual(['missed']);
});
