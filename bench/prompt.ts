// What a model is sent before anyone has said a word: the system text and every built-in tool, in tokens.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { type ModelServer, startModelServer } from '../test/fakes/model-server/model-server.ts';
import { createHome } from '../test/support/home.ts';
import { runBinary } from '../test/support/lainclaw.ts';
import type { Bench, Figure } from './bench.ts';

const LIMIT = 3_000;

const SEARCH = { webSearch: 'searxng', webSearchUrl: 'http://127.0.0.1:1' };

export const prompt: Bench = {
  name: 'prompt',
  async run() {
    const server = await startModelServer({ script: () => ({ text: 'hello' }) });
    try {
      return [
        await measured(server, 'the fixed prompt', {}),
        await measured(server, 'the fixed prompt with a search of the web', SEARCH),
        await measured(server, 'the fixed prompt in Chinese with a search', { language: 'zh', ...SEARCH }),
        await measured(server, 'the fixed prompt in Russian with a search', { language: 'ru', ...SEARCH }),
      ];
    } finally {
      await server.close();
    }
  },
};

async function measured(server: ModelServer, name: string, config: object): Promise<Figure> {
  const home = createHome();
  try {
    home.config(config);
    const address = ['--provider', 'openai-compatible', '--model', 'fake', '--base-url', `${server.url}/v1`];
    const { code, stderr } = await runBinary(['ask', 'hello', ...address], { home, env: { LAINCLAW_API_KEY: 'none' } });
    if (code !== 0) throw new Error(stderr);
    const sent = server.requests.at(-1) as { body: unknown };
    const { messages, tools } = sent.body as {
      messages: { role: string; content: unknown }[];
      tools: unknown[];
    };
    const system = encode(JSON.stringify(messages.filter(({ role }) => role !== 'user'))).length;
    const offered = encode(JSON.stringify(tools)).length;
    const detail = `system ${system}, ${tools.length} tools ${offered}`;
    return { name, value: system + offered, unit: 'tokens', limit: LIMIT, detail };
  } finally {
    home.remove();
  }
}
