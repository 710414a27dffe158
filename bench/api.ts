// The HTTP API of a gateway as people run it: how many turns it does when sixteen sessions ask at once and the model needs no time, each
// turn read to its end from one stream of events; and what a thousand idle streams cost.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Bench, median } from './bench.ts';
import { cleanEnvironment, LAINCLAW, withTemporaryHome } from './commands.ts';
import { startModel } from './processes.ts';
import { timeRequests, turnsFigure } from './turns-at-once.ts';

const SESSIONS = 16;
const TURNS_A_SECOND = 300;
const STREAMS_MEGABYTES = 60;
const WARM_UP_TURNS = 160;

interface Gateway {
  pid: number;
  port: number;
  token: string;
}

export const api: Bench = {
  name: 'api',
  run: (scale) =>
    withTemporaryHome(async (home) => {
      const turns = scale === 'full' ? 4_000 : 64;
      const streams = scale === 'full' ? 1_000 : 20;
      const { baseUrl, stop } = await startModel('zero-latency-model.ts');
      const gateway = await startGateway(home, baseUrl);
      try {
        await timeTurns(gateway, Math.min(turns, WARM_UP_TURNS));
        // Before the load: memory that it leaves free would be used again.
        const idle = await memoryOfStreams(gateway, streams);
        const floor = await timeRequests(baseUrl, { count: turns, atOnce: SESSIONS });
        const before = processorMs(gateway);
        const { ms, latencies } = await timeTurns(gateway, turns);
        const cpuMs = processorMs(gateway) - before;
        const sorted = latencies.toSorted((one, other) => one - other);
        const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
        return [
          turnsFigure({
            name: `${SESSIONS} sessions at once`,
            turns,
            ms,
            floor,
            turnsASecond: TURNS_A_SECOND,
            more: [
              `p50 ${median(latencies).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
              `${(cpuMs / turns).toFixed(2)} ms of processor`,
            ],
          }),
          {
            name: `${streams} idle event streams`,
            value: (idle * 1_000) / streams,
            unit: 'MB for 1,000',
            limit: STREAMS_MEGABYTES,
            detail: `${((idle * 1e3) / streams).toFixed(0)} kB for each`,
          },
        ];
      } finally {
        await command(['gateway', 'stop'], home);
        stop();
      }
    }),
};

async function startGateway(home: string, baseUrl: string): Promise<Gateway> {
  const config = { provider: 'openai-compatible', baseUrl, model: 'fake', modelTitles: false };
  writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  const { port, pid } = JSON.parse(await command(['up', '--no-open', '--port', '0', '--json'], home)) as Gateway;
  return { port, pid, token: readFileSync(join(home, 'service', 'gateway-token'), 'utf8').trim() };
}

async function command(args: readonly string[], home: string): Promise<string> {
  const env = cleanEnvironment({ LAINCLAW_HOME: home, LAINCLAW_API_KEY: 'none' });
  return (await promisify(execFile)(process.execPath, [LAINCLAW, ...args], { env, cwd: home })).stdout;
}

/** Every session asks its next question when the last one is answered. */
async function timeTurns(gateway: Gateway, count: number): Promise<{ ms: number; latencies: number[] }> {
  const agent = new Agent({ keepAlive: true, maxSockets: SESSIONS });
  const waiting = new Map<string, () => void>();
  /** Turns that ended before their answer to the request was read. */
  const ended = new Set<string>();
  const stream = await follow(gateway, (event) => {
    if (event.type !== 'turn-ended' || event.turn === undefined) return;
    const done = waiting.get(event.turn);
    if (done) done();
    else ended.add(event.turn);
  });
  const latencies: number[] = [];
  let left = count;
  const converse = async (session: string): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const begun = performance.now();
      const { turn } = await post(gateway, agent, { session, text: 'steps 0' });
      if (!ended.delete(turn)) await new Promise<void>((resolve) => waiting.set(turn, resolve));
      waiting.delete(turn);
      latencies.push(performance.now() - begun);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: SESSIONS }, (_, index) => converse(`bench-${index}`)));
  const ms = performance.now() - started;
  stream.destroy();
  agent.destroy();
  return { ms, latencies };
}

/** What the process has used of all processors. */
function processorMs({ pid }: Gateway): number {
  const [, , ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // utime and stime, in hundredths of a second.
  return (Number(fields[9]) + Number(fields[10])) * 10;
}

/** In megabytes, once the process has settled. */
async function memoryOfStreams(gateway: Gateway, count: number): Promise<number> {
  const resident = (): number => {
    const [, kilobytes] = /VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  };
  await pause(1_000);
  const before = resident();
  const streams = await Promise.all(Array.from({ length: count }, () => follow(gateway, () => {})));
  await pause(1_000);
  const after = resident();
  for (const stream of streams) stream.destroy();
  return Math.max(0, after - before);
}

function post({ port, token }: Pick<Gateway, 'port' | 'token'>, agent: Agent, body: object): Promise<{ turn: string }> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    const sent = request(
      { host: '127.0.0.1', port, path: '/api/turns', method: 'POST', agent, headers },
      async (answer) => {
        let whole = '';
        for await (const part of answer) whole += part;
        if (answer.statusCode === 202) resolve(JSON.parse(whole) as { turn: string });
        else reject(new Error(`the gateway answered ${answer.statusCode}: ${whole}`));
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // A connection that was idle for long, on a busy machine, may be closed while it is used again: nothing was asked then.
      if (sent.reusedSocket && error.code === 'ECONNRESET') post({ port, token }, agent, body).then(resolve, reject);
      else reject(error);
    });
    sent.end(text);
  });
}

/** Resolves when the stream has begun. */
function follow(
  { port, token }: Gateway,
  onEvent: (event: { type: string; turn?: string }) => void,
): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = request({ host: '127.0.0.1', port, path: '/api/events', agent: false, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
        const messages = text.split('\n\n');
        text = messages.pop() ?? '';
        for (const message of messages) {
          const [, data] = /^data: (.*)$/m.exec(message) ?? [];
          if (data !== undefined) onEvent(JSON.parse(data) as { type: string });
        }
        resolve(sent);
      });
      answer.on('error', () => {});
    });
    sent.on('error', reject);
    sent.end();
  });
}
