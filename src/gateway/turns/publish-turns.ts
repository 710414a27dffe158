// The turns of this process for the gateway that runs beside it: what happens in a terminal is seen in the console. The gateway is looked for when
// a turn begins; where there is none, or it goes away, nothing changes for the turn.
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { newId } from '../../lib/new-id.ts';
import type { ServiceState, ServiceStates } from '../service/service-state.ts';
import { readJsonLines } from './json-lines.ts';
import type { TurnHub } from './turn-hub.ts';
import type { RelayCommand, RelayedLine } from './turn-relay.ts';

export const RELAY_PATH = '/api/relay';
/** A gateway that does not take them is left. */
const MOST_WAITING = 8 * 1024 * 1024;
const LARGEST_BATCH = 512 * 1024;
const CLOSE_MS = 500;

export interface TurnPublisher {
  /** Sends what is left, for a moment at most, and ends the connection. */
  close(): Promise<void>;
}

/** A gateway that listens. */
interface Connection {
  readonly isOpen: boolean;
  tell(line: RelayedLine): void;
  /** Resolves when everything was sent, or cannot be. */
  flushed(): Promise<void>;
  close(): void;
}

export function publishTurns(hub: TurnHub, states: Pick<ServiceStates, 'running' | 'token'>): TurnPublisher {
  const ended = new AbortController();
  const following = new Map<string, Promise<void>>();
  let connecting: Promise<Connection | undefined> | undefined;

  /** Undefined when no gateway runs. */
  async function connected(): Promise<Connection | undefined> {
    const known = await connecting;
    if (known?.isOpen) return known;
    connecting = (async () => {
      const [state, token] = await Promise.all([states.running(), states.token()]);
      if (!state || token === undefined || state.pid === process.pid) return undefined;
      return connect(state, token, obey);
    })().catch(() => undefined);
    return connecting;
  }

  async function obey(command: RelayCommand, tell: Connection['tell']): Promise<void> {
    if (command.kind === 'stop') hub.stop(command.turnId);
    else if (command.kind === 'steer') void hub.steer(command.turnId, command.message);
    else if (command.kind === 'withdraw') void hub.withdraw(command.turnId, command.messageId);
    else if (command.kind === 'answer') {
      const { id, questionId, answer, by } = command;
      tell({ kind: 'answered', id, outcome: await hub.answer(questionId, answer, by) });
    }
  }

  async function follow(turnId: string): Promise<void> {
    const connection = await connected();
    const turn = hub.turn(turnId);
    if (!connection || !turn) return;
    const { id, sessionKey, provider, parentId, chat } = turn;
    connection.tell({
      kind: 'turn',
      turn: { id, sessionKey, provider, ...(parentId && { parentId }), ...(chat && { chat }) },
    });
    for await (const item of hub.read(turnId, { signal: ended.signal })) {
      if (!connection.isOpen) return;
      if (item.kind === 'event') connection.tell({ kind: 'event', turnId, event: item.event });
    }
    connection.tell({ kind: 'end', turnId });
  }

  const unwatch = hub.watch({
    onEvent({ id }, number) {
      if (number !== 1 || following.has(id)) return;
      following.set(
        id,
        follow(id)
          .catch(() => {})
          .finally(() => following.delete(id)),
      );
    },
    onEnd() {},
  });

  return {
    async close() {
      unwatch();
      const patience = setTimeout(() => ended.abort(), CLOSE_MS);
      await Promise.allSettled(following.values());
      clearTimeout(patience);
      const connection = await connecting;
      await connection?.flushed();
      connection?.close();
    },
  };
}

/** Resolves when the gateway listens; rejects when it does not. */
async function connect(
  { port }: Pick<ServiceState, 'port'>,
  token: string,
  obey: (command: RelayCommand, tell: Connection['tell']) => Promise<void>,
): Promise<Connection> {
  const path = `${RELAY_PATH}/${newId('relay')}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  const options = { host: '127.0.0.1', port, path, agent };
  const headers = { authorization: `Bearer ${token}` };
  const stream = httpRequest({ ...options, headers });
  const commands = await answerOf(stream);
  commands.socket.unref();
  let isOpen = true;
  let waiting: string[] = [];
  let waitingBytes = 0;
  let sending: Promise<void> | undefined;

  function close(): void {
    isOpen = false;
    waiting = [];
    stream.destroy();
    agent.destroy();
  }

  function tell(line: RelayedLine): void {
    if (!isOpen) return;
    const text = `${JSON.stringify(line)}\n`;
    waiting.push(text);
    waitingBytes += text.length;
    if (waitingBytes > MOST_WAITING) close();
    else
      sending ??= send()
        .catch(close)
        .finally(() => {
          sending = undefined;
        });
  }

  /** One batch after the other, so that lines keep their order. */
  async function send(): Promise<void> {
    while (waiting.length > 0) {
      let batch = '';
      while (waiting.length > 0 && batch.length < LARGEST_BATCH) batch += waiting.shift();
      waitingBytes -= batch.length;
      const sent = httpRequest({
        ...options,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-ndjson', 'content-length': Buffer.byteLength(batch) },
      });
      const answering = answerOf(sent);
      sent.end(batch);
      (await answering).resume();
    }
  }

  void (async () => {
    try {
      for await (const command of readJsonLines<RelayCommand>(commands)) void obey(command, tell);
    } catch {
      // It has ended.
    }
    close();
  })();
  return {
    get isOpen() {
      return isOpen;
    },
    tell,
    flushed: async () => sending,
    close,
  };
}

function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (answer) => {
      if (answer.statusCode === 200) return resolve(answer);
      answer.resume();
      reject(new Error(`the gateway answered ${answer.statusCode}`));
    });
    if (sent.method === 'GET') sent.end();
  });
}
