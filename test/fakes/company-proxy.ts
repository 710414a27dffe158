// A proxy as companies run them: it tunnels, and it takes requests with a whole address. What it would reach, it answers itself.
import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface CompanyProxy {
  port: number;
  asked: { line: string; authorization: string | undefined }[];
  refuseWith(status: number): void;
  close(): Promise<void>;
}

export async function startCompanyProxy(): Promise<CompanyProxy> {
  const asked: CompanyProxy['asked'] = [];
  let refusal: number | undefined;
  const open = new Set<Socket>();
  const far = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => socket.write(`tunnelled ${data}`));
  });
  const server: Server = createHttpServer((call, answer) => {
    asked.push({ line: `${call.method} ${call.url}`, authorization: call.headers['proxy-authorization'] });
    answer.end(`${call.method} ${call.url} for ${call.headers.host}`);
  });
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.on('connect', (call, client: Socket) => {
    client.on('error', () => {});
    asked.push({ line: `CONNECT ${call.url}`, authorization: call.headers['proxy-authorization'] });
    if (refusal !== undefined) return void client.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
    const upstream = connect((far.address() as AddressInfo).port, '127.0.0.1');
    upstream.on('error', () => client.destroy());
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    client.pipe(upstream).pipe(client);
  });
  await Promise.all([once(server.listen(0, '127.0.0.1'), 'listening'), once(far.listen(0, '127.0.0.1'), 'listening')]);
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    refuseWith(status) {
      refusal = status;
    },
    async close() {
      for (const socket of open) socket.destroy();
      await Promise.all([
        new Promise((resolve) => server.close(resolve)),
        new Promise((resolve) => far.close(resolve)),
      ]);
    },
  };
}
