// Google's own protocol of Gemini, as far as a search uses it: one question to `models/<model>:streamGenerateContent` with the tool
// `google_search`, answered as server-sent events with `groundingMetadata`. Refuses what the service would refuse.
// https://ai.google.dev/api/generate-content
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GeminiAnswer {
  texts: readonly string[];
  pages: readonly { uri: string; title: string }[];
  finishReason?: string;
}

export interface GeminiServer {
  url: string;
  questions: string[];
  violations: string[];
  close(): void;
}

const FIELDS = [
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'safetySettings',
  'generationConfig',
  'cachedContent',
];

export async function startGeminiServer(key: string, answer: GeminiAnswer): Promise<GeminiServer> {
  const questions: string[] = [];
  const violations: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const refuse = (code: number, status: string, message: string): void => {
      violations.push(message);
      response.writeHead(code, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code, message, status } }));
    };
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    if (request.method !== 'POST' || !/^\/v1beta\/models\/[\w.-]+:streamGenerateContent$/.test(pathname))
      return refuse(404, 'NOT_FOUND', `Invalid URL (${request.method} ${pathname})`);
    if (request.headers['x-goog-api-key'] !== key)
      return refuse(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.');
    if (searchParams.get('alt') !== 'sse')
      return refuse(400, 'INVALID_ARGUMENT', 'this fake answers with events alone');
    const body = JSON.parse(text) as Record<string, unknown>;
    const unknown = Object.keys(body).find((name) => !FIELDS.includes(name));
    if (unknown) return refuse(400, 'INVALID_ARGUMENT', `Invalid JSON payload received. Unknown name "${unknown}"`);
    if (JSON.stringify(body.tools) !== '[{"google_search":{}}]')
      return refuse(400, 'INVALID_ARGUMENT', `tools: ${JSON.stringify(body.tools)}`);
    const [content] = body.contents as { role: string; parts: { text: string }[] }[];
    if (content?.role !== 'user' || !content.parts[0]?.text)
      return refuse(400, 'INVALID_ARGUMENT', 'contents is not specified');
    questions.push(content.parts[0].text);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    answer.texts.forEach((each, index) => {
      const isLast = index === answer.texts.length - 1;
      const candidate = {
        content: { parts: [{ text: each }], role: 'model' },
        index: 0,
        ...(isLast && {
          finishReason: answer.finishReason ?? 'STOP',
          groundingMetadata: {
            webSearchQueries: ['a query'],
            searchEntryPoint: { renderedContent: '<div></div>' },
            groundingChunks: answer.pages.map((web) => ({ web })),
            groundingSupports: [{ segment: { endIndex: 5, text: each }, groundingChunkIndices: [0] }],
          },
        }),
      };
      const usageMetadata = {
        promptTokenCount: 100,
        toolUsePromptTokenCount: 20,
        candidatesTokenCount: 30,
        thoughtsTokenCount: 5,
        totalTokenCount: 155,
      };
      response.write(
        `data: ${JSON.stringify({ candidates: [candidate], usageMetadata, modelVersion: 'gemini' })}\r\n\r\n`,
      );
    });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1beta`, questions, violations, close: () => server.close() };
}
