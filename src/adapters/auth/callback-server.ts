// Waits for the browser to come back from the sign-in page. Listens on this machine only, answers one path, and takes
// nothing that does not carry the state we made.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

export interface CallbackServer {
  /** False when the port was taken: then only a pasted code can help. */
  readonly isListening: boolean;
  /** Resolves with the code, rejects with what the service said instead. */
  readonly code: Promise<string>;
  close(): void;
}

export interface CallbackServerOptions {
  port: number;
  path: string;
  state: string;
}

export async function startCallbackServer({ port, path, state }: CallbackServerOptions): Promise<CallbackServer> {
  const { promise: code, resolve, reject } = Promise.withResolvers<string>();
  code.catch(() => {});

  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const url = URL.canParse(request.url ?? '', 'http://localhost')
      ? new URL(request.url ?? '', 'http://localhost')
      : undefined;
    const found = url?.searchParams.get('code');
    if (request.method !== 'GET' || url?.pathname !== path) {
      answer(response, 404, 'There is nothing here.');
    } else if (url.searchParams.get('state') !== state) {
      answer(response, 400, 'This sign-in was not started here.');
    } else if (found) {
      answer(response, 200, 'You are signed in. You can close this window.');
      resolve(found);
    } else {
      answer(response, 400, 'The sign-in was not completed. You can close this window.');
      reject(new Error('the sign-in page was closed without permission'));
    }
  }

  // Browsers take "localhost" for either; only the first has to succeed.
  const servers = await Promise.all(['127.0.0.1', '::1'].map((host) => listen(onRequest, port, host)));
  return {
    isListening: servers[0] !== undefined,
    code,
    close() {
      for (const server of servers) {
        server?.close();
        server?.closeAllConnections();
      }
    },
  };
}

function listen(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  port: number,
  host: string,
): Promise<Server | undefined> {
  const server = createServer(onRequest);
  const { promise, resolve } = Promise.withResolvers<Server | undefined>();
  server.once('error', () => resolve(undefined));
  server.listen(port, host, () => resolve(server));
  return promise;
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    connection: 'close',
  });
  response.end(`<!doctype html><meta charset="utf-8"><title>Lainclaw</title><p>${text}</p>`);
}
