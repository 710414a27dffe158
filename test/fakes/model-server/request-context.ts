// What the checks of a request are given, and how they tell what is wrong with it.
import type { IncomingHttpHeaders } from 'node:http';
import type { Dialect } from './neutral-request.ts';

export interface Violation {
  message: string;
  param?: string;
  code?: string;
  /** Refused by the ChatGPT gateway in front of the Responses API, which has an error shape of its own. */
  gateway?: true;
}

export interface RequestContext {
  dialect: Dialect;
  headers: IncomingHttpHeaders;
  /** False for an Ollama-like server: it ignores the fields it does not know. */
  hosted: boolean;
  /** Chat Completions as Mistral takes it: the result of a tool may hold any kind of content. */
  asMistral?: boolean;
  report(message: string, details?: Omit<Violation, 'message'>): void;
}
