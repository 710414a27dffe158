import { createFeishuApi } from './api.ts';
import { createHttpClient } from './http.ts';
import { platformAddress } from './platform-address.ts';

export interface AppCredentials {
  appId: string;
  appSecret: string;
  /** `feishu` (the default), `lark`, or an address. */
  domain?: string;
  now(): number;
}

/** Asks the platform for a token, once. Throws ChannelError, 'auth' when the credentials are wrong. */
export async function checkApp({ appId, appSecret, domain, now }: AppCredentials, signal: AbortSignal): Promise<void> {
  const baseUrl = platformAddress(domain);
  const http = createHttpClient(baseUrl);
  try {
    await createFeishuApi({ appId, appSecret, baseUrl, http, now }).checkCredentials(signal);
  } finally {
    http.close();
  }
}
