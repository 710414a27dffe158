// What the gateway beside this process asks its owner: read from its stream, answered with a request. The gateway is looked for again and again; while none
// runs, nothing is asked.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceState, ServiceStates } from '../service/service-state.ts';
import { readJsonLines } from './json-lines.ts';
import { QUESTIONS_PATH, type QuestionLine } from './question-lines.ts';
import type { AnswerOutcome, QuestionAnswer } from './questions.ts';

const LOOK_MS = 3_000;
const ANSWER_MS = 15_000;
const LARGEST_ANSWER = 1024 * 1024;

export interface FollowedQuestions {
  answer(questionId: string, answer: QuestionAnswer): Promise<AnswerOutcome>;
}

/** Until `signal` fires. A question whose gateway is gone ends without a resolution. */
export function followQuestions(
  states: Pick<ServiceStates, 'running' | 'token'>,
  onLine: (line: QuestionLine) => void,
  signal: AbortSignal,
): FollowedQuestions {
  /** Undefined when no gateway runs, or it is this process. */
  async function reach(): Promise<Reach | undefined> {
    const [state, token] = await Promise.all([states.running(), states.token()]);
    if (!state || token === undefined || state.pid === process.pid) return undefined;
    return { port: state.port, token };
  }

  async function follow(): Promise<void> {
    const found = await reach();
    if (!found) return;
    const open = new Set<string>();
    try {
      const stream = await send(found, { path: QUESTIONS_PATH, signal });
      stream.socket.unref();
      for await (const line of readJsonLines<QuestionLine>(stream)) {
        if (line.kind === 'asked') open.add(line.question.id);
        else open.delete(line.questionId);
        onLine(line);
      }
    } finally {
      if (!signal.aborted) for (const questionId of open) onLine({ kind: 'ended', questionId });
    }
  }

  void (async () => {
    while (!signal.aborted) {
      await follow().catch(() => {});
      await pause(LOOK_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  })();

  return {
    async answer(questionId, answer) {
      const found = await reach();
      if (!found) return { kind: 'unknown' };
      const path = `${QUESTIONS_PATH}/${encodeURIComponent(questionId)}`;
      const bound = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
      return JSON.parse(await textOf(await send(found, { path, signal: bound, body: JSON.stringify(answer) })));
    },
  };
}

interface Reach extends Pick<ServiceState, 'port'> {
  token: string;
}

/** Rejects when the gateway does not answer, or refuses. */
function send({ port, token }: Reach, sent: { path: string; signal: AbortSignal; body?: string }) {
  const { path, signal, body } = sent;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  const method = body === undefined ? 'GET' : 'POST';
  const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, signal, agent: false }, (answer) => {
    if (answer.statusCode === 200) return resolve(answer);
    answer.resume();
    reject(new Error(`the gateway answered ${answer.statusCode}`));
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of answer.setEncoding('utf8')) {
    text += part;
    if (text.length > LARGEST_ANSWER) throw new Error('the answer is too large');
  }
  return text;
}
