// A call that asks for the network, after the call itself was judged: every host needs a rule `network(host)` or a person's
// answer, whatever allows the command. Reaching a host is leaving: in a tainted turn only an answer given in one counts. One
// question covers both, the command and its hosts. Where nothing filters, the question says so, and no rule answers it. An address
// that is not public (this machine, a private network, the metadata of a cloud) is named by a person or by a rule; no mode allows it.
import { type Host, namesPrivately, spellHost } from '../../sandbox/network/host.ts';
import { isPublicAddress } from '../../sandbox/network/public-address.ts';
import { reasonText } from '../../vocabulary/reasons.ts';
import type { NetworkRequest } from '../network/network-request.ts';
import {
  answersFor,
  ask,
  askedBy,
  type DecideInput,
  type Decision,
  deniedBy,
  deny,
  type Scope,
  taintReason,
} from './decision.ts';
import { reaching } from './question.ts';
import { NETWORK, namesTool, type Rule } from './rules.ts';

const UNFILTERED = reasonText('unfiltered');

export function decideNetwork(input: DecideInput, network: NetworkRequest, decision: Decision): Decision {
  if (decision.verdict === 'deny') return decision;
  // A program that reaches a host can send it something.
  const changes = true;
  const { rules, remembered, taint } = input;
  const needsPerson = taint.length > 0;
  const touching = (list: readonly Rule[]): Rule | undefined =>
    list.find((rule) => network.hosts.some((host) => touchesHost(rule, host)));
  const denying = touching(rules.deny);
  if (denying) return deny(decision, deniedBy(denying));

  const answered = answersFor(remembered, needsPerson);
  const asking = touching(rules.ask);
  const allowing = needsPerson || asking || !network.filtered ? answered : [...answered, ...rules.allow];
  const open = network.hosts.filter((host) => !allowing.some((rule) => allowsHost(rule, host)));
  const isAsked = decision.verdict === 'ask';
  const question = reaching(decision.question, network.hosts.map(spellHost));
  if (open.length === 0) return { ...decision, changes, ...(isAsked && { question }) };

  const notPublic = open.filter(isNotPublic);
  const reasons = [
    ...(needsPerson ? [taintReason(taint)] : []),
    ...(asking ? [askedBy(asking)] : []),
    ...notPublic.map((host) => reasonText('private-host', { host: spellHost(host) })),
    ...(network.filtered ? [reasonText('reaches', { hosts: open.map(spellHost).join(', ') })] : [UNFILTERED]),
    ...decision.reasons,
  ];
  const rememberAs = [...decision.rememberAs, ...open.map((host) => `${NETWORK.name}(${spellHost(host)})`)];
  const scopes = scopesOf(decision, { isAsked, lasts: allowing !== answered });
  const { protects } = decision;
  const asked = ask({ question, changes, needsPerson, rememberAs, scopes, protects }, reasons);
  return notPublic.length > 0 ? { ...asked, notByMode: true } : asked;
}

/** "Always" only where a rule would answer next time, for the command and for its hosts. */
function scopesOf(decision: Decision, { isAsked, lasts }: { isAsked: boolean; lasts: boolean }): Scope[] {
  const commandLasts = !isAsked || decision.rememberAs.length === 0 || decision.scopes.includes('always');
  return lasts && commandLasts ? ['session', 'always'] : ['session'];
}

function isNotPublic(host: Host): boolean {
  return namesPrivately(host) && !isPublicAddress(host.name.replace(/^\[|\]$/g, ''));
}

function touchesHost(rule: Rule, host: Host): boolean {
  if (!namesTool(rule, [NETWORK.name])) return false;
  return rule.pattern.kind !== 'host' || rule.pattern.target.touches(spellHost(host));
}

/** A rule for every tool, `*`, says nothing about hosts. */
function allowsHost(rule: Rule, host: Host): boolean {
  if (rule.tool !== NETWORK.name) return false;
  return (
    rule.pattern.kind === 'everything' || (rule.pattern.kind === 'host' && rule.pattern.target.allows(spellHost(host)))
  );
}
