// The inside of a sandbox that may reach some hosts. It has no network of its own but loopback; on that, a small program
// listens as an HTTP proxy and hands each connection to the Unix socket of the real one outside (proxy.ts). The command starts
// once the program listens.

import { isInside } from '../path-inside.ts';
import type { SandboxCommand } from '../sandbox.ts';
import { SandboxError } from '../sandbox.ts';
import { proxyEnvironment } from './proxy-environment.ts';

/** Private to each sandbox, so that it is free. */
export const FORWARD_PORT = 61_380;
/** The longest path that a Unix socket can have, in bytes. */
const LONGEST_SOCKET_PATH = 107;

export interface Forwarding {
  /** Where the real proxy listens. */
  socketPath: string;
  /** The Node that runs the program inside: this process's own. */
  node: string;
  /** The hosts that may be reached are on loopback, so loopback goes through the proxy too. */
  loopback: boolean;
}

/** The same command with its way out. The profile must keep the network closed. */
export function forwardNetwork(command: SandboxCommand, { socketPath, node, loopback }: Forwarding): SandboxCommand {
  const inside = withProgramInside(command, { node, program: FORWARDER, socketPath });
  return { ...inside, env: { ...command.env, ...proxyEnvironment({ port: FORWARD_PORT, loopback }) } };
}

/** The same for a program that runs in a bubblewrap of its own, which shows the socket and this Node. */
export function insideForwarder(
  program: readonly string[],
  { node, socketPath }: Pick<Forwarding, 'node' | 'socketPath'>,
): string[] {
  return ['/bin/sh', '-c', START, 'sh', node, FORWARDER, socketPath, ...program];
}

export interface ProgramInside {
  node: string;
  /** Its text. It writes `ready` once it is, and gets the path of the socket as its argument. */
  program: string;
  socketPath: string;
}

/** The same command, started once a program of ours runs beside it in the sandbox. */
export function withProgramInside(
  command: SandboxCommand,
  { node, program, socketPath }: ProgramInside,
): SandboxCommand {
  if (Buffer.byteLength(socketPath) > LONGEST_SOCKET_PATH)
    throw new SandboxError('setup-failed', `the path of the proxy is too long for a socket: ${socketPath}; set TMPDIR`);
  const { profile } = command;
  // Where the workspace holds this Node, it is there already; a mount would keep the command from replacing it.
  const isThere = profile.workspace !== undefined && isInside(profile.workspace.path, node);
  return {
    ...command,
    argv: ['/bin/sh', '-c', START, 'sh', node, program, socketPath, ...command.argv],
    profile: { ...profile, readOnly: [...(profile.readOnly ?? []), socketPath, ...(isThere ? [] : [node])] },
  };
}

/**
 * The substitution ends when the forwarder closes its output, which it does once it listens. By then its parent is gone, so
 * the command does not have it as a child.
 */
const START = `
said=$(/usr/bin/env -i "$1" --max-old-space-size=64 -e "$2" "$3" </dev/null 2>&1 &)
[ "$said" = ready ] || { echo "the way to the network could not be opened: $said" >&2; exit 126; }
shift 3
exec "$@"`;

/** Runs inside as a program of its own, from its text: it may use nothing from outside its body. */
function forwardConnections(socketPath: string, port: number): void {
  const net = process.getBuiltinModule('node:net');
  const fs = process.getBuiltinModule('node:fs');
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    const proxy = net.connect({ path: socketPath, allowHalfOpen: true });
    client.on('error', () => proxy.destroy()).pipe(proxy);
    proxy.on('error', () => client.destroy()).pipe(client);
  });
  server.listen(port, '127.0.0.1', () => {
    fs.writeSync(1, 'ready');
    // Opened again at once: a connection with one of these numbers would end the process.
    for (const descriptor of [1, 2]) {
      fs.closeSync(descriptor);
      fs.openSync('/dev/null', 'w');
    }
  });
}

const FORWARDER = `(${forwardConnections.toString()})(process.argv[1], ${FORWARD_PORT})`;
