// The updates that wait for the bot, and the two ways of getting them: long polling, where an offset confirms, and a
// webhook, which is posted to until it answers with 2xx.
import type { Update } from 'grammy/types';
import { ApiFailure } from './api-failure.ts';

interface Poll {
  finish(updates: Update[]): void;
  fail(failure: ApiFailure): void;
  query: PollQuery;
}

export interface PollQuery {
  offset?: number;
  limit?: number;
  timeout?: number;
}

export interface Webhook {
  url: string;
  secret?: string;
}

const WEBHOOK_RETRY_MS = 150;

export function createUpdateQueue(firstId: number) {
  let waiting: Update[] = [];
  const confirmed: Update[] = [];
  let nextId = firstId;
  let poll: Poll | undefined;
  let allowed: readonly string[] | undefined;
  let webhook: Webhook | undefined;
  let lastWebhookError: { date: number; message: string } | undefined;
  let isReordering = false;
  let held: { updates: Update[]; left: number } | undefined;
  /** Behind their turn: no offset confirms them before they were handed out. */
  const late = new Set<Update>();
  let isPosting = false;
  let isClosed = false;

  function take({ offset = 0, limit = 100 }: PollQuery): Update[] {
    if (offset < 0) waiting.splice(0, Math.max(0, waiting.length + offset));
    const isConfirmed = (update: Update): boolean => update.update_id < offset && !late.has(update);
    confirmed.push(...waiting.filter(isConfirmed));
    waiting = waiting.filter((update) => !isConfirmed(update));
    const batch = waiting.slice(0, Math.min(100, Math.max(1, limit)));
    for (const update of batch) late.delete(update);
    return isReordering ? batch.toReversed() : batch;
  }

  function arrive(updates: Update[]): void {
    waiting.push(...updates);
    if (webhook) void post();
    if (!poll || waiting.length === 0) return;
    const { finish, query } = poll;
    poll = undefined;
    finish(take(query));
  }

  async function post(): Promise<void> {
    if (isPosting) return;
    isPosting = true;
    while (webhook && waiting.length > 0 && !isClosed) {
      const [update] = isReordering ? waiting.slice(-1) : waiting;
      if (!update) break;
      const failure = await postOne(webhook, update);
      if (failure === undefined) {
        confirmed.push(update);
        waiting = waiting.filter((each) => each !== update);
        continue;
      }
      lastWebhookError = { date: Math.floor(Date.now() / 1000), message: failure };
      await new Promise((resolve) => setTimeout(resolve, WEBHOOK_RETRY_MS));
    }
    isPosting = false;
  }

  return {
    get webhook() {
      return webhook;
    },
    get lastWebhookError() {
      return lastWebhookError;
    },
    get waiting() {
      return waiting.length + (held?.updates.length ?? 0);
    },
    push(content: Omit<Update, 'update_id'>): Update {
      const update: Update = { update_id: nextId, ...content };
      nextId += 1;
      const [kind = ''] = Object.keys(content);
      if (allowed && allowed.length > 0 && !allowed.includes(kind)) return update;
      if (held && held.left > 0) {
        held.left -= 1;
        held.updates.push(update);
      } else arrive([update]);
      return update;
    },
    allow(kinds: unknown): void {
      if (Array.isArray(kinds)) allowed = kinds.map(String);
    },
    setWebhook(next: Webhook | undefined, dropPending: boolean): void {
      webhook = next;
      lastWebhookError = undefined;
      if (dropPending) waiting = [];
      if (next) {
        poll?.fail(new ApiFailure(409, 'Conflict: terminated by setWebhook request'));
        poll = undefined;
        void post();
      }
    },
    poll(query: PollQuery, onGone: (forget: () => void) => void): Promise<Update[]> {
      if (webhook) {
        const description =
          "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
        throw new ApiFailure(409, description);
      }
      const terminated =
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
      poll?.fail(new ApiFailure(409, terminated));
      poll = undefined;
      const ready = take(query);
      const seconds = query.timeout ?? 0;
      if (ready.length > 0 || seconds <= 0) return Promise.resolve(ready);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => end(() => resolve([])), seconds * 1000);
        const end = (settle: () => void): void => {
          clearTimeout(timer);
          if (poll === own) poll = undefined;
          settle();
        };
        const own: Poll = {
          query,
          finish: (updates) => end(() => resolve(updates)),
          fail: (failure) => end(() => reject(failure)),
        };
        poll = own;
        onGone(() => end(() => resolve([])));
      });
    },
    /** Hands out again what was confirmed, the latest so many. */
    repeat(count: number): void {
      const again = confirmed.slice(-count);
      for (const update of again) late.add(update);
      arrive(again);
    },
    /** Batches come in the wrong order from now on. */
    reorder(on: boolean): void {
      isReordering = on;
    },
    /** The next so many arrive only when they are released: after what comes later. */
    holdBack(count: number): () => void {
      const mine = { updates: [] as Update[], left: count };
      held = mine;
      return () => {
        if (held === mine) held = undefined;
        for (const update of mine.updates) late.add(update);
        arrive(mine.updates);
      };
    },
    /** Ids continue from here, as they do after a week without updates. */
    renumber(id: number): void {
      nextId = id;
    },
    close(): void {
      isClosed = true;
      poll?.finish([]);
    },
  };
}

async function postOne({ url, secret }: Webhook, update: Update): Promise<string | undefined> {
  try {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (secret !== undefined) headers['x-telegram-bot-api-secret-token'] = secret;
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(update) });
    await answer.arrayBuffer();
    return answer.ok ? undefined : `Wrong response from the webhook: ${answer.status}`;
  } catch (error) {
    return `Connection failed: ${String(error)}`;
  }
}

export type UpdateQueue = ReturnType<typeof createUpdateQueue>;
