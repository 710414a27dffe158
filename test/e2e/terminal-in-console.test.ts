// A question at the terminal, seen in the console while it is answered.
import { expect, it } from 'vitest';
import { useLink } from '../support/browser-sign-in.ts';
import { openPage } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayHome } from '../support/gateway-service.ts';
import { runBinary, startLainclaw } from '../support/lainclaw.ts';
import { startWordServer } from '../support/word-server.ts';

it('shows a turn of "lainclaw ask" live, whole and once', async () => {
  const { home, state } = gatewayHome({ hasModel: false });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const baseUrl = await startWordServer({ words: 80, everyMs: 25, released });
  home.config({ provider: 'openai-compatible', baseUrl, model: 'words' });
  const { url } = (await runBinary(['up', '--port', '0'], { home })).json<{ url: string }>();
  const headers = await useLink(url);
  const page = openPage(() => ({ port: state().port, headers }));
  await eventually(() => expect(page.counts.connections).toBe(1));
  const running = startLainclaw(['ask', 'say it'], { home });
  const [turn = ''] = await eventually(() => {
    const seen = page.turnIds().filter((id) => page.textOf(id).includes('word-3 '));
    expect(seen).toHaveLength(1);
    return seen;
  });
  expect(page.textOf(turn)).not.toContain('word-80');
  release();
  const { code } = await running.ended;
  expect(code).toBe(0);
  await eventually(() => expect(page.isEnded(turn)).toBe(true));
  expect(page.textOf(turn)).toBe(Array.from({ length: 80 }, (_, index) => `word-${index + 1} `).join(''));
  expect(page.problems).toEqual([]);
  page.close();
});
