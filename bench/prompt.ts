// What a model is sent before anyone has said a word: the system text and every built-in tool, in tokens.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { startModelServer } from '../test/fakes/model-server/model-server.ts';
import { createHome } from '../test/support/home.ts';
import { runBinary } from '../test/support/lainclaw.ts';
import type { Bench } from './bench.ts';

const LIMIT = 3_000;

export const prompt: Bench = {
  name: 'prompt',
  async run() {
    const server = await startModelServer({ script: [{ text: 'hello' }] });
    const home = createHome();
    try {
      const args = [
        'ask',
        'hello',
        '--provider',
        'openai-compatible',
        '--model',
        'fake',
        '--base-url',
        `${server.url}/v1`,
      ];
      const { code, stderr } = await runBinary(args, { home, env: { LAINCLAW_API_KEY: 'none' } });
      if (code !== 0) throw new Error(stderr);
      const sent = server.requests[0] as { body: unknown };
      const { messages, tools } = sent.body as {
        messages: { role: string; content: unknown }[];
        tools: unknown[];
      };
      const fixed = messages.filter(({ role }) => role !== 'user');
      const system = encode(JSON.stringify(fixed)).length;
      const offered = encode(JSON.stringify(tools)).length;
      return [
        {
          name: 'the fixed prompt',
          value: system + offered,
          unit: 'tokens',
          limit: LIMIT,
          detail: `system ${system}, ${tools.length} tools ${offered}`,
        },
      ];
    } finally {
      await server.close();
      home.remove();
    }
  },
};
