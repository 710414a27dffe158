// What a model is sent of a conversation: how much of each request was in the one before it, with every built-in tool, what a
// service has cached of it, and what becomes of facts that were said long ago.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../src/config/environment.ts';
import { createRuntime } from '../src/runtime/runtime.ts';
import { startModelServer } from '../test/fakes/model-server/model-server.ts';
import type { NeutralRequest } from '../test/fakes/model-server/neutral-request.ts';
import { promptText, sharedBytes } from '../test/fakes/model-server/prompt-cache.ts';
import type { Reply } from '../test/fakes/model-server/reply.ts';
import { faithfulSummary, tellFortyFacts } from '../test/support/forty-facts.ts';
import type { Bench, Figure, Scale } from './bench.ts';

const FACTS = 40;
const PROVIDERS = [
  { provider: 'openai-compatible', model: 'fake', address: 'LAINCLAW_BASE_URL', path: '/v1', key: 'LAINCLAW_API_KEY' },
  {
    provider: 'anthropic',
    model: 'claude-sonnet-5',
    address: 'LAINCLAW_ANTHROPIC_BASE_URL',
    path: '',
    key: 'ANTHROPIC_API_KEY',
  },
];

export const conversation: Bench = {
  name: 'conversation',
  async run(scale) {
    const figures: Figure[] = [];
    for (const place of PROVIDERS) figures.push(...(await prefixes(place, scale)));
    figures.push(...(await facts(scale)));
    return figures;
  },
};

async function prefixes(
  { provider, model, address, path, key }: (typeof PROVIDERS)[number],
  scale: Scale,
): Promise<Figure[]> {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-bench-'));
  const server = await startModelServer({ script: twoRounds, promptCache: true });
  const variables = { LAINCLAW_HOME: home, [key]: 'none', [address]: server.url + path };
  const runtime = await createRuntime({ environment: readEnvironment({ variables, cwd: home }), warn: console.error });
  try {
    const gateway = await (await runtime.openWorkspace()).gateway();
    let cached = 0;
    let sent = 0;
    for (let turn = 0; turn < (scale === 'full' ? 30 : 3); turn += 1) {
      const request = {
        ...{ input: `Question ${turn}: what do the notes of day ${turn} say?`, attachments: [], provider, model },
        ...{
          sessionKey: 'main',
          newSession: false,
          withTools: true,
          toolMaxSteps: 3,
          mode: 'auto' as const,
          caps: {},
        },
      };
      for await (const event of await gateway.ask(request, new AbortController().signal)) {
        if (event.type !== 'run-end') continue;
        if (!event.result.success) throw new Error(event.result.error.message);
        cached += event.result.usage?.cachedTokens ?? 0;
        sent += event.result.usage?.inputTokens ?? 0;
      }
    }
    if (server.violations.length > 0) throw new Error(server.violations.join('; '));
    const prompts = server.requests.flatMap(({ dialect, body }) =>
      dialect ? [promptText(dialect, body as Record<string, unknown>)] : [],
    );
    const lost = prompts.slice(1).map((prompt, index) => {
      const before = prompts[index] as string;
      return 100 * (1 - sharedBytes(before, prompt) / Buffer.byteLength(before));
    });
    return [
      {
        name: `${provider}: not in the next request`,
        value: Math.max(...lost),
        unit: '% of a request, worst',
        limit: 1,
        detail: `${prompts.length} requests, the last of ${Buffer.byteLength(prompts.at(-1) ?? '')} bytes`,
      },
      {
        name: `${provider}: not read from the cache`,
        value: 100 * (1 - cached / sent),
        unit: '% of the tokens',
        limit: 10,
        detail: `${cached} of ${sent} tokens`,
      },
    ];
  } finally {
    await runtime.close();
    await server.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** A call of a tool, another one, and an answer. */
function twoRounds({ messages }: NeutralRequest): Reply {
  const question = messages.findLastIndex(({ role }) => role === 'user');
  const rounds = messages.slice(question).filter(({ role }) => role === 'assistant').length;
  if (rounds < 2)
    return {
      text: 'I will look.',
      toolCalls: [{ name: 'tools_echo', args: { note: `${messages.length} ${'word '.repeat(40)}` } }],
    };
  return { text: `It says the same as before. ${'word '.repeat(40)}` };
}

async function facts(scale: Scale): Promise<Figure[]> {
  const turns = scale === 'full' ? 300 : 80;
  const large = await tellFortyFacts({ turns, contextWindow: 128_000, summarise: faithfulSummary });
  const small = await tellFortyFacts({ turns, contextWindow: 16_000, summarise: faithfulSummary });
  const empty = await tellFortyFacts({ turns, contextWindow: 16_000, summarise: () => ({ text: '' }) });
  const detail = `of ${FACTS}, said in ${turns} turns of ${large.saidTokens} tokens`;
  return [
    { name: 'facts missing, window 128,000', value: FACTS - large.known, unit: 'facts', limit: 0, detail },
    {
      name: 'facts missing, window 16,000',
      value: FACTS - small.known,
      unit: 'facts',
      limit: 0,
      detail: `${detail}; ${small.summaries.length} summaries, each told`,
    },
    {
      name: 'empty summaries used or not told',
      value:
        empty.summaries.length - empty.notices.filter((notice) => notice.includes('could not be summarised')).length,
      unit: 'summaries',
      limit: 0,
      detail: `${empty.summaries.length} asked for, all refused`,
    },
  ];
}
