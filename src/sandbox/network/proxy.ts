// The only way out of a sandbox that may reach some hosts: an HTTP proxy on a Unix socket, in this process. A request in
// order: read its target → permitted? → resolve and check → connect, or ask the person's own proxy to → carry bytes until either side ends. Whatever is not
// permitted is refused with 403 and counted; no name of it is resolved. Inside a tunnel TLS must name the permitted server
// (tunnel-start.ts): one address serves many names.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type Duplex, pipeline } from 'node:stream';
import { hostOfTarget, parseTarget, type Target, targetOfUrl } from './host.ts';
import {
  connectToOwnProxy,
  type OwnProxy,
  ownProxyFor,
  type ProxyVariables,
  type Traversal,
  tunnelThrough,
} from './own-proxy.ts';
import { connectTo, type Permission, permit, type ReachDependencies } from './reach.ts';
import { createTrafficCounter, type RefusalReason, type Traffic } from './traffic.ts';
import { readTunnelStart } from './tunnel-start.ts';

export interface ProxyOptions extends ReachDependencies {
  /** Where the socket's private directory is made; removed with `close`. */
  temporary: string;
  connect?: typeof connectTo;
  /** The person's variables that name a proxy of their own; absent: hosts are reached directly. */
  ownProxy?: ProxyVariables;
}

export interface NetworkProxy {
  socketPath: string;
  /** Ends every connection. Resolves with all that was counted. */
  close(): Promise<Traffic>;
}

const MOST_CONNECTIONS = 256;
/** Headers of one hop, which are never passed on. */
const HOP_HEADERS = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
]);

export async function openNetworkProxy(options: ProxyOptions): Promise<NetworkProxy> {
  const { connect = connectTo, ownProxy = {} } = options;
  const counter = createTrafficCounter();
  const open = new Set<Duplex>();
  const ending = new AbortController();
  const keep = <Stream extends Duplex>(stream: Stream): Stream => {
    open.add(stream);
    // Node's server and two pipelines listen as well.
    stream.setMaxListeners(32);
    return stream.on('error', () => stream.destroy()).on('close', () => open.delete(stream));
  };

  /** Undefined when it was refused or failed; `say` has told the client. */
  async function reach(target: Target, traversal: Traversal, say: Say): Promise<Reached | undefined> {
    const host = hostOfTarget(target);
    try {
      const through = ownProxyFor(target, traversal, ownProxy);
      const permission = await permit(target, { ...options, ...(through && { mayBeUnknown: true }) });
      if (permission.ok) {
        const { signal } = ending;
        const connecting = !through
          ? connect(target, permission.addresses, signal)
          : traversal === 'tunnel'
            ? tunnelThrough(through, target, signal)
            : connectToOwnProxy(through, signal);
        const upstream = keep(await connecting);
        const counted = counter.connected(target);
        upstream.once('close', () => counted.close({ sent: upstream.bytesWritten, received: upstream.bytesRead }));
        return { upstream, permission, through };
      }
      counter.refuse(host, permission.reason);
      say(403, refusal(host, permission.reason));
    } catch (error) {
      const { message } = error as Error;
      counter.fail(target, message);
      say(502, `${host} cannot be reached: ${message}`);
    }
    return undefined;
  }

  async function tunnel(call: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const say = sayOn(client);
    const target = parseTarget(call.url ?? '');
    if (!target) return say(400, 'CONNECT takes host:port');
    const reached = await reach(target, 'tunnel', say);
    if (!reached) return;
    const { upstream, permission } = reached;
    if (client.destroyed) return void upstream.destroy();
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    // Either way ends by itself; an error of one side destroys both, and has been heard by `keep`.
    const { mustBeTls } = permission;
    if (!mustBeTls) pipeline(upstream, client, () => {});
    const start = await readTunnelStart(client, { head, target, mustBeTls });
    if (!start.ok) {
      if (start.asked !== undefined) counter.refuse(start.asked, 'other-server');
      client.destroy();
      upstream.destroy();
      return;
    }
    if (start.bytes.length > 0) upstream.write(start.bytes);
    pipeline(client, upstream, () => {});
    if (mustBeTls) pipeline(upstream, client, () => {});
  }

  async function forward(call: IncomingMessage, answer: ServerResponse): Promise<void> {
    const say: Say = (status, text) => {
      answer.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`);
    };
    const url = call.url ?? '';
    const target = /^http:\/\//i.test(url) ? targetOfUrl(url) : undefined;
    if (!target) return say(400, 'this is a proxy: it takes http addresses and CONNECT');
    const reached = await reach(target, 'request', say);
    if (!reached) return;
    const { upstream, through } = reached;
    const { pathname, search, host } = new URL(url);
    // For every method: a body without a declared end would be read as one more request, to any name.
    const chunked = call.headers['transfer-encoding'] === undefined ? [] : ['Transfer-Encoding', 'chunked'];
    const authorized = through?.authorization ? ['Proxy-Authorization', through.authorization] : [];
    const passed = request({
      createConnection: () => upstream,
      method: call.method,
      path: through ? `http://${host}${pathname}${search}` : `${pathname}${search}`,
      // The host that was permitted, whatever the client's own header says.
      headers: [...endToEnd(call.rawHeaders), ...chunked, ...authorized, 'Host', host, 'Connection', 'close'],
      setHost: false,
    });
    passed.on('response', (response) => {
      try {
        answer.writeHead(response.statusCode ?? 502, response.statusMessage, endToEnd(response.rawHeaders));
      } catch {
        // A status or a header that may not be sent on.
        answer.destroy();
        upstream.destroy();
        return;
      }
      pipeline(response, answer, () => upstream.destroy());
    });
    passed.on('error', (error) => {
      if (answer.headersSent) answer.destroy();
      else say(502, `${hostOfTarget(target)} broke the connection: ${error.message}`);
    });
    answer.on('close', () => upstream.destroy());
    pipeline(call, passed, () => {});
  }

  const server = createServer({ requestTimeout: 0 });
  server.maxConnections = MOST_CONNECTIONS;
  server.on('connection', keep);
  // What a client or a host says must never end this process.
  server.on('request', (call, answer) => void forward(call, answer).catch(() => answer.destroy()));
  server.on('connect', (call, client, head) => void tunnel(call, client, head).catch(() => client.destroy()));

  const directory = await mkdtemp(join(options.temporary, 'lainclaw-network-'));
  const socketPath = join(directory, 'proxy');
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socketPath, resolve));
    await chmod(socketPath, 0o600);
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }

  return {
    socketPath,
    async close() {
      ending.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const ended = [...open].map((stream) => new Promise((resolve) => stream.once('close', resolve)));
      for (const stream of open) stream.destroy();
      await Promise.all([closed, ...ended]);
      await rm(directory, { recursive: true, force: true });
      return counter.traffic();
    },
  };
}

interface Reached {
  upstream: Socket;
  permission: Permission & { ok: true };
  /** Where the upstream is the person's own proxy. */
  through: OwnProxy | undefined;
}

type Say = (status: number, text: string) => void;

function refusal(host: string, reason: RefusalReason): string {
  const why = reason === 'private-address' ? `${host} leads to an address that is not public` : 'nobody permitted it';
  return `this command may not reach ${host}: ${why}`;
}

function sayOn(client: Duplex): Say {
  return (status, text) => {
    const body = `${text}\n`;
    const reason = { 400: 'Bad Request', 403: 'Forbidden' }[status] ?? 'Bad Gateway';
    client.end(
      `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  };
}

function endToEnd(raw: readonly string[]): string[] {
  const named = new Set(
    raw.flatMap((name, index) =>
      index % 2 === 0 && name.toLowerCase() === 'connection'
        ? (raw[index + 1] ?? '').split(',').map((each) => each.trim().toLowerCase())
        : [],
    ),
  );
  const passed: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    // The length of a body is for both ends, whatever the other side says.
    const isOfHop = HOP_HEADERS.has(name) || (named.has(name) && name !== 'content-length');
    if (!isOfHop) passed.push(raw[index] ?? '', raw[index + 1] ?? '');
  }
  return passed;
}
