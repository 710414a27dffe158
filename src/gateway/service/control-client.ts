// Talks to the running gateway. The token goes to loopback only, and only to a port of a process that was just seen to be the
// gateway of this home.
import { request as httpRequest } from 'node:http';
import { HOW_TO_START, ServiceError } from './service-error.ts';
import type { ServiceState, ServiceStates } from './service-state.ts';
import type { ServiceStatus } from './service-status.ts';

export interface ControlClient {
  status(signal?: AbortSignal): Promise<ServiceStatus>;
  send(
    target: { channel: string; chatId: string },
    text: string,
    signal?: AbortSignal,
  ): Promise<{ account: string; keys: string[] }>;
  /** Something was left for it in the outbox or in the queue of background runs. */
  wake(signal?: AbortSignal): Promise<void>;
  /** False: the channel was not running. */
  stopChannel(channel: string, signal?: AbortSignal): Promise<boolean>;
  retry(key: string | undefined, signal?: AbortSignal): Promise<number>;
}

const TIMEOUT_MS = 10_000;
/** Its turns may end first. */
const STOP_TIMEOUT_MS = 40_000;
const LARGEST_ANSWER = 8 * 1024 * 1024;

interface Answer {
  status: number;
  body: unknown;
}

/** Each call throws ServiceError: nobody runs, does not answer, or refuses. */
export function createControlClient(states: ServiceStates): ControlClient {
  async function call(
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    signal?: AbortSignal,
    timeoutMs = TIMEOUT_MS,
  ): Promise<unknown> {
    const state = await states.running();
    const token = await states.token();
    if (!state || token === undefined)
      throw new ServiceError('GATEWAY_NOT_RUNNING', `the gateway is not running: ${HOW_TO_START}`);
    const bound = AbortSignal.timeout(timeoutMs);
    const answer = await exchange(state, token, {
      method,
      path,
      body,
      signal: signal ? AbortSignal.any([signal, bound]) : bound,
    }).catch((error: Error) => {
      signal?.throwIfAborted();
      throw new ServiceError(
        'GATEWAY_NOT_ANSWERING',
        `the gateway (pid ${state.pid}) does not answer: ${error.message}`,
        error,
      );
    });
    if (answer.status < 300) return answer.body;
    const { message = `status ${answer.status}` } = (answer.body as { error?: { message?: string } })?.error ?? {};
    throw new ServiceError(answer.status < 500 ? 'GATEWAY_REFUSED' : 'GATEWAY_FAILED', message);
  }
  return {
    status: async (signal) => (await call('GET', '/status', undefined, signal)) as ServiceStatus,
    send: async (target, text, signal) =>
      (await call('POST', '/send', { ...target, text }, signal)) as { account: string; keys: string[] },
    wake: async (signal) => void (await call('POST', '/wake', {}, signal)),
    stopChannel: async (channel, signal) =>
      ((await call('POST', '/channels/stop', { channel }, signal, STOP_TIMEOUT_MS)) as { stopped: boolean }).stopped,
    retry: async (key, signal) =>
      ((await call('POST', '/dead-letters/retry', { key }, signal)) as { retried: number }).retried,
  };
}

interface Exchange {
  method: string;
  path: string;
  body: unknown;
  signal: AbortSignal;
}

function exchange({ port }: ServiceState, token: string, { method, path, body, signal }: Exchange): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = httpRequest(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        signal,
        // A kept connection may just be closing: a message would be sent, or not, and nobody could tell.
        agent: false,
        headers: {
          authorization: `Bearer ${token}`,
          ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (answer) => {
        const parts: Buffer[] = [];
        let size = 0;
        answer.on('data', (part: Buffer) => {
          parts.push(part);
          size += part.length;
          if (size > LARGEST_ANSWER) sent.destroy(new Error('the answer is too large'));
        });
        answer.on('error', reject);
        answer.on('end', () => {
          try {
            resolve({ status: answer.statusCode ?? 0, body: JSON.parse(Buffer.concat(parts).toString('utf8')) });
          } catch (error) {
            reject(error as Error);
          }
        });
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}
