import type { SecretAttempt } from '../lib/secret-attempts.ts';
import { createMcpHttpHandler, type McpHttpHandler } from './http-handler.ts';
import { createMcpServers, type Offer } from './serve.ts';

export interface OpenMcpHttpOptions {
  offer: Offer;
  /** Tells whether the request carries the token. */
  admits(request: Request): Promise<SecretAttempt>;
  onError(error: Error): void;
}

/** Serves the offer over streamable HTTP. */
export async function openMcpHttp({ offer, admits, onError }: OpenMcpHttpOptions): Promise<McpHttpHandler> {
  const create = await createMcpServers(offer);
  return createMcpHttpHandler({ create, admits, newSessionId: () => crypto.randomUUID(), onError });
}
