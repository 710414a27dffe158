// Tools that a model knows by name only: it finds and calls them, they are judged under their own names, and each request still
// begins with the bytes of the one before it.
import { expect, it } from 'vitest';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import { promptText, sharedBytes } from '../fakes/model-server/prompt-cache.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

interface Asked {
  toolCalls: { name: string; args: unknown }[];
  toolResults: { result: { ok: boolean; error?: { reason?: string } } }[];
}

it('are found, called and judged under their own names, and the prompt keeps its beginning', async () => {
  let id = '';
  const replies = [
    () => ({ toolCalls: [{ name: 'tool_search', args: { query: 'memory_forget' } }] }),
    () => ({ toolCalls: [{ name: 'tool_call', args: { name: 'memory_forget', args: { id } } }] }),
    () => ({ text: 'It needs your permission.' }),
  ];
  const server = await startModelServer({ script: () => replies.shift()?.() ?? { text: 'Done.' } });
  try {
    const home = testHome();
    const saving = await lainclaw(
      ['tools', 'invoke', 'memory_save', '--args', '{"content":"the cat is called Miro"}'],
      {
        home,
      },
    );
    id = saving.json<{ result: { data: { id: string } } }>().result.data.id;
    const ask = (...more: string[]) =>
      lainclaw(
        ['ask', ...more, '--provider', 'openai-compatible', '--model', 'fake', '--base-url', `${server.url}/v1`],
        { home, env: { LAINCLAW_API_KEY: 'none' } },
      );
    const asked = (await ask('Forget the cat.')).json<Asked>();
    expect(asked.toolCalls).toMatchObject([{ name: 'tool_search' }, { name: 'memory_forget', args: { id } }]);
    // Nobody is there to be asked, and the policy knows which tool it is.
    expect(asked.toolResults[1]?.result).toMatchObject({ ok: false, error: { reason: 'denied' } });
    await ask('And now?');

    const [first = {}] = server.requests.map(({ body }) => body as { tools?: { function: { name: string } }[] });
    const offered = first.tools?.map(({ function: { name } }) => name) ?? [];
    expect(offered).toContain('tool_search');
    expect(offered).not.toContain('memory_forget');
    expect(JSON.stringify(server.requests[1]?.body)).toContain('memory_forget: ');
    const prompts = server.requests.map(({ body }) => promptText('chat', body as Record<string, unknown>));
    for (const [index, prompt] of prompts.slice(1).entries())
      expect(sharedBytes(prompts[index] ?? '', prompt) / (prompts[index] ?? '').length).toBeGreaterThan(0.95);
    expect(server.violations).toEqual([]);
  } finally {
    await server.close();
  }
});
