// The Bot API, called through grammY. Every failure leaves as a ChannelError that says what to do; the token and the
// webhook's secret are in none of them, so the library's own errors, which hold addresses and payloads, end here.
import type { RawApi } from 'grammy';
import { ChannelError } from '../channel.ts';
import { HttpFailure, type HttpFetch } from './http-fetch.ts';

export interface BotApiOptions {
  botToken: string;
  /** Without a slash at its end. */
  apiRoot: string;
  fetch: HttpFetch;
  secrets: readonly string[];
}

export interface CallOptions {
  signal: AbortSignal;
  /** Silence for longer than this is a dead connection. */
  deadlineMs?: number;
}

export interface BotApi {
  call<T>(run: (api: RawApi, signal: GrammySignal) => Promise<T>, options: CallOptions): Promise<T>;
  /** The content of a file, by the path that `getFile` told. */
  fetchFile(path: string, maxBytes: number, options: CallOptions): Promise<Uint8Array>;
}

/** What the Bot API answered, kept as the `cause` of the ChannelError. */
export interface Refusal {
  errorCode: number;
  description: string;
  migrateToChatId?: number;
}

type GrammySignal = NonNullable<Parameters<RawApi['getMe']>[0]>;

const DEADLINE_MS = 30_000;
const CONNECT_FAILURES = /\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH)\b/;

export function createBotApi({ botToken, apiRoot, fetch, secrets }: BotApiOptions): BotApi {
  // Not the raw API itself: it has every name as a method, also `then`, and must not be awaited.
  let opened: Promise<{ raw: RawApi }> | undefined;

  async function open(): Promise<{ raw: RawApi }> {
    // The build for the web is the same library without node-fetch, which costs 20 MB.
    const { Api } = await import('grammy/web');
    const options = { apiRoot, fetch } as unknown as ConstructorParameters<typeof Api>[1];
    return { raw: new Api(botToken, options).raw };
  }

  async function within<T>(options: CallOptions, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal, deadlineMs = DEADLINE_MS } = options;
    if (signal.aborted) throw new ChannelError('unreachable', 'Cancelled before anything was sent to Telegram.');
    const controller = new AbortController();
    const giveUp = (): void => controller.abort();
    const timer = setTimeout(giveUp, deadlineMs);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await run(controller.signal);
    } catch (error) {
      if (error instanceof ChannelError) throw error;
      const silence = controller.signal.aborted && !signal.aborted;
      throw toChannelError(error, { secrets, ...(silence ? { silentForMs: deadlineMs } : {}) });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  }

  return {
    async call(run, options) {
      opened ??= open();
      const { raw } = await opened;
      return within(options, (signal) => run(raw, signal as unknown as GrammySignal));
    },
    fetchFile(path, maxBytes, options) {
      const address = `${apiRoot}/file/bot${botToken}/${path.split('/').map(encodeURIComponent).join('/')}`;
      return within(options, async (signal) => {
        const answer = await fetch(address, { method: 'GET', signal });
        if (answer.status !== 200) {
          throw new ChannelError('rejected', `Telegram did not hand out the file (HTTP ${answer.status}).`);
        }
        return readAtMost(answer.body, maxBytes);
      });
    },
  };
}

export function tooLarge(maxBytes: number): ChannelError {
  return new ChannelError('rejected', `The file is larger than the ${megabytes(maxBytes)} that are accepted.`);
}

export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof ChannelError)) return undefined;
  const { cause } = error;
  return typeof cause === 'object' && cause !== null && 'errorCode' in cause ? (cause as Refusal) : undefined;
}

async function readAtMost(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function megabytes(bytes: number): string {
  return `${Number((bytes / 1_000_000).toPrecision(3))} MB`;
}

function toChannelError(error: unknown, about: { secrets: readonly string[]; silentForMs?: number }): ChannelError {
  const clean = (text: string): string => withoutSecrets(text, about.secrets);
  if (isApiError(error)) {
    const { retry_after: retryAfter, migrate_to_chat_id: migrateToChatId } = error.parameters;
    const refusal: Refusal = { errorCode: error.error_code, description: clean(error.description), migrateToChatId };
    const options = { cause: refusal, ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1000 }) };
    return new ChannelError(codeOf(error.error_code), explain(refusal), options);
  }
  const inner = error instanceof Error && 'error' in error ? error.error : error;
  const reason = clean(inner instanceof Error ? inner.message : String(inner));
  const wasSent = inner instanceof HttpFailure ? inner.wasSent : !CONNECT_FAILURES.test(`${reason} ${causeOf(inner)}`);
  const told = about.silentForMs === undefined ? reason : `no answer within ${Math.ceil(about.silentForMs / 1000)} s`;
  return wasSent
    ? new ChannelError('unknown-outcome', `The connection to Telegram broke: ${told}.`)
    : new ChannelError('unreachable', `Telegram cannot be reached: ${told}. Is this machine online?`);
}

interface ApiError {
  error_code: number;
  description: string;
  parameters: { retry_after?: number; migrate_to_chat_id?: number };
}

function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && 'error_code' in error && 'description' in error;
}

function causeOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error
    ? `${error.cause.message} ${'code' in error.cause ? error.cause.code : ''}`
    : '';
}

function codeOf(status: number): ChannelError['code'] {
  if (status === 429) return 'rate-limited';
  if (status === 401 || status === 404 || status === 409) return 'auth';
  return status >= 500 ? 'unknown-outcome' : 'rejected';
}

function explain({ errorCode, description }: Refusal): string {
  if (errorCode === 401 || errorCode === 404) {
    return `Telegram does not accept the bot token (${description}). Take the token from @BotFather and set it again.`;
  }
  if (errorCode === 409 && /webhook/i.test(description)) {
    return 'Another program has set a webhook for this bot, so that nothing arrives here. Stop it and restart the gateway, or make a bot of your own for it with @BotFather.';
  }
  if (errorCode === 409) {
    return 'Another program takes the messages of this bot: two programs cannot use one bot token. Stop it, or make a bot of your own for it with @BotFather.';
  }
  if (/file is too big/i.test(description)) {
    return 'Telegram gives bots no files larger than 20 MB. Send a smaller file, or put it into the workspace by other means.';
  }
  return `Telegram says: ${description}`;
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret === '') continue;
    clean = clean.replaceAll(secret, '[secret]').replaceAll(encodeURIComponent(secret), '[secret]');
  }
  return clean;
}
