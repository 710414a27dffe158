// An event as the platform posts it to a webhook: encrypted, and signed over the bytes that are sent.
import { createCipheriv, createHash, randomBytes } from 'node:crypto';

export interface WebhookSecrets {
  encryptKey: string;
  verificationToken: string;
}

export interface SignedRequest {
  body: string;
  headers: Record<string, string>;
}

export function seal(payload: object, encryptKey: string): string {
  const key = createHash('sha256').update(encryptKey).digest();
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  const sealed = Buffer.concat([iv, cipher.update(JSON.stringify(payload)), cipher.final()]);
  return JSON.stringify({ encrypt: sealed.toString('base64') });
}

export function sign(body: string, encryptKey: string, atMs: number): SignedRequest {
  const timestamp = String(Math.floor(atMs / 1_000));
  const nonce = randomBytes(8).toString('hex');
  const signature = createHash('sha256')
    .update(timestamp + nonce + encryptKey + body)
    .digest('hex');
  return {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-lark-request-timestamp': timestamp,
      'x-lark-request-nonce': nonce,
      'x-lark-signature': signature,
    },
  };
}

/** The request that proves an address comes encrypted and, as seen on the real platform, without a signature. */
export function challengeRequest(challenge: string, { encryptKey, verificationToken }: WebhookSecrets): SignedRequest {
  const body = seal({ challenge, token: verificationToken, type: 'url_verification' }, encryptKey);
  return { body, headers: { 'content-type': 'application/json; charset=utf-8' } };
}
