// The turns of one bot over several gateways: a model that thinks for a second, a limit of turns at once in each gateway, and as many messages for each
// gateway. Four gateways should take as long for four times the messages as one for its own.
import { asDelivered } from '../test/support/as-delivered.ts';
import { eventually } from '../test/support/eventually.ts';
import { judged, writtenLines } from '../test/support/gateway-kills.ts';
import { APP, databaseUrl, startCluster, TEMPLATE } from '../test/support/postgres-cluster.ts';
import { createSharedGateways } from '../test/support/shared-gateways.ts';
import type { Figure, Scale } from './bench.ts';
import { startModel } from './processes.ts';

const GATEWAYS = 4;
/** The issue asks for 3.6 times the turns a second. */
const LEAST_RATIO = 3.6;

export async function spread(scale: Scale): Promise<Figure[]> {
  const size = scale === 'full' ? { places: 4, rounds: 10 } : { places: 2, rounds: 1 };
  const { baseUrl, stop } = await startModel('one-second-model.ts');
  try {
    const one = await measured({ ...size, gateways: 1, baseUrl });
    const four = await measured({ ...size, gateways: GATEWAYS, baseUrl });
    const ratio = four.perSecond / one.perSecond;
    return [
      {
        name: `${GATEWAYS} gateways against 1, a model of one second, ${size.places} turns at once in each`,
        value: GATEWAYS / ratio,
        unit: '× the time of 1 for 4 × the turns',
        limit: GATEWAYS / LEAST_RATIO,
        detail: `${four.perSecond.toFixed(1)} turns/s against ${one.perSecond.toFixed(1)}: ${ratio.toFixed(2)} times`,
      },
      {
        name: 'messages that were not answered once and in order',
        value: one.wrong + four.wrong,
        unit: 'wrong',
        limit: 0,
        detail: '',
      },
    ];
  } finally {
    stop();
  }
}

async function measured(options: { gateways: number; places: number; rounds: number; baseUrl: string }) {
  const { gateways, places, rounds, baseUrl } = options;
  const server = await startCluster({ withTemplate: true });
  const shared = createSharedGateways({
    url: databaseUrl(server.port, APP, TEMPLATE),
    count: gateways,
    config: { provider: 'openai-compatible', model: 'fake', baseUrl },
    flags: [`--max-concurrent-turns=${places}`],
  });
  try {
    for (const machine of shared.machines) await machine.start();
    const lines = writtenLines(gateways * places * rounds, 1);
    const begunAt = performance.now();
    shared.write(lines);
    await eventually(() => {
      if (shared.answered() < lines.length) throw new Error(`${shared.answered()} of ${lines.length} are answered`);
    });
    const seconds = (performance.now() - begunAt) / 1_000;
    const { lost, repeated, outOfOrder } = judged(lines, asDelivered(shared.outbox()), 0);
    return { perSecond: lines.length / seconds, wrong: lost.length + repeated.length + outOfOrder.length };
  } finally {
    await shared.remove();
    await server.stop();
  }
}
