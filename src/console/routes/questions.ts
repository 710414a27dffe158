// What the turns of the gateway ask, for a terminal of the owner beside it.
import { QUESTIONS_PATH, tellQuestions } from '../../gateway/turns/question-lines.ts';
import type { QuestionAnswer } from '../../gateway/turns/questions.ts';
import type { ConsoleContext } from '../context.ts';
import { callerOf, type Exchange, jsonBody, type Route, sendJson } from '../exchange.ts';
import { Problem } from '../problem.ts';

const SCOPES: readonly unknown[] = ['once', 'session', 'always'];
const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel'];

export function questionRoutes({ runtime: { hub } }: ConsoleContext): Route[] {
  return [
    {
      method: 'GET',
      path: QUESTIONS_PATH,
      admits: 'owner',
      body: 'none',
      handle(exchange) {
        checkTerminal(exchange);
        const { response, signal } = exchange;
        response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
        response.flushHeaders();
        const end = tellQuestions(hub, (line) => {
          if (!response.destroyed) response.write(`${JSON.stringify(line)}\n`);
        });
        signal.addEventListener('abort', end, { once: true });
      },
    },
    {
      method: 'POST',
      path: `${QUESTIONS_PATH}/:id`,
      admits: 'owner',
      body: 'json',
      async handle(exchange) {
        checkTerminal(exchange);
        const answer = readAnswer(await jsonBody(exchange));
        sendJson(exchange, await hub.answer(exchange.params.id ?? '', answer, { place: 'terminal' }));
      },
    },
  ];
}

/** A browser and a key of the API have operations for it. */
function checkTerminal(exchange: Exchange): void {
  const { sessionId, key } = callerOf(exchange);
  if (sessionId !== undefined || key !== undefined)
    throw new Problem(403, 'NOT_ALLOWED', 'this is for processes with the token of the gateway');
}

function readAnswer(body: Record<string, unknown>): QuestionAnswer {
  const { kind, scope, answer } = body as { kind?: unknown; scope?: unknown; answer?: { action?: unknown } };
  const isAnswer =
    kind === 'deny' ||
    (kind === 'allow' && SCOPES.includes(scope)) ||
    (kind === 'form' && ACTIONS.includes(answer?.action));
  if (!isAnswer) throw new Problem(400, 'BAD_BODY', 'accepted: an answer to a question');
  return body as unknown as QuestionAnswer;
}
