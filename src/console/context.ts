// What the routes of the console are built on.

import type { IncomingMessage } from 'node:http';
import type { Mode } from '../config/mode.ts';
import type { ConsoleAccess } from '../gateway/console-access/console-access.ts';
import type { Log } from '../gateway/service/service-log.ts';
import type { KeptMessages } from '../gateway/turns/kept-messages.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { RuntimeWorkspace } from '../runtime/workspace.ts';
import type { EventFeed } from './event-feed.ts';
import type { Guard } from './guard.ts';
import type { PersonLimits } from './person-limits.ts';

export interface ConsoleContext {
  runtime: Runtime;
  access: ConsoleAccess;
  feed: EventFeed;
  /** The workspace that turns of a session run in: its own folder, otherwise that of the gateway. */
  workspaceFor(session: string | undefined): Promise<RuntimeWorkspace>;
  guard: Pick<Guard, 'link' | 'countPassword'>;
  version: string;
  /** Begins with / and has none at its end; empty without a proxy that adds one. */
  basePath(): string;
  cookieName(): string;
  /** Whether browsers reach it by HTTPS. */
  isSecure(request: IncomingMessage): boolean;
  /** The gateway is about to end: it takes no new turns. */
  isDraining(): boolean;
  /** Messages to turns that nobody waits for. */
  kept: KeptMessages;
  /** What invited people may do at once. */
  limits: PersonLimits;
  /** What needs permission where nobody can be asked. */
  unattendedMode(): Mode;
  /** Whether the OpenAI-compatible API is offered. */
  hasOpenAiApi(): boolean;
  log: Log;
  warn(text: string): void;
}
