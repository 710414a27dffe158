// A message through the gateway that runs, from whichever process: it is the gateway that knows which chats are allowed.
import type { ControlClient } from './control-client.ts';
import { ServiceError } from './service-error.ts';

export async function sendThrough(
  control: ControlClient,
  chat: { channel: string; chatId: string },
  text: string,
  signal: AbortSignal,
): Promise<{ ok: true; account: string } | { ok: false; message: string; isDenied: boolean }> {
  try {
    return { ok: true, account: (await control.send(chat, text, signal)).account };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { ok: false, message: error.message, isDenied: error.code === 'GATEWAY_REFUSED' };
  }
}
