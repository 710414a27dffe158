// What the routes of the console are built on.

import type { Mode } from '../config/mode.ts';
import type { ConsoleAccess } from '../gateway/console-access/console-access.ts';
import type { Log } from '../gateway/service/service-log.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { RuntimeWorkspace } from '../runtime/workspace.ts';
import type { EventFeed } from './event-feed.ts';
import type { Guard } from './guard.ts';

export interface ConsoleContext {
  runtime: Runtime;
  access: ConsoleAccess;
  feed: EventFeed;
  /** The workspace that turns of a session run in: its own folder, otherwise that of the gateway. */
  workspaceFor(session: string | undefined): Promise<RuntimeWorkspace>;
  /** Counted as an attempt to guess one. */
  isLink: Guard['isLink'];
  version: string;
  /** Begins with / and has none at its end; empty without a proxy that adds one. */
  basePath(): string;
  cookieName(): string;
  /** Whether browsers reach it by HTTPS. */
  isSecure(): boolean;
  /** The gateway is about to end: it takes no new turns. */
  isDraining(): boolean;
  /** What needs permission where nobody can be asked. */
  unattendedMode(): Mode;
  /** Whether the OpenAI-compatible API is offered. */
  hasOpenAiApi(): boolean;
  log: Log;
  warn(text: string): void;
}
