// The few calls of the open platform that a channel needs. A token is fetched once for all who wait, kept until shortly before
// it ends, and replaced once when the platform refuses it. No error holds the secret or a token.
import { ChannelError } from '../channel.ts';
import { areCredentialsRefused, isTokenRefused, type PlatformBody, refusalOf } from './failures.ts';
import { type HttpAnswer, type HttpClient, HttpFailure, type HttpRequest } from './http.ts';
import { type Form, multipartOf } from './multipart.ts';

export interface ApiCall {
  method: HttpRequest['method'];
  /** After `/open-apis/`. */
  path: string;
  query?: Record<string, string>;
  body?: unknown;
  /** A file with fields instead of a body. */
  form?: Form;
  /** For error messages: "sending a message". */
  doing: string;
  timeoutMs?: number;
  /** What success looks like: JSON with a code unless said otherwise. */
  expects?: 'file';
}

export interface FeishuApi {
  /** The `data` of the answer. Throws ChannelError. */
  call(call: ApiCall, signal: AbortSignal): Promise<Record<string, unknown>>;
  /** Throws ChannelError 'rejected' when there are more bytes. */
  bytes(call: ApiCall, maxBytes: number, signal: AbortSignal): Promise<Buffer>;
  /** Throws ChannelError 'auth' when the credentials are wrong. */
  checkCredentials(signal: AbortSignal): Promise<void>;
}

export interface FeishuApiDependencies {
  appId: string;
  appSecret: string;
  /** `https://open.feishu.cn`, without a slash at the end. */
  baseUrl: string;
  http: HttpClient;
  now: () => number;
}

const TIMEOUT_MS = 20_000;
const MAX_JSON_BYTES = 4 * 1024 * 1024;
const MAX_REFUSAL_BYTES = 16 * 1024;
/** A token is replaced this long before it ends. */
const TOKEN_MARGIN_MS = 3 * 60_000;

export function createFeishuApi({ appId, appSecret, baseUrl, http, now }: FeishuApiDependencies): FeishuApi {
  let token: { value: string; endsAt: number } | undefined;
  let fetching: Promise<string> | undefined;

  async function currentToken(signal: AbortSignal): Promise<string> {
    if (token && token.endsAt > now()) return token.value;
    signal.throwIfAborted();
    // Shared by all who wait, so it must not end with the signal of the first of them.
    fetching ??= fetchToken().finally(() => {
      fetching = undefined;
    });
    return untilAborted(fetching, signal);
  }

  async function fetchToken(): Promise<string> {
    const doing = 'signing in to Feishu';
    const answer = await exchange(
      {
        method: 'POST',
        path: 'auth/v3/tenant_access_token/internal',
        body: { app_id: appId, app_secret: appSecret },
        doing,
      },
      undefined,
      MAX_JSON_BYTES,
      new AbortController().signal,
    ).catch((error) => {
      // Asking for a token changes nothing: it can always be asked for again.
      if (error instanceof ChannelError && error.code === 'unknown-outcome')
        throw new ChannelError('unreachable', error.message, { cause: error });
      throw error;
    });
    const body = bodyOf(answer);
    if (body?.code === 0 && typeof body.tenant_access_token === 'string') {
      const lifetime = Number(body.expire) * 1_000 || 0;
      token = { value: body.tenant_access_token, endsAt: now() + Math.max(lifetime - TOKEN_MARGIN_MS, lifetime / 2) };
      return token.value;
    }
    if (body && areCredentialsRefused(body)) {
      throw new ChannelError(
        'auth',
        `Feishu does not accept the app's credentials (${body.code}): check appId and appSecret under "Credentials & Basic Info" in the developer console, and that the domain is right (feishu or lark)`,
      );
    }
    const refusal = refusalOf(answer, body, doing);
    throw refusal.code === 'unknown-outcome' ? new ChannelError('unreachable', refusal.message) : refusal;
  }

  async function authorized(call: ApiCall, maxBytes: number, signal: AbortSignal): Promise<HttpAnswer> {
    for (let attempt = 0; ; attempt += 1) {
      const used = await currentToken(signal);
      const answer = await exchange(call, used, maxBytes, signal);
      if (call.expects === 'file' && isFile(answer)) return answer;
      const body = bodyOf(answer);
      if (body?.code === 0) return answer;
      if (body && isTokenRefused(body) && attempt === 0) {
        if (token?.value === used) token = undefined;
        continue;
      }
      throw refusalOf(answer, body, call.doing);
    }
  }

  async function exchange(call: ApiCall, bearer: string | undefined, maxBytes: number, signal: AbortSignal) {
    const form = call.form && multipartOf(call.form);
    const query = call.query ? `?${new URLSearchParams(call.query)}` : '';
    try {
      return await http.exchange(
        {
          method: call.method,
          url: `${baseUrl}/open-apis/${call.path}${query}`,
          headers: {
            'content-type': form?.contentType ?? 'application/json; charset=utf-8',
            'user-agent': 'lainclaw',
            ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
          },
          body: form?.bytes ?? (call.body === undefined ? undefined : JSON.stringify(call.body)),
          timeoutMs: call.timeoutMs ?? TIMEOUT_MS,
          maxBytes,
        },
        signal,
      );
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error;
      if (error.isTooLarge) throw new ChannelError('rejected', `${call.doing}: ${error.message}`);
      throw new ChannelError(
        error.sent ? 'unknown-outcome' : 'unreachable',
        `${call.doing}: ${new URL(baseUrl).host} cannot be reached (${error.message})`,
        { cause: error },
      );
    }
  }

  return {
    async call(call, signal) {
      const body = bodyOf(await authorized(call, MAX_JSON_BYTES, signal)) as PlatformBody;
      return (body.data ?? body) as Record<string, unknown>;
    },
    async bytes(call, maxBytes, signal) {
      // A refusal must be readable, however small the file may be.
      const limit = Math.max(maxBytes, MAX_REFUSAL_BYTES);
      const { body } = await authorized({ ...call, expects: 'file' }, limit, signal);
      if (body.byteLength > maxBytes)
        throw new ChannelError('rejected', `${call.doing}: it has more than ${maxBytes} bytes`);
      return body;
    },
    async checkCredentials(signal) {
      await currentToken(signal);
    },
  };
}

/** A file comes as itself, and may be JSON; everything else the platform says is JSON with a code. */
function isFile(answer: HttpAnswer): boolean {
  if (answer.status !== 200) return false;
  return answer.header('content-disposition') !== undefined || bodyOf(answer) === undefined;
}

function bodyOf(answer: HttpAnswer): PlatformBody | undefined {
  try {
    const body = JSON.parse(answer.body.toString('utf8')) as PlatformBody;
    return typeof body?.code === 'number' ? { ...body, msg: String(body.msg ?? '') } : undefined;
  } catch {
    return undefined;
  }
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
