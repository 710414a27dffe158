// A server of the protocol 2026-07-28 that asks before it answers: its tool `form` for a form, `address` for a visit to an address.
import { serve } from '@hono/node-server';
import { createMcpHandler, type InputRequest, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { PERSON_DEFAULTS } from './elicitation-schemas.ts';

const ASKED: Record<string, () => InputRequest> = {
  form: () => inputRequired.elicit({ message: 'Please fill this in', requestedSchema: PERSON_DEFAULTS }),
  address: () => inputRequired.elicitUrl({ message: 'Please go there', url: 'https://example.com/form' }),
};

function createAskingServer(): McpServer {
  const server = new McpServer({ name: 'asking', version: '1' }, { capabilities: { tools: {} } });
  for (const [name, asked] of Object.entries(ASKED))
    server.registerTool(name, { description: name }, ({ mcpReq: { inputResponses } }) => {
      if (!inputResponses) return inputRequired({ inputRequests: { it: asked() } });
      return { content: [{ type: 'text', text: JSON.stringify(inputResponses.it) }] };
    });
  return server;
}

export async function startAskingServer(): Promise<{ url: string; close(): Promise<void> }> {
  const { fetch } = createMcpHandler(createAskingServer, { legacy: 'reject' });
  return new Promise((resolve) => {
    const http = serve({ fetch: (request) => fetch(request), hostname: '127.0.0.1', port: 0 }, ({ port }) =>
      resolve({
        url: `http://127.0.0.1:${port}/mcp`,
        close: () => new Promise((closed) => void http.close(() => closed())),
      }),
    );
  });
}
