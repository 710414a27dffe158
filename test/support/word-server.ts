// An openai-compatible server that answers in words with a pause before each, so that much can happen while a turn runs.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterFile } from './test-home.ts';

export interface WordServerOptions {
  words: number;
  everyMs: number;
  /** The last word waits for it. */
  released?: Promise<void>;
}

/** Answers `word-1 word-2 …`. Resolves with its address. */
export async function startWordServer({ words, everyMs, released }: WordServerOptions): Promise<string> {
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta: object, finish: string | null = null): void => {
      const choices = [{ index: 0, delta, finish_reason: finish }];
      response.write(
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'words', choices })}\n\n`,
      );
    };
    send({ role: 'assistant', content: '' });
    for (let word = 1; word <= words && !response.destroyed; word += 1) {
      await pause(everyMs);
      if (word === words) await released;
      send({ content: `word-${word} ` });
    }
    send({}, 'stop');
    response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
