// One HTTP request that cannot reach the inside. Every address of the name is looked up here, those that are not public are dropped,
// and the connection goes to one of the others: a name that leads elsewhere a moment later leads nowhere. An address that is written
// as a number is checked the same way. The owner's `privateHosts` are the exception.
import type { LookupAddress } from 'node:dns';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { coversTarget, type Host, isAddress, targetOfUrl } from '../../sandbox/network/host.ts';
import { isPublicAddress } from '../../sandbox/network/public-address.ts';
import { ToolFailure } from '../tool.ts';

/** Every address of a name. Rejects when the name is not known. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

export interface RequestGuard {
  resolve: Resolve;
  /** Hosts that may be reached although their addresses are not public. */
  privateHosts: readonly Host[];
  /** A connection to a server that the session itself runs; undefined: it runs none at this address. */
  ownServer?(url: URL): Promise<Duplex | undefined>;
}

/** Throws ToolFailure for an address that this never asks. */
export function checkUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw refused(`${shown(text)} is not an address of the web (http or https)`);
  if (url.username !== '' || url.password !== '')
    throw refused('an address with a user name or a password in it is never asked: leave them out');
  if (!targetOfUrl(text)) throw refused(`${shown(url.host)} is not the name of a host`);
  url.hash = '';
  return url;
}

/** The answer, whose body is still to be read. Rejects with ToolFailure where the address leads inside. */
export async function guardedRequest(
  url: URL,
  { headers, signal, guard }: { headers: OutgoingHttpHeaders; signal: AbortSignal; guard: RequestGuard },
): Promise<IncomingMessage> {
  const own = await guard.ownServer?.(url);
  if (own) return requestOver(own, url, { headers, signal });
  const addresses = await addressesOf(url, guard);
  const { request } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = request(url, {
    headers,
    signal,
    agent: false,
    lookup: answering(addresses),
    // Never asked of anybody: `lookup` answers, also where the host is an address.
    ...(isAddress(url.hostname) && { hostname: addresses[0]?.address }),
  });
  asked.once('response', resolve).once('error', reject);
  asked.end();
  return promise;
}

async function requestOver(
  connection: Duplex,
  url: URL,
  options: { headers: OutgoingHttpHeaders; signal: AbortSignal },
): Promise<IncomingMessage> {
  const { request } = await import('node:http');
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = request(url, { ...options, createConnection: () => connection });
  asked.once('response', resolve).once('error', reject);
  asked.end();
  return promise;
}

async function addressesOf(url: URL, { resolve, privateHosts }: RequestGuard): Promise<readonly LookupAddress[]> {
  const target = targetOfUrl(url.href);
  if (!target) throw refused(`${shown(url.host)} is not the name of a host`);
  const mayBePrivate = privateHosts.some((host) => coversTarget(host, target));
  const found = isAddress(target.name)
    ? [literal(target.name)]
    : await resolve(target.name).catch(orUnknownName(target.name));
  const reachable = mayBePrivate ? found : found.filter(({ address }) => isPublicAddress(address));
  if (reachable.length > 0) return reachable;
  throw refused(
    `${target.name} is on this machine or in a private network, which is never asked; "privateHosts" in config.json can name it`,
  );
}

function answering(addresses: readonly LookupAddress[]): LookupFunction {
  return (_name, { all }, done) => {
    const [first] = addresses;
    if (all) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family);
  };
}

function literal(name: string): LookupAddress {
  return name.startsWith('[') ? { address: name.slice(1, -1), family: 6 } : { address: name, family: 4 };
}

function orUnknownName(name: string): (error: unknown) => never {
  return (cause) => {
    throw new ToolFailure(`the name ${name} is not known`, { cause });
  };
}

function refused(message: string): ToolFailure {
  return new ToolFailure(message, { reason: 'denied' });
}

function shown(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
