// `GET /metrics` of the gateway: its turns, its queues, its channels and its process, in the format of Prometheus. While the storage does not answer, what is read
// from it is left out: the rest says so (`lainclaw_ready 0`) when it matters most.
import { setTimeout as sleep } from 'node:timers/promises';
import type { TurnHub } from '../../turns/turn-hub.ts';
import type { ServiceStatus } from '../service-status.ts';
import { createExposition, type Gauge } from './exposition.ts';
import { createTurnMetrics } from './turn-metrics.ts';

export interface ServiceMetrics {
  text(): Promise<string>;
  /** Counts no longer. */
  close(): void;
}

export interface ServiceMetricsDependencies {
  hub: Pick<TurnHub, 'watch' | 'turns' | 'turn' | 'questions'>;
  version: string;
  /** In milliseconds since 1970. */
  startedAt: number;
  /** Reads the storage. */
  status(): Promise<Pick<ServiceStatus, 'channels' | 'mailbox'>>;
  /** Why the gateway is not ready; undefined when it is. */
  unready(): Promise<string | undefined>;
  monotonicMs(): number;
  /** Longest wait for the storage. */
  waitMs?: number;
}

const WAIT_MS = 3_000;

export function createServiceMetrics(dependencies: ServiceMetricsDependencies): ServiceMetrics {
  const { hub, status, unready, monotonicMs, waitMs = WAIT_MS } = dependencies;
  const exposition = createExposition();
  const close = hub.watch(createTurnMetrics(exposition, monotonicMs));
  return {
    async text() {
      const stored = Promise.race([status().catch(() => undefined), sleep(waitMs, undefined, { ref: false })]);
      const [now, reason] = await Promise.all([stored, unready()]);
      return exposition.text([
        ...turnGauges(hub),
        ...(now ? queueGauges(now) : []),
        ...processGauges(dependencies, reason === undefined),
      ]);
    },
    close,
  };
}

/** Of this gateway alone: each counts its own. */
function turnGauges(hub: Pick<TurnHub, 'turns' | 'turn' | 'questions'>): Gauge[] {
  const states = Map.groupBy(
    hub.turns().filter(({ isElsewhere }) => !isElsewhere),
    ({ state }) => state,
  );
  return [
    {
      name: 'lainclaw_turns',
      help: 'Turns that have not ended: running, waiting for their session, asking a person.',
      values: (['running', 'waiting', 'asking'] as const).map((state) => ({
        labels: { state },
        value: states.get(state)?.length ?? 0,
      })),
    },
    {
      name: 'lainclaw_open_questions',
      help: 'Questions that wait for a person.',
      values: [{ value: hub.questions().filter(({ turnId }) => !hub.turn(turnId)?.isElsewhere).length }],
    },
  ];
}

function queueGauges({ channels, mailbox }: Pick<ServiceStatus, 'channels' | 'mailbox'>): Gauge[] {
  return [
    {
      name: 'lainclaw_inbox_messages',
      help: 'Messages that were received and not yet answered.',
      values: [{ value: mailbox.inbox }],
    },
    { name: 'lainclaw_outbox_messages', help: 'Messages that wait to be sent.', values: [{ value: mailbox.outbox }] },
    {
      name: 'lainclaw_dead_letters',
      help: 'Messages that could not be sent and were given up.',
      values: [{ value: mailbox.dead }],
    },
    {
      name: 'lainclaw_channel_connected',
      help: '1 while the bot is connected to its platform.',
      values: channels.map(({ channel, account, state }) => ({
        labels: { channel, account },
        value: state === 'connected' ? 1 : 0,
      })),
    },
  ];
}

function processGauges(
  { version, startedAt }: Pick<ServiceMetricsDependencies, 'version' | 'startedAt'>,
  isReady: boolean,
): Gauge[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const one = (name: string, help: string, value: number): Gauge => ({ name, help, values: [{ value }] });
  return [
    { name: 'lainclaw_build_info', help: 'The version of the gateway.', values: [{ labels: { version }, value: 1 }] },
    one('lainclaw_ready', '1 when messages can arrive and be answered, as /ready says.', isReady ? 1 : 0),
    one('process_start_time_seconds', 'When the process started, in seconds since 1970.', startedAt / 1_000),
    one('process_resident_memory_bytes', 'Memory of the process.', rss),
    one('nodejs_heap_size_used_bytes', 'Used heap of the process.', heapUsed),
    {
      name: 'process_cpu_seconds_total',
      help: 'Processor time of the process.',
      type: 'counter',
      values: [{ value: (user + system) / 1_000_000 }],
    },
  ];
}
