// A server that gives embeddings in OpenAI's protocol, deterministic: a vector of the length that the model's name ends
// with ("words-40"), made of the words of the text, so that texts with the same words are alike.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface EmbeddingServer {
  baseUrl: string;
  /** Every text that was asked for, by model. */
  asked: { model: string; text: string }[];
  close(): void;
}

export async function startEmbeddingServer({ delayMs = 0 }: { delayMs?: number } = {}): Promise<EmbeddingServer> {
  const asked: EmbeddingServer['asked'] = [];
  const server = createServer(async (request, response) => {
    let source = '';
    for await (const chunk of request) source += chunk;
    const { model, input } = JSON.parse(source) as { model: string; input: string[] };
    asked.push(...input.map((text) => ({ model, text })));
    await sleep(delayMs);
    const dimension = Number(model.split('-').at(-1));
    response.setHeader('content-type', 'application/json');
    const data = input.map((text, index) => ({ index, object: 'embedding', embedding: vectorOf(text, dimension) }));
    response.end(JSON.stringify({ object: 'list', model, data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function vectorOf(text: string, dimension: number): number[] {
  const vector = new Array<number>(dimension).fill(0.01);
  for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
    let hash = 2_166_136_261;
    for (const character of word) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
    vector[hash % dimension] = (vector[hash % dimension] ?? 0) + 1;
  }
  return vector;
}
