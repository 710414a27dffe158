// The console lies above the gateway, which is handed a function that opens it and mounts what it gets on its own server.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceSettings } from '../settings/settings.ts';
import type { Log } from './service-log.ts';

/** What the service gives to its console. */
export interface ServiceParts {
  /** Of this start: whoever has it is the owner. */
  token: string;
  port(): number;
  /** As they are now. */
  settings(): ServiceSettings;
  log: Log;
  /** Something was left to be done in the background. */
  wake(): void;
}

export interface OpenedConsole {
  /** False: the path is not the console's. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<boolean>;
  /** Cancels its turns and ends its streams. */
  close(): Promise<void>;
}

export type OpenConsole = (parts: ServiceParts) => Promise<OpenedConsole>;
