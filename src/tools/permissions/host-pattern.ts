// The pattern of a rule on hosts, network(…): registry.npmjs.org, *.example.org, 127.0.0.1:4873. Without a port it means 80
// and 443. A deny or ask pattern also fits the hosts below.
import { coversHost, overlaps, parseHost } from '../../sandbox/network/host.ts';
import type { TargetPattern } from './target-pattern.ts';

export type ParsedHostPattern = { ok: true; pattern: TargetPattern } | { ok: false; error: string };

export function parseHostPattern(text: string): ParsedHostPattern {
  const host = parseHost(text);
  if (!host) return { ok: false, error: 'not a host; accepted are example.org, *.example.org, example.org:8080' };
  return {
    ok: true,
    pattern: {
      allows: (target) => {
        const wanted = parseHost(target);
        return wanted !== undefined && coversHost(host, wanted);
      },
      touches: (target) => {
        const wanted = parseHost(target);
        return wanted === undefined || overlaps(host, wanted);
      },
    },
  };
}
