// "Working on it", as a reaction on the message that is being answered. A reaction stays until it is taken away, so each has a
// time after which it goes unless it was asked for again. A reply takes it away at once and for good: a person who sees a reply,
// even one that only shows progress, needs no other sign. Best effort: nothing here throws.
import type { FeishuApi } from './api.ts';
import { PlatformRefusal } from './failures.ts';

export interface WorkingSigns {
  show(messageId: string, signal: AbortSignal): Promise<void>;
  /** There is a reply to the message. */
  answered(messageId: string): void;
  close(): Promise<void>;
}

interface Sign {
  reactionId: string | undefined;
  timer: NodeJS.Timeout;
}

const EMOJI = 'Typing';
const LASTS_MS = 12_000;
const MAX_REMEMBERED = 1_000;
const CLEAR_TIMEOUT_MS = 3_000;

export function createWorkingSigns(api: FeishuApi): WorkingSigns {
  const signs = new Map<string, Sign>();
  const clearing = new Set<Promise<void>>();
  const replied = new Set<string>();
  let isAllowed = true;

  function expireLater(messageId: string): NodeJS.Timeout {
    const timer = setTimeout(() => clear(messageId), LASTS_MS);
    timer.unref();
    return timer;
  }

  function clear(messageId: string): void {
    const sign = signs.get(messageId);
    if (!sign) return;
    signs.delete(messageId);
    clearTimeout(sign.timer);
    if (sign.reactionId !== undefined) take(messageId, sign.reactionId);
  }

  function take(messageId: string, reactionId: string): void {
    const work = api
      .call(
        {
          method: 'DELETE',
          path: `im/v1/messages/${encodeURIComponent(messageId)}/reactions/${encodeURIComponent(reactionId)}`,
          doing: 'taking back a reaction',
          timeoutMs: CLEAR_TIMEOUT_MS,
        },
        AbortSignal.timeout(CLEAR_TIMEOUT_MS),
      )
      .then(
        () => {},
        () => {},
      )
      .finally(() => clearing.delete(work));
    clearing.add(work);
  }

  return {
    async show(messageId, signal) {
      if (!isAllowed || replied.has(messageId)) return;
      const known = signs.get(messageId);
      if (known) {
        clearTimeout(known.timer);
        known.timer = expireLater(messageId);
        return;
      }
      const sign: Sign = { reactionId: undefined, timer: expireLater(messageId) };
      signs.set(messageId, sign);
      try {
        const { reaction_id } = await api.call(
          {
            method: 'POST',
            path: `im/v1/messages/${encodeURIComponent(messageId)}/reactions`,
            body: { reaction_type: { emoji_type: EMOJI } },
            doing: 'reacting to a message',
          },
          signal,
        );
        sign.reactionId = String(reaction_id);
        // It was answered while we asked.
        if (signs.get(messageId) !== sign) take(messageId, sign.reactionId);
      } catch (error) {
        clearTimeout(sign.timer);
        if (signs.get(messageId) === sign) signs.delete(messageId);
        if (error instanceof PlatformRefusal && error.isPermissionMissing) isAllowed = false;
      }
    },
    answered(messageId) {
      replied.add(messageId);
      if (replied.size > MAX_REMEMBERED) replied.delete(replied.values().next().value as string);
      clear(messageId);
    },
    async close() {
      for (const messageId of [...signs.keys()]) clear(messageId);
      await Promise.all(clearing);
    },
  };
}
