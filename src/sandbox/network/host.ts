// The name of a host that a command may reach, as a person reads and writes it: registry.npmjs.org, *.example.org,
// 127.0.0.1:4873, [::1]:8080. Without a port it means the ports of the web, 80 and 443. Every spelling of the same host
// (capitals, a dot at the end, 0x7f.1, an international name) becomes one, so that comparing texts is enough.

export interface Host {
  /** Lower case; an IPv6 address in brackets. With `below`, the domain without its star. */
  name: string;
  port?: number;
  /** Every host below the domain, and not the domain itself. */
  below?: true;
}

/** A host that something connects to. */
export interface Target {
  name: string;
  port: number;
}

const WEB_PORTS = [80, 443];
const LONGEST_NAME = 253;
const WRITTEN = /^(\[[0-9a-f:.]+\]|[^\s:/?#@[\]\\]+)(?::(\d{1,5}))?$/i;

/** Undefined when the text is not a host. */
export function parseHost(text: string): Host | undefined {
  const [, written = '', digits] = WRITTEN.exec(text.trim()) ?? [];
  const below = written.startsWith('*.');
  const name = canonicalName(below ? written.slice(2) : written);
  const port = digits === undefined ? undefined : Number(digits);
  if (name === undefined || (port !== undefined && (port < 1 || port > 65_535))) return undefined;
  if (below && (isAddress(name) || !name.includes('.'))) return undefined;
  return { name, ...(port !== undefined && { port }), ...(below && { below }) };
}

/** Of a `host:port`, as in a CONNECT request. */
export function parseTarget(text: string): Target | undefined {
  const host = parseHost(text);
  return host?.port === undefined || host.below ? undefined : { name: host.name, port: host.port };
}

/** Of an http or https address. Undefined for any other. */
export function targetOfUrl(text: string): Target | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const name = canonicalName(url.hostname);
  return name === undefined ? undefined : { name, port: Number(url.port) || (url.protocol === 'http:' ? 80 : 443) };
}

/** The shortest text that names this target among hosts. */
export function hostOfTarget({ name, port }: Target): string {
  return isWebPort(port) ? name : `${name}:${port}`;
}

export function isWebPort(port: number): boolean {
  return WEB_PORTS.includes(port);
}

export function spellHost({ name, port, below }: Host): string {
  return `${below ? '*.' : ''}${name}${port === undefined ? '' : `:${port}`}`;
}

/** Whether reaching the target is what this host means. */
export function coversTarget(host: Host, { name, port }: Target): boolean {
  return coversName(host, name) && (host.port === undefined ? isWebPort(port) : host.port === port);
}

/** Whether everything that `wanted` means is part of `host`. */
export function coversHost(host: Host, wanted: Host): boolean {
  const samePort = host.port === wanted.port || (host.port === undefined && isWebPort(wanted.port ?? 0));
  if (!samePort) return false;
  return wanted.below ? host.below === true && isBelow(wanted.name, host.name) : coversName(host, wanted.name);
}

/** Whether the two can mean the same host: what a rule that forbids goes by. */
export function overlaps(one: Host, other: Host): boolean {
  const ports = (host: Host): readonly number[] => (host.port === undefined ? WEB_PORTS : [host.port]);
  if (!ports(one).some((port) => ports(other).includes(port))) return false;
  return isBelow(one.name, other.name) || isBelow(other.name, one.name);
}

/** An IPv4 address, or an IPv6 address in brackets. */
export function isAddress(name: string): boolean {
  return name.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(name);
}

/** This machine, or an address: a person who names such a host knows that it may not be public. */
export function namesPrivately({ name }: { name: string }): boolean {
  return isAddress(name) || name === 'localhost' || name.endsWith('.localhost');
}

function coversName({ name, below }: Host, wanted: string): boolean {
  return below ? wanted !== name && isBelow(wanted, name) : wanted === name;
}

function isBelow(name: string, domain: string): boolean {
  return name === domain || (!isAddress(name) && name.endsWith(`.${domain}`));
}

function canonicalName(written: string): string | undefined {
  const hostname = written === '' ? undefined : URL.parse(`http://${written}/`)?.hostname;
  const name = hostname?.replace(/\.$/, '');
  return name && name.length <= LONGEST_NAME && /^(?:\[[0-9a-f:]+\]|[\w.-]+)$/.test(name) ? name : undefined;
}
