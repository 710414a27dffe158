// Several gateways on one PostgreSQL: the one that runs the bot is killed again and again under load. What was lost, repeated or out of
// order, and how long it took until another gateway had the bot.
import { openDatabase } from '../src/storage/postgres/connect.ts';
import { asDelivered } from '../test/support/as-delivered.ts';
import { eventually } from '../test/support/eventually.ts';
import { judged, writtenLines } from '../test/support/gateway-kills.ts';
import { APP, databaseUrl, startCluster, TEMPLATE } from '../test/support/postgres-cluster.ts';
import { createSharedGateways, type SharedGateways } from '../test/support/shared-gateways.ts';
import type { Bench, Figure, Scale } from './bench.ts';
import { spread } from './cluster-spread.ts';

const GATEWAYS = 3;
const TAKEOVER_LIMIT_S = 5;
const BOT = 'bot:local/default';

export const cluster: Bench = {
  name: 'cluster',
  run: async (scale) => [...(await spread(scale)), ...(await kills(scale))],
};

async function kills(scale: Scale): Promise<Figure[]> {
  const size = scale === 'full' ? { chats: 20, messages: 10, kills: 20 } : { chats: 3, messages: 2, kills: 1 };
  const server = await startCluster({ withTemplate: true });
  const url = databaseUrl(server.port, APP, TEMPLATE);
  const database = openDatabase({ url });
  const shared = createSharedGateways({ url, count: GATEWAYS });
  try {
    for (const machine of shared.machines) await machine.start();
    const lines = writtenLines(size.chats, size.messages);
    const perKill = Math.ceil(lines.length / size.kills);
    const takeovers: number[] = [];
    const token = async (): Promise<number> => {
      const [row] = await database.query<{ token: number }>(
        'SELECT token FROM lainclaw.leases WHERE name = $1 AND expires_at > clock_timestamp()',
        [BOT],
      );
      return row?.token ?? 0;
    };
    for (let kill = 0; kill < size.kills; kill += 1) {
      const before = shared.answered();
      shared.write(lines.slice(kill * perKill, (kill + 1) * perKill));
      // In the middle of the work.
      await eventually(() => notYet(shared.answered() > before));
      const machine = await runsBot(shared);
      const last = await token();
      const killedAt = performance.now();
      await machine.end('SIGKILL');
      await eventually(async () => notYet((await token()) > last));
      takeovers.push((performance.now() - killedAt) / 1_000);
      await machine.start();
    }
    await eventually(() => notYet(shared.answered() === lines.length)).catch(() => {});
    const { lost, repeated, outOfOrder, handledOnce } = judged(lines, asDelivered(shared.outbox()), size.kills);
    const name = `${lines.length} messages, ${GATEWAYS} gateways, ${size.kills} kills`;
    const figure = (unit: string, value: number, limit: number, detail: string): Figure => ({
      name,
      value,
      unit,
      limit,
      detail,
    });
    return [
      figure('lost', lost.length, 0, lost[0] ?? `${handledOnce} handled once`),
      figure('repeated', repeated.length, 0, repeated[0] ?? ''),
      figure('chats out of order', outOfOrder.length, 0, outOfOrder[0] ?? ''),
      figure(
        's to take over',
        Math.max(...takeovers),
        TAKEOVER_LIMIT_S,
        `each: ${takeovers.map((s) => s.toFixed(1)).join(' ')}`,
      ),
    ];
  } finally {
    await shared.remove();
    await database.close();
    await server.stop();
  }
}

function notYet(isDone: boolean): void {
  if (!isDone) throw new Error('not yet');
}

async function runsBot(shared: SharedGateways) {
  return eventually(async () => {
    for (const machine of shared.machines) if ((await machine.stateOfBot()) === 'connected') return machine;
    throw new Error('no gateway runs the bot');
  });
}
