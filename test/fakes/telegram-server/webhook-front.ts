// Stands where the gateway's HTTP server does: hands each request to the webhook of the channel that is open.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Front {
  readonly url: string;
  channel: { webhook?(request: Request): Promise<Response> } | undefined;
  close(): Promise<void>;
}

export async function openFront(): Promise<Front> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', async () => {
      const headers = new Headers(incoming.headers as Record<string, string>);
      const request = new Request(front.url, { method: 'POST', headers, body: Buffer.concat(chunks) });
      const answer = await front.channel?.webhook?.(request);
      response.writeHead(answer?.status ?? 503).end(await answer?.text());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const front: Front = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/telegram`,
    channel: undefined,
    close() {
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
  return front;
}
