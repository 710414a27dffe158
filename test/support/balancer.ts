// One address in front of several gateways, as a balancer has: a new connection goes to the first gateway that accepts it.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  readonly origin: string;
  /** In the order in which they are tried. Asked for each connection. */
  readonly ports: (() => number)[];
  close(): Promise<void>;
}

export async function startBalancer(): Promise<Balancer> {
  const ports: (() => number)[] = [];
  const sockets = new Set<Socket>();

  async function reach(): Promise<Socket | undefined> {
    for (const port of ports) {
      const socket = connect(port(), '127.0.0.1');
      const isOpen = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      if (isOpen) return socket;
    }
    return undefined;
  }

  async function forward(near: Socket): Promise<void> {
    near.on('error', () => {});
    const far = await reach();
    if (!far) return void near.destroy();
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }

  const server = createServer({ pauseOnConnect: true }, (near) => {
    void forward(near).catch(() => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ports,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
