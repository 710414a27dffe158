// Says in a command's result what the network had to do with it: hosts that were refused, or that there was none.
import type { RefusalReason, Traffic } from '../../sandbox/network/traffic.ts';
import type { Finished, Sandbox } from '../../sandbox/sandbox.ts';
import { NETWORK_OFF } from '../shell/command-settings.ts';
import type { SandboxedRun } from '../shell/run-sandboxed.ts';

/** What programs print when a name cannot be resolved or there is no network. */
const NO_NETWORK =
  /could not resolve|couldn't resolve|unable to resolve|failed to resolve|temporary failure in name resolution|temporary failure resolving|name or service not known|name resolution|EAI_AGAIN|ENOTFOUND|ENETUNREACH|network is unreachable|failed to establish a new connection|dns error|dial tcp:? |nodename nor servname|no address associated with hostname/i;
const OWN_LOOPBACK =
  /(?:ECONNREFUSED|connection refused|failed to connect|couldn't connect)\D{0,80}?(?:localhost|127\.0\.0\.1|::1)|(?:localhost|127\.0\.0\.1|::1)\D{0,40}\d{0,5}.{0,60}(?:connection refused|couldn't connect|ECONNREFUSED)/i;
const BYPASSED = 'a program in it did not use the proxy that HTTP_PROXY and HTTPS_PROXY name, its only way out';
/** What ssh prints where it has no way out, and where it finds no key or no known host. */
const NO_SSH =
  /^ssh: (?:could not resolve hostname|connect to host)|^host key verification failed|permission denied \(publickey/im;
const SSH_OUTSIDE =
  'ssh has no way out of the sandbox, and no keys are there; no host in "network" changes that: use an https address, or ask the person to run the command (in the chat at a terminal: !command)';
const MOST_NAMED = 10;

export interface NetworkFacts {
  /** Absent: the command was given no network. */
  traffic?: Traffic;
  /** Why a command cannot be given any; undefined where it can ask. */
  unavailable?: string;
}

export interface NetworkOfRun {
  backend: Sandbox;
  setting: 'ask' | 'off';
  progress(text: string): void;
}

/** What the network had to do with it, in our own words, which a person sees as well. */
export function tellNetwork(finished: SandboxedRun, { backend, setting, progress }: NetworkOfRun): string[] {
  const { name, isolates, forwardsNetwork } = backend;
  if (!isolates) return [];
  const none = forwardsNetwork ? undefined : `the ${name} sandbox has none`;
  const unavailable = setting === 'off' ? NETWORK_OFF : none;
  const notes = explainNetwork(finished, { traffic: finished.traffic, unavailable });
  for (const note of notes) progress(`[${note}]\n`);
  return notes;
}

/** One line each; none when the network had nothing to do with it. */
export function explainNetwork(finished: Finished, { traffic, unavailable }: NetworkFacts): string[] {
  const { text } = finished.interleaved;
  if (finished.exitCode !== 0 && NO_SSH.test(text)) return [SSH_OUTSIDE];
  if (traffic) {
    const notes = [...explainRefused(traffic), ...explainFailed(finished, traffic)];
    const bypassed =
      notes.length === 0 && finished.exitCode !== 0 && (NO_NETWORK.test(text) || OWN_LOOPBACK.test(text));
    return bypassed ? [BYPASSED] : notes;
  }
  if (finished.exitCode === 0) return [];
  if (NO_NETWORK.test(text))
    return [`this command has no network; ${unavailable ?? 'name the hosts it needs in "network" to ask for it'}`];
  if (OWN_LOOPBACK.test(text) && unavailable === undefined)
    return ['this command has a loopback of its own; name host:port in "network" to ask for a server outside'];
  return [];
}

const BECAUSE: Record<RefusalReason, string> = {
  'not-allowed': ', which nobody permitted; name it in "network" to ask for it',
  'private-address': ', whose address is not public; the owner can name it in the setting privateHosts',
  'other-server': '',
};

/** A proxy's answer hides the reason from most programs. */
function explainFailed({ exitCode }: Finished, { failed }: Traffic): string[] {
  if (exitCode === 0) return [];
  return failed.slice(0, MOST_NAMED).map(({ host, error }) => `${host} could not be reached: ${error}`);
}

function explainRefused({ refused, more }: Traffic): string[] {
  const lines = refused
    .slice(0, MOST_NAMED)
    .map(({ host, reason }) => `it was kept from reaching ${host}${BECAUSE[reason]}`);
  const left = refused.length - MOST_NAMED;
  return left > 0 || more ? [...lines, `and ${more ? 'many' : left} more hosts`] : lines;
}
