// The way into a sandbox: to the servers that its command runs on its own loopback, and to nothing else. The sandbox reaches no port of
// ours; a small program inside keeps connections to our Unix socket waiting, and each is used once: we write the port, the program
// connects there and says whether it could, and from then on the bytes are carried. The answer is the command's, also where
// another program in the sandbox pretends to be that small one.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxCommand } from '../sandbox.ts';
import { withProgramInside } from './forward.ts';

export interface Inward {
  /** The same command with the program inside. */
  command: SandboxCommand;
  /** Undefined when nothing inside listens on the port of loopback. */
  connect(port: number): Promise<Duplex | undefined>;
  close(): Promise<void>;
}

/** How long the program inside may take. */
const ANSWER_MS = 3_000;
const MOST_WAITING = 8;
const ACCEPTED = 1;

/** The sandbox must be one that `forwardsNetwork`. `temporary`: where the socket's private directory is made. */
export async function openInward(command: SandboxCommand, temporary: string): Promise<Inward> {
  const directory = await mkdtemp(join(temporary, 'in-'));
  const socketPath = join(directory, 's');
  const waiting: Socket[] = [];
  let wanted: ((socket: Socket) => void) | undefined;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket
      .on('error', () => socket.destroy())
      .on('close', () => {
        open.delete(socket);
        const index = waiting.indexOf(socket);
        if (index >= 0) waiting.splice(index, 1);
      });
    if (wanted) wanted(socket);
    else if (waiting.length < MOST_WAITING) waiting.push(socket);
    else socket.destroy();
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socketPath, resolve));
  await chmod(socketPath, 0o600);

  async function take(signal: AbortSignal): Promise<Socket | undefined> {
    const first = waiting.shift();
    if (first) return first;
    const { promise, resolve } = Promise.withResolvers<Socket>();
    wanted = (socket) => {
      wanted = undefined;
      resolve(socket);
    };
    const late = sleep(ANSWER_MS, undefined, { signal }).catch(() => undefined);
    return Promise.race([promise, late]);
  }

  async function connectNow(port: number): Promise<Duplex | undefined> {
    const patience = new AbortController();
    try {
      const socket = await take(patience.signal);
      if (!socket) return undefined;
      const head = Buffer.alloc(2);
      head.writeUInt16BE(port);
      socket.write(head);
      const isOpen = await Promise.race([firstByte(socket), sleep(ANSWER_MS, false, { signal: patience.signal })]);
      if (isOpen) return socket;
      socket.destroy();
      return undefined;
    } finally {
      patience.abort();
      wanted = undefined;
    }
  }

  /** One after the other: a waiting connection is handed to one. */
  let connecting: Promise<unknown> = Promise.resolve();
  return {
    command: withProgramInside(command, { node: process.execPath, program: INSIDE, socketPath }),
    connect(port) {
      const connected = connecting.then(() => connectNow(port));
      connecting = connected.catch(() => {});
      return connected;
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Whether the program inside says that it has connected. What follows the byte stays to be read. */
function firstByte(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const look = (): void => {
      const byte = socket.read(1) as Buffer | null;
      if (byte === null) return;
      socket.off('readable', look).off('close', gone);
      resolve(byte[0] === ACCEPTED);
    };
    const gone = (): void => resolve(false);
    socket.on('readable', look).once('close', gone);
    look();
  });
}

/** Runs inside as a program of its own, from its text: it may use nothing from outside its body. */
function serveInward(socketPath: string): void {
  const net = process.getBuiltinModule('node:net');
  const fs = process.getBuiltinModule('node:fs');
  let isReady = false;
  const offer = (): void => {
    const outside = net.connect({ path: socketPath, allowHalfOpen: true });
    outside.on('error', () => outside.destroy());
    outside.once('connect', () => {
      if (isReady) return;
      isReady = true;
      fs.writeSync(1, 'ready');
      // Opened again at once: a connection with one of these numbers would end the process.
      for (const descriptor of [1, 2]) {
        fs.closeSync(descriptor);
        fs.openSync('/dev/null', 'w');
      }
    });
    outside.once('data', (head) => {
      outside.pause();
      offer();
      const inside = net.connect({ port: head.readUInt16BE(0), host: 'localhost', allowHalfOpen: true });
      let isOpen = false;
      inside.once('connect', () => {
        isOpen = true;
        outside.write(Buffer.from([1]));
        outside.pipe(inside).pipe(outside);
      });
      inside.on('error', () => (isOpen ? outside.destroy() : outside.end(Buffer.from([0]))));
    });
  };
  offer();
}

const INSIDE = `(${serveInward.toString()})(process.argv[1])`;
