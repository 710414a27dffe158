// A connection to a server that can be cut as a network is: bytes stop without an error, and what was sent meanwhile arrives when
// it is whole again.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CutProxy {
  readonly port: number;
  /** Nothing passes any more, and neither side learns it. */
  cut(): void;
  restore(): void;
  /** Ends every connection with an error, as a server that was killed does. New ones are accepted. */
  reset(): void;
  close(): Promise<void>;
}

export async function startCutProxy(serverPort: number): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(serverPort, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isCut) from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    restore() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
