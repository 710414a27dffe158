// Webhook mode: Telegram posts each update and repeats it until it is answered with 200. The secret is compared before
// a byte of the body is read.
import type { Update } from 'grammy/types';
import { isSameSecret } from '../../lib/secret-attempts.ts';

export interface WebhookOptions {
  secret: string;
  /** Resolves when the update is stored. */
  deliver(update: Update): Promise<void>;
  onFailure(reason: string): void;
}

const MOST_BODY_BYTES = 1024 * 1024;

export function createWebhook({ secret, deliver, onFailure }: WebhookOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== 'POST') return answer(405, 'POST only');
    const given = request.headers.get('x-telegram-bot-api-secret-token') ?? '';
    if (!isSameSecret(given, secret)) return answer(401, 'not Telegram');
    if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) return answer(415, 'JSON only');
    const body = await readBody(request);
    if (body === undefined) return answer(413, 'too large');
    const update = parseUpdate(body);
    if (!update) return answer(400, 'not an update');
    try {
      await deliver(update);
    } catch (error) {
      onFailure(error instanceof Error ? error.message : String(error));
      return answer(500, 'not stored');
    }
    return answer(200, 'ok');
  };
}

function answer(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain' } });
}

async function readBody(request: Request): Promise<string | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > MOST_BODY_BYTES) return undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MOST_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseUpdate(body: string): Update | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    const isUpdate = typeof parsed === 'object' && parsed !== null && 'update_id' in parsed;
    return isUpdate && Number.isSafeInteger(parsed.update_id) ? (parsed as Update) : undefined;
  } catch {
    return undefined;
  }
}
