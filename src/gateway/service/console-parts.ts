// The console lies above the gateway, which is handed a function that opens it and mounts what it gets on its own server.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JobSettings, ServiceSettings } from '../settings/settings.ts';
import type { Log } from './service-log.ts';

/** What the service gives to its console. */
export interface ServiceParts {
  /** A secret of this start: a person who has it is the owner. */
  token: string;
  port(): number;
  /** As they are now. */
  settings(): ServiceSettings;
  /** How turns are asked where nobody is there. */
  jobs(): JobSettings;
  log: Log;
  /** Called with each line of the log from now on, a JSON object without secrets; returns what ends it. */
  onLogLine(listener: (line: string) => void): () => void;
  /** Something was left to be done in the background. */
  wake(): void;
}

export interface OpenedConsole {
  /** False: the path is not the console's. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<boolean>;
  hasPassword(): Promise<boolean>;
  /** Takes no new turns and lets those that run end, until the signal fires. A turn that waits for a person's answer is not waited for. */
  drain(signal: AbortSignal): Promise<void>;
  /** Cancels its turns and ends its streams. */
  close(): Promise<void>;
}

export type OpenConsole = (parts: ServiceParts) => Promise<OpenedConsole>;
