// The long connection's server side: pushes each event to one of the open connections, in fragments when it is large, waits for
// the acknowledgement, and pushes again what was refused or not acknowledged in time. Deliveries can be dropped, delayed,
// repeated and reordered; a connection can be made deaf: it stays open and nothing is answered.
import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { decodeFrame, encodeFrame, type Frame } from './frames.ts';

export interface ClientConfig {
  ReconnectCount: number;
  ReconnectInterval: number;
  ReconnectNonce: number;
  PingInterval: number;
}

export interface PushOptions {
  clientConfig: ClientConfig;
  /** Of one fragment's payload. */
  fragmentBytes: number;
  /** How long an acknowledgement may take before the event is pushed again. */
  ackTimeoutMs: number;
}

/** What happens to the next push. */
export type PushFault = 'drop' | 'repeat' | 'reorder' | { delayMs: number };

export interface PushedEvent {
  readonly id: string;
  readonly type: string;
  readonly payload: object;
  pushes: number;
  state: 'waiting' | 'pushed' | 'acknowledged';
  /** What the client answered last. */
  answer?: { code: number; data?: unknown };
}

export interface EventPush {
  readonly events: PushedEvent[];
  readonly connections: number;
  /** How many connections there ever were. */
  readonly accepted: number;
  readonly pings: number;
  readonly violations: string[];
  add(id: string, type: string, payload: object): PushedEvent;
  accept(socket: WebSocket, serviceId: number): void;
  failNext(...faults: PushFault[]): void;
  /** Pushes everything that is not acknowledged, at once. */
  redeliver(): void;
  /** The connections of now stay open and deaf. */
  hang(): void;
  disconnect(): void;
  close(): void;
}

interface Connection {
  socket: WebSocket;
  serviceId: number;
  isDeaf: boolean;
}

const DATA = 1;

export function createEventPush({ clientConfig, fragmentBytes, ackTimeoutMs }: PushOptions): EventPush {
  const events: PushedEvent[] = [];
  const connections = new Set<Connection>();
  const violations: string[] = [];
  const awaited = new Map<string, PushedEvent>();
  const timers = new Set<NodeJS.Timeout>();
  const faults: PushFault[] = [];
  const postponed: PushedEvent[] = [];
  let turn = 0;
  let accepted = 0;
  let pings = 0;

  function later(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, ms);
    timers.add(timer);
  }

  function offer(event: PushedEvent): void {
    if (event.state === 'acknowledged') return;
    const fault = connections.size > 0 ? faults.shift() : undefined;
    if (fault === 'reorder') {
      postponed.push(event);
      later(200, flushPostponed);
      return;
    }
    if (typeof fault === 'object') {
      later(fault.delayMs, () => push(event));
      return;
    }
    if (fault === 'drop') {
      event.state = 'pushed';
      event.pushes += 1;
      expectAnswer(event);
      return;
    }
    push(event);
    if (fault === 'repeat') push(event);
    flushPostponed();
  }

  function flushPostponed(): void {
    for (const event of postponed.splice(0)) push(event);
  }

  function push(event: PushedEvent): void {
    // Every connection of an app gets a share of its events.
    const open = [...connections].filter(({ socket }) => socket.readyState === socket.OPEN);
    const connection = open[turn++ % Math.max(1, open.length)];
    if (!connection) {
      event.state = 'waiting';
      return;
    }
    event.state = 'pushed';
    event.pushes += 1;
    expectAnswer(event);
    if (connection.isDeaf) return;
    const messageId = randomUUID();
    awaited.set(messageId, event);
    const payload = Buffer.from(JSON.stringify(event.payload));
    const sum = Math.max(1, Math.ceil(payload.byteLength / fragmentBytes));
    for (let seq = 0; seq < sum; seq += 1) {
      const headers = {
        type: 'event',
        message_id: messageId,
        sum: String(sum),
        seq: String(seq),
        trace_id: `trace-${event.id}`,
      };
      const part = payload.subarray(seq * fragmentBytes, (seq + 1) * fragmentBytes);
      connection.socket.send(
        encodeFrame({ seqId: seq, logId: turn, service: connection.serviceId, method: DATA, headers, payload: part }),
      );
    }
  }

  function expectAnswer(event: PushedEvent): void {
    const { pushes } = event;
    later(ackTimeoutMs, () => {
      if (event.state === 'pushed' && event.pushes === pushes) offer(event);
    });
  }

  function hear(connection: Connection, bytes: Buffer): void {
    if (connection.isDeaf) return;
    let frame: Frame;
    try {
      frame = decodeFrame(bytes);
    } catch (error) {
      violations.push(`a frame cannot be read: ${(error as Error).message}`);
      return;
    }
    if (frame.service !== connection.serviceId) violations.push(`a frame names service ${frame.service}`);
    if (frame.headers.type === 'ping') {
      pings += 1;
      const payload = Buffer.from(JSON.stringify(clientConfig));
      connection.socket.send(encodeFrame({ ...frame, headers: { type: 'pong' }, payload }));
      return;
    }
    const event = awaited.get(frame.headers.message_id ?? '');
    if (frame.method !== DATA || !event) {
      violations.push(`an unexpected frame came: ${JSON.stringify(frame.headers)}`);
      return;
    }
    if (frame.headers.biz_rt === undefined) violations.push('an acknowledgement lacks biz_rt');
    awaited.delete(frame.headers.message_id ?? '');
    const answer = JSON.parse(frame.payload.toString('utf8')) as { code: number; data?: string };
    const data =
      answer.data === undefined ? undefined : JSON.parse(Buffer.from(answer.data, 'base64').toString('utf8'));
    event.answer = { code: answer.code, data };
    if (answer.code === 200) event.state = 'acknowledged';
  }

  return {
    events,
    violations,
    get connections() {
      return connections.size;
    },
    get accepted() {
      return accepted;
    },
    get pings() {
      return pings;
    },
    add(id, type, payload) {
      const event: PushedEvent = { id, type, payload, pushes: 0, state: 'waiting' };
      events.push(event);
      offer(event);
      return event;
    },
    accept(socket, serviceId) {
      accepted += 1;
      const connection = { socket, serviceId, isDeaf: false };
      connections.add(connection);
      socket.on('message', (bytes: Buffer) => hear(connection, bytes));
      socket.on('close', () => connections.delete(connection));
      socket.on('error', () => {});
      for (const event of events) if (event.state === 'waiting') offer(event);
    },
    failNext(...next) {
      faults.push(...next);
    },
    redeliver() {
      for (const event of events) offer(event);
    },
    hang() {
      for (const connection of connections) connection.isDeaf = true;
    },
    disconnect() {
      for (const { socket } of connections) socket.terminate();
    },
    close() {
      for (const timer of timers) clearTimeout(timer);
      for (const { socket } of connections) socket.terminate();
    },
  };
}
