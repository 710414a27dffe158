// Our server code with what the official conformance suite wants to find: its tools, resources and prompts. What Lainclaw itself
// never offers (sampling, elicitation, templates, subscriptions, completion) is added here, on the same connections.
import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server';
import { createMcpHttpHandler } from '../../../src/mcp/http-handler.ts';
import { callTool, createMcpServers, type Offer, type ServedResult, type ServedTool } from '../../../src/mcp/serve.ts';
import { type ServingHttp, serveHttp } from '../../../src/mcp/serve-http.ts';
import { ENUMS, PERSON_DEFAULTS, USER } from './elicitation-schemas.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const IMAGE = { type: 'image', data: PNG, mimeType: 'image/png' };
const NO_ARGUMENTS = { type: 'object', properties: {} } as const;

const text = (content: string) => ({ type: 'text', text: content });
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

const TOOLS: Record<string, (call: Parameters<Offer['call']>[2]) => Promise<ServedResult>> = {
  test_simple_text: async () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: async () => ({ content: [IMAGE] }),
  test_audio_content: async () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: async () => ({
    content: [
      resource('test://embedded-resource', { mimeType: 'text/plain', text: 'This is an embedded resource content.' }),
    ],
  }),
  test_multiple_content_types: async () => ({
    content: [
      text('Multiple content types test:'),
      IMAGE,
      resource('test://mixed-content-resource', {
        mimeType: 'application/json',
        text: JSON.stringify({ test: 'data', value: 123 }),
      }),
    ],
  }),
  async test_tool_with_logging({ log }) {
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      log('info', said);
      await pause();
    }
    return { content: [text('done')] };
  },
  async test_tool_with_progress({ progress }) {
    for (const done of [0, 50, 100]) {
      progress(`${done} of 100`);
      await pause();
    }
    return { content: [text('done')] };
  },
  test_error_handling: async () => ({
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  }),
};

/** These speak with the client while they run. */
const ASKING: Record<string, (args: Record<string, unknown>, context: ServerContext) => Promise<string>> = {
  async test_sampling({ prompt }, { mcpReq }) {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: String(prompt) } }];
    const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 });
    return `LLM response: ${JSON.stringify(content)}`;
  },
  async test_elicitation({ message }, { mcpReq }) {
    return `User response: ${JSON.stringify(await mcpReq.elicitInput({ message: String(message), requestedSchema: USER }))}`;
  },
  test_elicitation_sep1034_defaults: (_, context) => completed(context, PERSON_DEFAULTS),
  test_elicitation_sep1330_enums: (_, context) => completed(context, ENUMS),
  async test_reconnection(_, { http }) {
    await pause();
    http?.closeSSE?.();
    await pause();
    return 'after the break';
  },
};

async function completed({ mcpReq }: ServerContext, requestedSchema: typeof USER): Promise<string> {
  const { action, content } = await mcpReq.elicitInput({ message: 'Please fill this in', requestedSchema });
  return `Elicitation completed: action=${action}, content=${JSON.stringify(content)}`;
}

const SCHEMA_2020: ServedTool['inputSchema'] = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
  },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
};

const PROMPTS: Record<string, (args: Readonly<Record<string, string>>) => ReturnType<typeof text>[]> = {
  test_simple_prompt: () => [text('This is a simple prompt for testing.')],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  test_prompt_with_embedded_resource: ({ resourceUri = '' }) => [
    resource(resourceUri, { mimeType: 'text/plain', text: 'Embedded resource content for testing.' }) as never,
    text('Please process the embedded resource above.'),
  ],
  test_prompt_with_image: () => [IMAGE as never, text('Please analyze the image above.')],
};
const PROMPT_ARGUMENTS: Record<string, string[]> = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
};

const STATIC_TEXT = 'This is the content of the static text resource.';

const OFFER: Offer = {
  version: '0.0.0',
  tools: async () => [
    ...[...Object.keys(TOOLS), ...Object.keys(ASKING)].map((name) => tool(name, NO_ARGUMENTS)),
    tool('json_schema_2020_12_tool', SCHEMA_2020),
  ],
  call: async (name, _, call) => TOOLS[name]?.(call),
  resources: {
    list: async () => [
      { uri: 'test://static-text', name: 'static text', description: 'a text', mimeType: 'text/plain' },
      { uri: 'test://static-binary', name: 'static binary', description: 'a picture', mimeType: 'image/png' },
      { uri: 'test://watched-resource', name: 'watched', description: 'a text', mimeType: 'text/plain' },
    ],
    async read(uri) {
      if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG };
      if (uri === 'test://static-text') return { uri, mimeType: 'text/plain', text: STATIC_TEXT };
      const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? [];
      if (id === undefined) return undefined;
      const data = { id, templateTest: true, data: `Data for ID: ${id}` };
      return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
    },
  },
  prompts: {
    list: async () =>
      Object.keys(PROMPTS).map((name) => ({
        name,
        description: name,
        arguments: (PROMPT_ARGUMENTS[name] ?? []).map((each) => ({ name: each, description: each, required: true })),
      })),
    async get(name, args) {
      const messages = PROMPTS[name]?.(args).map((content) => ({ role: 'user' as const, content }));
      return messages && { messages };
    },
  },
};

export async function startConformanceServer(): Promise<ServingHttp> {
  const create = await createMcpServers(OFFER);
  const handler = await createMcpHttpHandler({
    create: () => withWhatWeDoNotOffer(create()),
    // The suite cannot send a token.
    admits: async () => ({ outcome: 'right' }),
    newSessionId: () => crypto.randomUUID(),
    onError: () => {},
  });
  return serveHttp({ handler, port: 0 });
}

function withWhatWeDoNotOffer(server: Server): Server {
  server.registerCapabilities({ completions: {}, resources: { subscribe: true } });
  server.setRequestHandler('tools/call', async ({ params }, context): Promise<CallToolResult> => {
    const asks = ASKING[params.name];
    if (asks) return { content: [{ type: 'text', text: await asks(params.arguments ?? {}, context) }] };
    const result = await callTool(OFFER, params, context);
    if (!result) throw new Error(`there is no tool ${params.name}`);
    return result;
  });
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' }],
  }));
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris'], total: 1, hasMore: false },
  }));
  return server;
}

function tool(name: string, inputSchema: ServedTool['inputSchema']): ServedTool {
  return { name, description: name, inputSchema, onlyReads: true };
}

function resource(uri: string, content: { mimeType: string; text: string }) {
  return { type: 'resource', resource: { uri, ...content } };
}
