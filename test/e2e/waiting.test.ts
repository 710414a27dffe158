// The wait for a model can be seen on a terminal, and leaves no trace: not on the screen, not on stdout, not in a pipe.
import { describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import { startOnScreen } from '../support/chat-terminal.ts';
import { runBinary } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

/** The answer comes when `release` is called. */
async function serveSlowly(): Promise<{ server: ModelServer; release(): void }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const server = await startModelServer({
    async script() {
      await promise;
      return { text: 'The answer.', reasoning: 'The sum is off by a cent.' };
    },
    models: ['claude-sonnet-5'],
  });
  afterFile(() => server.close());
  return { server, release: resolve };
}

const envOf = ({ url }: ModelServer) => ({
  ANTHROPIC_API_KEY: 'key-of-a-test',
  LAINCLAW_ANTHROPIC_BASE_URL: url,
  LAINCLAW_PROVIDER: 'anthropic',
});

describe.concurrent('ask', () => {
  it('shows on a terminal whom it waits for, until the text comes', async () => {
    const { server, release } = await serveSlowly();
    const screen = startOnScreen(['ask', 'why?'], { home: testHome(), env: envOf(server) });
    await screen.shows(/anthropic\/claude-sonnet-5 · \d+ s/);
    release();
    const { code } = await screen.ended;
    const everything = await screen.everything();
    expect([code, everything]).toEqual([0, expect.stringContaining('The answer.')]);
    expect(everything).not.toContain('claude-sonnet-5 ·');
  });

  it('writes none of it to a pipe', async () => {
    const { server, release } = await serveSlowly();
    const running = runBinary(['ask', '--text', 'why?'], { home: testHome(), env: envOf(server) });
    setTimeout(release, 800);
    const { stdout, stderr } = await running;
    expect([stdout, stderr]).toEqual(['The answer.\n', '']);
  });
});
