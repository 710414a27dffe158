// The platform's requests in webhook mode. The signature is over the raw body and is checked, with its age, before anything is
// parsed. One request comes unsigned: the one that proves the address when it is entered in the developer console. It is
// told by its missing signature, must be encrypted with our key, and gets nothing but its own challenge back.
import { createDecipheriv, createHash } from 'node:crypto';
import { isSameSecret } from '../../lib/secret-attempts.ts';

export interface WebhookSecrets {
  encryptKey: string;
  verificationToken?: string;
}

export type WebhookRequest =
  | { kind: 'event'; payload: Record<string, unknown> }
  | { kind: 'answer'; response: Response };

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_AGE_MS = 5 * 60_000;

export async function openWebhook(
  request: Request,
  { encryptKey, verificationToken }: WebhookSecrets,
  now: number,
): Promise<WebhookRequest> {
  if (request.method !== 'POST') return refuse(405, 'only POST is accepted');
  if (!(request.headers.get('content-type') ?? '').includes('application/json')) return refuse(415, 'JSON is expected');
  const body = await readBody(request);
  if (!body) return refuse(413, 'the body is too large');

  const signature = request.headers.get('x-lark-signature');
  if (signature !== null) {
    const timestamp = request.headers.get('x-lark-request-timestamp') ?? '';
    const nonce = request.headers.get('x-lark-request-nonce') ?? '';
    const expected = createHash('sha256').update(timestamp).update(nonce).update(encryptKey).update(body).digest('hex');
    if (!isSameSecret(signature, expected)) return refuse(401, 'the signature is wrong');
    if (Math.abs(now - Number(timestamp) * 1_000) > MAX_AGE_MS || !/^\d+$/.test(timestamp))
      return refuse(401, 'the request is too old, or the clock of this machine is wrong');
  }

  const payload = decrypt(body, encryptKey);
  if (!payload) return refuse(signature === null ? 401 : 400, 'the body cannot be decrypted');
  const header = payload.header as { token?: unknown } | undefined;
  const token = header?.token ?? payload.token;
  if (verificationToken !== undefined && !isSameSecret(String(token ?? ''), verificationToken))
    return refuse(401, 'the verification token is wrong');
  if (payload.type === 'url_verification') {
    if (typeof payload.challenge !== 'string') return refuse(400, 'the challenge is missing');
    return { kind: 'answer', response: Response.json({ challenge: payload.challenge }) };
  }
  if (signature === null) return refuse(401, 'the signature is missing');
  return { kind: 'event', payload };
}

function refuse(status: number, error: string): WebhookRequest {
  return { kind: 'answer', response: Response.json({ error }, { status }) };
}

async function readBody(request: Request): Promise<Buffer | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) return undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decrypt(body: Buffer, encryptKey: string): Record<string, unknown> | undefined {
  try {
    const { encrypt } = JSON.parse(body.toString('utf8')) as { encrypt?: unknown };
    if (typeof encrypt !== 'string') return undefined;
    const sealed = Buffer.from(encrypt, 'base64');
    const key = createHash('sha256').update(encryptKey).digest();
    const decipher = createDecipheriv('aes-256-cbc', key, sealed.subarray(0, 16));
    const opened = Buffer.concat([decipher.update(sealed.subarray(16)), decipher.final()]);
    const payload: unknown = JSON.parse(opened.toString('utf8'));
    return typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
