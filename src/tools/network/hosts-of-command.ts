// The hosts that a command would reach, from its text and the settings of its programs alone. Nothing is resolved or
// asked: deriving hosts tells nobody anything. A host that this misses is refused while the command runs, and named then.
import { type Host, hostOfTarget, parseHost, spellHost, targetOfUrl } from '../../sandbox/network/host.ts';
import type { SimpleCommand } from '../permissions/command.ts';
import { networkProgram, showsFetched } from './network-programs.ts';
import { DEFAULT_SETTINGS, type NetworkSettings } from './network-settings.ts';

const GIT_PORT = 9418;

/** Sorted, each once. */
export function hostsOfCommand(commands: readonly SimpleCommand[], settings: NetworkSettings): Host[] {
  const found = new Map<string, Host>();
  for (const command of commands) {
    if (!usesNetwork(command)) continue;
    const args = command.words.slice(1).flatMap((word) => (word.kind === 'static' ? [word.text] : []));
    for (const text of networkProgram(command.program ?? '')?.(args, settings) ?? []) {
      const host = hostOf(text);
      if (host) found.set(spellHost(host), host);
    }
  }
  return [...found.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, host]) => host);
}

/** Settings with something in each of them. */
const ANY_SETTINGS: NetworkSettings = {
  ...DEFAULT_SETTINGS,
  aptSources: ['http://any.invalid'],
  gitRemotes: { any: 'https://any.invalid' },
};

/** Whether it would reach hosts with some settings: only then are they worth reading. */
export function needsNetwork(commands: readonly SimpleCommand[]): boolean {
  return hostsOfCommand(commands, ANY_SETTINGS).length > 0;
}

function usesNetwork({ program, context }: SimpleCommand): boolean {
  return (
    program !== undefined &&
    networkProgram(program) !== undefined &&
    !context.includes('guessed') &&
    !context.includes('detached')
  );
}

/** Around a program that installs, these show nothing that was fetched. */
const SILENT = new Set(['cd', 'echo', 'true', 'set', 'mkdir', 'test', '[']);

/** Whether it only installs or transfers: what it prints is its own, and what it fetched is in files. */
export function onlyTransfers(commands: readonly SimpleCommand[], settings: NetworkSettings): boolean {
  const isTransfer = (command: SimpleCommand): boolean =>
    hostsOfCommand([command], settings).length > 0 && !showsFetched(command);
  return commands.every((command) => SILENT.has(command.program ?? '') || isTransfer(command));
}

/** Of an address or of a host. Undefined for an address that no proxy of the web can reach. */
function hostOf(text: string): Host | undefined {
  if (!text.includes('://')) return parseHost(text);
  const git = /^git:\/\/([^/]+)/i.exec(text)?.[1];
  if (git !== undefined) return parseHost(/:\d+$/.test(git) ? git : `${git}:${GIT_PORT}`);
  const target = targetOfUrl(text);
  return target && parseHost(hostOfTarget(target));
}
