// Many chats write to a gateway that is killed again and again: messages come twice, neighbours in the wrong order, and at
// the end each must have been answered in exactly one reply, in the order of writing.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Home } from './home.ts';
import { createLocalGateway, type OutboxLine } from './local-gateway.ts';
import { seededRandom } from './random.ts';

export interface GatewayKillOptions {
  home: Home;
  chats: number;
  /** Of each chat; an even number. */
  messages: number;
  kills: number;
  seed: number;
  /** The longest life of a process. */
  lifeMs: number;
  /** For everything to be answered after the last kill. */
  patienceMs: number;
}

export interface GatewayKillReport {
  written: number;
  kills: number;
  handledOnce: number;
  lost: string[];
  repeated: string[];
  outOfOrder: string[];
  replies: number;
}

interface InboxLine {
  id: string;
  chatId: string;
  senderId: string;
  text: string;
  order: number;
}

export async function runGatewayKills(options: GatewayKillOptions): Promise<GatewayKillReport> {
  const { home, chats, messages, kills, seed, lifeMs, patienceMs } = options;
  const random = seededRandom(seed);
  const gateway = createLocalGateway(home);
  const written = writtenLines(chats, messages);
  const slices = sliced(groupsOf(written, random), kills + 1);
  try {
    for (const [index, slice] of slices.entries()) {
      await gateway.start();
      for (const group of slice) gateway.write(...group);
      if (index === slices.length - 1) break;
      await sleep(random() * lifeMs);
      await gateway.end('SIGKILL');
    }
    const ids = new Set(written.map(({ id }) => id));
    await gateway
      .until((lines) => new Set(tokensOf(lines).map(({ id }) => id)).size >= ids.size, patienceMs)
      .catch((error: Error) => console.error(error.message));
    await gateway.end('SIGTERM');
  } finally {
    await gateway.end('SIGKILL');
  }
  return judged(written, gateway.outbox(), kills);
}

export function writtenLines(chats: number, messages: number): InboxLine[] {
  const lines: InboxLine[] = [];
  for (let number = 0; number < messages; number += 1) {
    for (let chat = 0; chat < chats; chat += 1) {
      const id = `m${chat}x${number}`;
      lines.push({ id, chatId: `chat${chat}`, senderId: `person${chat}`, text: `<${id}>`, order: number });
    }
  }
  return lines;
}

/** Two neighbours of a chat at a time, some of them swapped, some followed by what was written before. */
function groupsOf(lines: readonly InboxLine[], random: () => number): InboxLine[][] {
  const groups: InboxLine[][] = [];
  const pairs = Map.groupBy(lines, ({ chatId, order }) => `${Math.floor(order / 2)} ${chatId}`);
  for (const pair of pairs.values()) {
    const group = random() < 0.3 ? pair.toReversed() : pair;
    const again = groups[Math.floor(random() * groups.length)];
    groups.push(random() < 0.2 && again ? [...group, ...again] : random() < 0.2 ? [...group, ...group] : group);
  }
  return groups;
}

function sliced<T>(items: readonly T[], count: number): T[][] {
  const size = Math.ceil(items.length / count);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** Which messages each reply answers; the stub repeats what it was asked. */
export function tokensOf(lines: readonly OutboxLine[]): { id: string; chatId: string; key: string }[] {
  return lines.flatMap(({ markdown, chatId, key = '' }) =>
    [...markdown.matchAll(/<(m\d+x\d+)>/g)].map(([, id = '']) => ({ id, chatId, key })),
  );
}

export function judged(written: readonly InboxLine[], outbox: readonly OutboxLine[], kills: number): GatewayKillReport {
  const tokens = tokensOf(outbox);
  const times = new Map<string, number>();
  for (const { id } of tokens) times.set(id, (times.get(id) ?? 0) + 1);
  const lost = written.filter(({ id }) => !times.has(id)).map(({ id }) => id);
  const repeated = [...times].flatMap(([id, count]) => (count > 1 ? [id] : []));
  const outOfOrder: string[] = [];
  for (const [chatId, own] of Map.groupBy(tokens, (token) => token.chatId)) {
    const numbers = own.map(({ id }) => Number(id.split('x')[1]));
    if (numbers.some((number, index) => index > 0 && number < (numbers[index - 1] ?? 0)))
      outOfOrder.push(`${chatId}: ${numbers.join(' ')}`);
    for (const { id } of own) if (`chat${id.slice(1).split('x')[0]}` !== chatId) outOfOrder.push(`${id} in ${chatId}`);
  }
  const handledOnce = written.length - lost.length - repeated.length;
  return { written: written.length, kills, handledOnce, lost, repeated, outOfOrder, replies: outbox.length };
}
