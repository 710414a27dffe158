// Decides whether a target may be reached, and connects to it. A name is resolved once, its addresses are checked, and the
// connection goes to one of those: a name that leads elsewhere a moment later leads nowhere.
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { coversTarget, type Host, isAddress, isWebPort, namesPrivately, type Target } from './host.ts';
import { isPublicAddress } from './public-address.ts';
import type { RefusalReason } from './traffic.ts';

/** Every address of a name. Rejects when the name is not known. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

export interface ReachDependencies {
  /**
   * What a person permitted. An address, and a name of this machine, may be private; any other name must lead to a public address.
   * `public`: every host, and nothing that is private but `privateNames`.
   */
  allowed: readonly Host[] | 'public';
  /** Names that may lead to private addresses, because the owner said so. */
  privateNames: readonly Host[];
  resolve: Resolve;
  /** The person's own proxy resolves the name too: one that is unknown here may be known there. A name that is known here must still be public. */
  mayBeUnknown?: true;
}

export type Permission =
  /** `mustBeTls`: a tunnel on this port carries nothing else. */
  { ok: true; addresses: readonly LookupAddress[]; mustBeTls: boolean } | { ok: false; reason: RefusalReason };

const CONNECT_MS = 20_000;
const RESOLVE_MS = 1_000;

/** Rejects when the name cannot be resolved. */
export async function permit(
  target: Target,
  { allowed, privateNames, resolve, mayBeUnknown }: ReachDependencies,
): Promise<Permission> {
  if (allowed === 'public') return permitPublic(target, { privateNames, resolve });
  const host = allowed.find((each) => coversTarget(each, target));
  if (!host) return { ok: false, reason: 'not-allowed' };
  const mustBeTls = isWebPort(target.port);
  if (isAddress(target.name)) return { ok: true, addresses: [literal(target.name)], mustBeTls };
  const found = mayBeUnknown ? await resolveSoon(target.name, resolve) : await resolve(target.name);
  if (!found) return { ok: true, addresses: [], mustBeTls };
  const mayBePrivate = namesPrivately(target) || privateNames.some((each) => coversTarget(each, target));
  const addresses = mayBePrivate ? found : found.filter(({ address }) => isPublicAddress(address));
  return addresses.length > 0 ? { ok: true, addresses, mustBeTls } : { ok: false, reason: 'private-address' };
}

/** Undefined when the name is not known here, or is not found soon: machines behind a proxy often know no names of others. */
async function resolveSoon(name: string, resolve: Resolve): Promise<readonly LookupAddress[] | undefined> {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => giveUp(undefined), RESOLVE_MS);
  try {
    return await Promise.race([resolve(name).catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a tunnel carries does not matter: every other server that it could ask for is permitted too. */
async function permitPublic(
  target: Target,
  { privateNames, resolve }: Pick<ReachDependencies, 'privateNames' | 'resolve'>,
): Promise<Permission> {
  const found = isAddress(target.name) ? [literal(target.name)] : await resolve(target.name);
  const mayBePrivate = privateNames.some((each) => coversTarget(each, target));
  const addresses = mayBePrivate ? found : found.filter(({ address }) => isPublicAddress(address));
  return addresses.length > 0 ? { ok: true, addresses, mustBeTls: false } : { ok: false, reason: 'private-address' };
}

/** Connects to one of the addresses, whatever the target's name means by now. Rejects when `signal` fires. */
export async function connectTo(
  { port }: Target,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<Socket> {
  const socket = connect({
    // Never asked of anybody: `lookup` answers.
    host: 'permitted.invalid',
    port,
    lookup: (_name, { all }, done) => {
      const [first] = addresses;
      if (all) done(null, [...addresses]);
      else done(null, first?.address ?? '', first?.family);
    },
    autoSelectFamily: true,
    allowHalfOpen: true,
  });
  const timer = setTimeout(() => socket.destroy(new Error('it did not answer')), CONNECT_MS);
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function literal(name: string): LookupAddress {
  return name.startsWith('[') ? { address: name.slice(1, -1), family: 6 } : { address: name, family: 4 };
}
