import { createBotApi } from './bot-api.ts';
import { httpFetch } from './http-fetch.ts';

const TIMEOUT_MS = 20_000;

/** Asks Telegram which bot a token belongs to, once. Throws ChannelError, 'auth' for a token that is not accepted. */
export async function checkBotToken(
  { botToken, apiRoot }: { botToken: string; apiRoot: string },
  signal: AbortSignal,
): Promise<{ username: string }> {
  const secrets = [botToken, botToken.split(':')[1] ?? ''];
  const api = createBotApi({ botToken, apiRoot: apiRoot.replace(/\/+$/, ''), fetch: httpFetch, secrets });
  const { username } = await api.call((raw, abort) => raw.getMe(abort), { signal, deadlineMs: TIMEOUT_MS });
  return { username };
}
