import { createMcpHttpHandler, type McpHttpHandler } from './http-handler.ts';
import { createMcpServers, type Offer } from './serve.ts';

export interface OpenMcpHttpOptions {
  offer: Offer;
  /** Resolves to true when the request may be served. */
  admits(request: Request): Promise<boolean>;
  onError(error: Error): void;
}

/** Serves the offer over streamable HTTP. */
export async function openMcpHttp({ offer, admits, onError }: OpenMcpHttpOptions): Promise<McpHttpHandler> {
  const create = await createMcpServers(offer);
  return createMcpHttpHandler({ create, admits, newSessionId: () => crypto.randomUUID(), onError });
}
