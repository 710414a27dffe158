// The pattern of a rule on addresses, web_fetch(…):
//   domain:docs.example.org      pages of this host
//   domain:*.example.org         pages of the hosts below it
//   https://example.org/docs/*   addresses that begin so; without a star this one address
// An allow pattern fits the host exactly. A deny or ask pattern on a host also fits the hosts below it, and one on an address
// fits http and https.
import type { TargetPattern } from './target-pattern.ts';

export type ParsedUrlPattern = { ok: true; pattern: TargetPattern } | { ok: false; error: string };

const ACCEPTED = 'accepted are domain:example.org, domain:*.example.org, https://example.org/docs/*';

export function parseUrlPattern(text: string): ParsedUrlPattern {
  const source = text.trim();
  if (source === '') return { ok: false, error: 'the parentheses are empty' };
  if (source.startsWith('domain:')) return parseDomain(source.slice('domain:'.length));
  const isPrefix = source.endsWith('*');
  const written = isPrefix ? source.slice(0, -1) : source;
  const url = URL.parse(written);
  // Without a slash after the host, `https://example.org*` would also mean example.org.evil.net.
  const isWhole =
    url && /^https?:$/.test(url.protocol) && (!isPrefix || written.slice(url.protocol.length + 2).includes('/'));
  if (!isWhole || written.includes('*') || url.username || url.password)
    return { ok: false, error: `not an address or a domain; ${ACCEPTED}` };
  const fits = (given: string, wanted: string): boolean => (isPrefix ? given.startsWith(wanted) : given === wanted);
  return {
    ok: true,
    pattern: {
      allows: (target) => {
        const given = URL.parse(target);
        return given !== null && given.origin === url.origin && fits(given.href, url.href);
      },
      touches: (target) => {
        const given = URL.parse(target);
        return given === null || fits(comparable(given), comparable(url));
      },
    },
  };
}

function parseDomain(written: string): ParsedUrlPattern {
  const isBelow = written.startsWith('*.');
  const host = URL.parse(`http://${isBelow ? written.slice(2) : written}`);
  if (host?.pathname !== '/' || host.search || host.port || host.username || host.hostname.includes('*'))
    return { ok: false, error: `not a domain; ${ACCEPTED}` };
  const { hostname } = host;
  return {
    ok: true,
    pattern: {
      allows: (target) => {
        const given = URL.parse(target)?.hostname;
        return given !== undefined && (isBelow ? given.endsWith(`.${hostname}`) : given === hostname);
      },
      touches: (target) => {
        const given = URL.parse(target)?.hostname;
        return given === undefined || plainHost(given) === hostname || plainHost(given).endsWith(`.${hostname}`);
      },
    },
  };
}

/** The root's dot at the end names the same host. */
function plainHost(hostname: string): string {
  return hostname.replace(/\.$/, '');
}

function comparable({ hostname, port, pathname, search }: URL): string {
  return `${plainHost(hostname)}:${port}${pathname}${search}`.toLowerCase();
}
