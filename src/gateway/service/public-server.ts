// The console for other machines: a second address of the same console, without the control API. It needs a password that is set, and
// TLS or the owner's explicit word that there is none.
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ServiceSettings } from '../settings/settings.ts';
import type { OpenedConsole } from './console-parts.ts';
import { ServiceError } from './service-error.ts';
import type { Log } from './service-log.ts';

export interface PublicServerOptions {
  settings: ServiceSettings;
  hasPassword(): Promise<boolean>;
  handle: OpenedConsole['handle'];
  log: Log;
  onDefect(error: unknown): void;
}

export interface PublicServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Undefined when the console is for this machine alone. Rejects with ServiceError, which says what is missing. */
export async function startPublicServer(options: PublicServerOptions): Promise<PublicServer | undefined> {
  const {
    consoleHost: host,
    consolePort: port,
    consoleTlsCert,
    consoleTlsKey,
    consolePlainHttp,
    consoleOrigins,
  } = options.settings;
  if (host === undefined) return undefined;
  const set = 'lainclaw gateway config set';
  if (!(await options.hasPassword()))
    throw refused(
      `consoleHost=${host} lets other machines reach the console, which needs a password: set one with "lainclaw console password"`,
    );
  const hasTls = consoleTlsCert !== undefined && consoleTlsKey !== undefined;
  if (!hasTls && !consolePlainHttp)
    throw refused(
      `consoleHost=${host} needs TLS: ${set} consoleTlsCert=<file> consoleTlsKey=<file>. Where something else encrypts the way (a proxy, a VPN), say so: ${set} consolePlainHttp=true`,
    );
  if (consoleOrigins.length === 0)
    throw refused(
      `consoleHost=${host} needs the address that browsers will use: ${set} consoleOrigins=${hasTls ? 'https' : 'http'}://<name>:${port}`,
    );
  const listener: RequestListener = async (incoming, outgoing) => {
    try {
      if (await options.handle(incoming, outgoing)) return;
      outgoing.writeHead(404).end();
    } catch (error) {
      options.onDefect(error);
      outgoing.destroy();
    }
  };
  const server = hasTls
    ? createTlsServer({ cert: await pem(consoleTlsCert), key: await pem(consoleTlsKey) }, listener)
    : createServer(listener);
  server.requestTimeout = 120_000;
  await listening(server, host, port);
  options.log({
    level: 'info',
    event: 'console',
    message: `other machines reach it at ${consoleOrigins.join(', ')}`,
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pem(path: string): Promise<Buffer> {
  return readFile(path).catch((error: Error) => {
    throw refused(`${path} cannot be read: ${error.message}`);
  });
}

function listening(server: Pick<Server, 'once' | 'listen'>, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: Error) =>
      reject(refused(`the console cannot listen on ${host}:${port}: ${error.message}`)),
    );
    server.listen(port, host, resolve);
  });
}

function refused(message: string): ServiceError {
  return new ServiceError('GATEWAY_START_FAILED', message);
}
