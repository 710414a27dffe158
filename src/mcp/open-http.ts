import { createMcpHttpHandler, type McpHttpHandler } from './http-handler.ts';
import { createMcpServers, type Offer } from './serve.ts';

export interface OpenMcpHttpOptions {
  offer: Offer;
  /** Whether whoever sent this may speak at all. */
  admits(request: Request): Promise<boolean>;
  onError(error: Error): void;
}

/** What is offered, over streamable HTTP. */
export async function openMcpHttp({ offer, admits, onError }: OpenMcpHttpOptions): Promise<McpHttpHandler> {
  const create = await createMcpServers(offer);
  return createMcpHttpHandler({ create, admits, newSessionId: () => crypto.randomUUID(), onError });
}
