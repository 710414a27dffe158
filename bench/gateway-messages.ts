// The gateway under kills, redeliveries and reorderings: what was lost, repeated or out of order; and what it adds between
// a message and the model being asked, at fifty messages a second.
import { setTimeout as sleep } from 'node:timers/promises';
import { startModelServer } from '../test/fakes/model-server/model-server.ts';
import { runGatewayKills } from '../test/support/gateway-kills.ts';
import { createHome } from '../test/support/home.ts';
import { createLocalGateway } from '../test/support/local-gateway.ts';
import type { Bench, Figure, Scale } from './bench.ts';

const A_SECOND = 50;
const LATENCY_LIMIT_MS = 20;

export const gatewayMessages: Bench = {
  name: 'gateway-messages',
  run: async (scale) => [...(await kills(scale)), await latency(scale)],
};

async function kills(scale: Scale): Promise<Figure[]> {
  const home = createHome();
  const size =
    scale === 'full'
      ? { chats: 1_000, messages: 10, kills: 20, lifeMs: 6_000 }
      : { chats: 5, messages: 4, kills: 2, lifeMs: 1_000 };
  try {
    const report = await runGatewayKills({ home, ...size, seed: 1, patienceMs: 900_000 });
    const { written, handledOnce, lost, repeated, outOfOrder, replies } = report;
    const name = `${written} messages, ${size.kills} kills`;
    const detail = `${handledOnce} handled once, in ${replies} replies`;
    const figure = (unit: string, found: readonly string[]): Figure => ({
      name,
      value: found.length,
      unit,
      limit: 0,
      detail: found[0] ?? detail,
    });
    return [figure('lost', lost), figure('repeated', repeated), figure('chats out of order', outOfOrder)];
  } finally {
    home.remove();
  }
}

/** From the line in the inbox to the request at the model, with nobody waiting for more messages. */
async function latency(scale: Scale): Promise<Figure> {
  const seconds = scale === 'full' ? 20 : 1;
  const chats = 200;
  const home = createHome();
  const askedAt = new Map<string, number>();
  const server = await startModelServer({
    record: false,
    script: ({ messages }) => {
      const question = messages.findLast(({ role }) => role === 'user')?.text ?? '';
      for (const [id] of question.matchAll(/<[wm]\d+>/g)) if (!askedAt.has(id)) askedAt.set(id, performance.now());
      return { text: 'Fine.' };
    },
  });
  const gateway = createLocalGateway(home);
  const write = (id: string, chat: number): number => {
    const at = performance.now();
    gateway.write({ id, chatId: `chat${chat}`, senderId: `person${chat}`, text: `<${id}>` });
    return at;
  };
  try {
    await gateway.start({ baseUrl: `${server.url}/v1`, limits: { debounceMs: 0, debounceMaxMs: 0 } });
    // What is loaded once, and chats that exist, are not the gateway's daily bread.
    for (let chat = 0; chat < chats; chat += 1) write(`w${chat}`, chat);
    // Until they are answered too: the first second would measure their rest.
    await gateway.until((lines) => askedAt.size >= chats && lines.length >= chats);

    const count = seconds * A_SECOND;
    const writtenAt: number[] = [];
    const started = performance.now();
    for (let number = 0; number < count; number += 1) {
      await sleep(Math.max(0, started + (number * 1_000) / A_SECOND - performance.now()));
      writtenAt.push(write(`m${number}`, number % chats));
    }
    await gateway.until(() => askedAt.size >= chats + count);
    const added = writtenAt.map((at, number) => (askedAt.get(`<m${number}>`) ?? Number.POSITIVE_INFINITY) - at);
    const sorted = added.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return {
      name: `${A_SECOND} messages a second, p95 to the model`,
      value: at(0.95),
      unit: 'ms added',
      limit: LATENCY_LIMIT_MS,
      detail: `median ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms`,
    };
  } finally {
    await gateway.end('SIGTERM');
    await server.close();
    home.remove();
  }
}
