// Serves the protocol on its own loopback port. Loopback does not prove who is asking: the handler checks.
import type { AddressInfo } from 'node:net';
import type { McpHttpHandler } from './http-handler.ts';
import { McpError } from './mcp-error.ts';

const PATH = '/mcp';

export interface ServeHttpOptions {
  handler: McpHttpHandler;
  /** 0 picks a free port. */
  port: number;
}

export interface ServingHttp {
  url: string;
  close(): Promise<void>;
}

export async function serveHttp({ handler, port }: ServeHttpOptions): Promise<ServingHttp> {
  const [{ Hono }, { createAdaptorServer }] = await Promise.all([import('hono'), import('@hono/node-server')]);
  const app = new Hono().all(PATH, ({ req }) => handler.handle(req.raw));
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE' ? 'another program uses it: choose another with --port' : error.message;
      reject(new McpError('MCP_UNREACHABLE', `port ${port} cannot be used: ${reason}`, error));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      await handler.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}
