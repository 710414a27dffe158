import { expect, it } from 'vitest';
import { createFlushMessages } from '../../schedule/flush-messages.ts';
import type { JobMessage, Jobs } from '../../storage/jobs.ts';
import type { AnswerBot } from './answer-target.ts';
import { createDeliver } from './with-jobs.ts';

const bot = (channel: string): AnswerBot => ({ channel, account: 'default', settings: { sendAllow: [] } }) as never;
const message = (chat: string, index: number): JobMessage => ({
  key: `k-${index}`,
  runId: index,
  chat,
  text: `answer ${index}`,
  isAnswer: true,
  asker: { kind: 'owner', chat },
});

/** A gateway with one bot, on jobs whose messages wait for delivery. */
async function gateway(waiting: JobMessage[], isShared: boolean) {
  const sent: string[] = [];
  const settled: string[] = [];
  const jobs = {
    messages: async (limit: number) => waiting.slice(0, limit),
    async settleMessage(key: string, outcome: string) {
      settled.push(`${key} ${outcome}`);
      waiting.splice(
        waiting.findIndex((each) => each.key === key),
        1,
      );
    },
  } as Jobs;
  const deliver = createDeliver(
    async (_chat, text) => {
      sent.push(text);
      return { keys: [] };
    },
    {
      bots: () => [bot('slack')],
      access: { stillAdmits: async () => true },
      people: async () => [{ id: 'anna', chatKind: 'direct' }],
      hasSession: async () => true,
      isShared,
    },
  );
  const flush = createFlushMessages({ jobs, deliver, now: () => 1, log: () => {} });
  return { sent, settled, flush };
}

it('a message for a bot of another gateway is left for that one, and holds up no others', async () => {
  const others = Array.from({ length: 150 }, (_, index) => message('telegram:42', index));
  const waiting = [...others, message('slack:7', 150)];
  const { sent, settled, flush } = await gateway(waiting, true);
  await flush();
  await flush();
  expect([sent, settled]).toEqual([['answer 150'], ['k-150 sent']]);
  expect(waiting).toEqual(others);
});

it('a message for a bot that nobody else can have is refused', async () => {
  const { settled, flush } = await gateway([message('telegram:42', 0)], false);
  await flush();
  expect(settled).toEqual(['k-0 failed']);
});
