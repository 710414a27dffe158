// The person's own proxy, as HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY name it: behind one, this machine reaches other hosts in no other way. A command
// never sees it. The filtering proxy asks it for the hosts that were permitted, so a password in its address stays outside of the sandbox.
import { once } from 'node:events';
import { BlockList, connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { percentDecoded } from '../../lib/percent-decoded.ts';
import { hostOfTarget, isAddress, namesPrivately, type Target } from './host.ts';

export interface OwnProxy {
  hostname: string;
  port: number;
  isTls: boolean;
  /** The value of a `Proxy-Authorization` header. */
  authorization?: string;
}

export type ProxyVariables = Readonly<Record<string, string | undefined>>;

/** What is asked for: a tunnel by CONNECT, or a plain request over http. */
export type Traversal = 'tunnel' | 'request';

const CONNECT_MS = 20_000;
const LONGEST_ANSWER = 16_384;

/** Undefined where the target is reached directly. This machine always is; a proxy that speaks neither http nor https cannot be asked. */
export function ownProxyFor(target: Target, traversal: Traversal, variables: ProxyVariables): OwnProxy | undefined {
  if (isLoopback(target) || isExcepted(target, variableOf(variables, 'no_proxy'))) return undefined;
  const named = variableOf(variables, traversal === 'tunnel' ? 'https_proxy' : 'http_proxy');
  return readProxy(named ?? variableOf(variables, 'all_proxy'));
}

/** Connects to the proxy alone, for a request that names its whole address. Rejects when `signal` fires. */
export async function connectToOwnProxy(proxy: OwnProxy, signal: AbortSignal): Promise<Socket> {
  const { hostname, port, isTls } = proxy;
  const socket = isTls
    ? connectTls({ host: hostname, port, ...(isIP(hostname) === 0 && { servername: hostname }) })
    : connect({ host: hostname, port, allowHalfOpen: true, autoSelectFamily: true });
  const late = AbortSignal.timeout(CONNECT_MS);
  try {
    await once(socket, isTls ? 'secureConnect' : 'connect', { signal: AbortSignal.any([signal, late]) });
    return socket;
  } catch (error) {
    socket.on('error', () => {}).destroy();
    if (signal.aborted) throw error;
    const why = late.aborted ? 'it did not answer' : (error as Error).message;
    throw new Error(`your proxy ${spelled(proxy)} cannot be reached: ${why}`);
  }
}

/** A tunnel to the target. Rejects when the proxy refuses it. */
export async function tunnelThrough(proxy: OwnProxy, target: Target, signal: AbortSignal): Promise<Socket> {
  const socket = await connectToOwnProxy(proxy, signal);
  const late = AbortSignal.timeout(CONNECT_MS);
  try {
    const name = `${target.name}:${target.port}`;
    const authorization = proxy.authorization ? `Proxy-Authorization: ${proxy.authorization}\r\n` : '';
    socket.write(`CONNECT ${name} HTTP/1.1\r\nHost: ${name}\r\n${authorization}\r\n`);
    const status = await readStatus(socket, AbortSignal.any([signal, late]));
    if (status >= 200 && status < 300) return socket;
    const why = status === 407 ? 'wants a name and a password' : `answered ${status}`;
    throw new Error(`your proxy ${spelled(proxy)} ${why}`);
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw late.aborted ? new Error(`your proxy ${spelled(proxy)} did not answer`) : error;
  }
}

/** Reads the head of the answer; what follows it stays in the socket. */
async function readStatus(socket: Socket, signal: AbortSignal): Promise<number> {
  let head = Buffer.alloc(0);
  while (head.length <= LONGEST_ANSWER) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) {
      const ended = new AbortController();
      const either = AbortSignal.any([signal, ended.signal]);
      const hasEnded = await Promise.race([
        once(socket, 'readable', { signal: either }).then(() => socket.readableEnded),
        once(socket, 'end', { signal: either }).then(() => true),
      ]).finally(() => ended.abort());
      if (hasEnded) throw new Error('your proxy closed the connection');
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) continue;
    const rest = head.subarray(end + 4);
    if (rest.length > 0) socket.unshift(rest);
    const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head.subarray(0, end).toString('latin1')) ?? [];
    if (status !== undefined) return Number(status);
    break;
  }
  throw new Error('what your proxy answered is not HTTP');
}

function readProxy(written: string | undefined): OwnProxy | undefined {
  if (written === undefined) return undefined;
  const url = URL.parse(/^\w[\w+.-]*:\/\//.test(written) ? written : `http://${written}`);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined;
  const isTls = url.protocol === 'https:';
  const { username, password } = url;
  const credentials = `${percentDecoded(username)}:${percentDecoded(password)}`;
  return {
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port) || (isTls ? 443 : 80),
    isTls,
    ...(username !== '' && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  };
}

function isLoopback(target: Target): boolean {
  if (!namesPrivately(target)) return false;
  return !isAddress(target.name) || /^127\.|^\[::1\]$|^\[::ffff:7f/.test(target.name);
}

/** As curl reads it: names with what is below them, addresses, ranges of addresses, `*` for everything; a port where one is named. */
function isExcepted(target: Target, noProxy = ''): boolean {
  return noProxy.split(/[\s,]+/).some((entry) => entry !== '' && coversException(entry.toLowerCase(), target));
}

function coversException(entry: string, { name, port }: Target): boolean {
  if (entry === '*') return true;
  const [, network = '', bits] = /^([0-9a-f.:]+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (bits !== undefined) return isAddress(name) && isWithin(bare(name), network, Number(bits));
  const [, host = entry, onlyPort] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  if (onlyPort !== undefined && Number(onlyPort) !== port) return false;
  if (isAddress(name)) return bare(host) === bare(name);
  const domain = host.replace(/^\*?\./, '').replace(/\.$/, '');
  return name === domain || name.endsWith(`.${domain}`);
}

function isWithin(address: string, network: string, bits: number): boolean {
  const family = isIP(network);
  if (family === 0 || isIP(address) !== family || bits > (family === 4 ? 32 : 128)) return false;
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  const range = new BlockList();
  range.addSubnet(network, bits, kind);
  return range.check(address, kind);
}

const bare = (name: string): string => name.replace(/^\[(.*)\]$/, '$1');

function spelled({ hostname, port }: OwnProxy): string {
  return hostOfTarget({ name: hostname.includes(':') ? `[${hostname}]` : hostname, port });
}

function variableOf(variables: ProxyVariables, name: string): string | undefined {
  return [variables[name], variables[name.toUpperCase()]]
    .find((value) => value !== undefined && value.trim() !== '')
    ?.trim();
}
