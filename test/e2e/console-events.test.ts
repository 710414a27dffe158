// A page that is loaded again and again, and a gateway that is restarted, in the middle of turns: no event is lost, none comes twice.
import { expect, it } from 'vitest';
import { useLink } from '../support/browser-sign-in.ts';
import { openPage } from '../support/console-page.ts';
import { eventually } from '../support/eventually.ts';
import { gatewayHome } from '../support/gateway-service.ts';
import { runBinary } from '../support/lainclaw.ts';
import { startWordServer } from '../support/word-server.ts';

// The suite has few; both can be raised for a long run (docs/console.md).
const RELOADS = Number(process.env.CONSOLE_RELOADS ?? 25);
const RESTARTS = Number(process.env.CONSOLE_RESTARTS ?? 3);
/** Long enough that every reload falls into a turn. */
const WORDS = Math.max(60, RELOADS * 3);
const EXPECTED = Array.from({ length: WORDS }, (_, index) => `word-${index + 1} `).join('');

async function started() {
  const { home, gateway, state } = gatewayHome({ hasModel: false });
  const baseUrl = await startWordServer({ words: WORDS, everyMs: 10 });
  home.config({ provider: 'openai-compatible', baseUrl, model: 'words', modelTitles: false });
  const { url } = (await runBinary(['up', '--port', '0'], { home })).json<{ url: string }>();
  const headers = await useLink(url);
  const address = () => ({ port: state().port, headers });
  async function post<T>(path: string, body: object): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${address().port}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.ok).toBe(true);
    return (await answer.json()) as T;
  }
  const ask = (session: string) => post<{ turn: string; session: string }>('/api/turns', { session, text: 'say it' });
  return { home, gateway, address, post, ask };
}

it('loses and doubles nothing when the page is loaded again in the middle of turns', async () => {
  const { address, ask } = await started();
  const page = openPage(address);
  await eventually(() => expect(page.counts.connections).toBeGreaterThan(0));
  const turns = await Promise.all(['one', 'two'].map(ask));
  for (let reload = 1; reload <= RELOADS; reload += 1) {
    const { connections } = page.counts;
    if (reload % 5 === 0) page.reset();
    else page.reload();
    await eventually(() => expect(page.counts.connections).toBeGreaterThan(connections));
  }
  await eventually(() =>
    expect(turns.map(({ turn }) => page.isEnded(turn) || page.turn(turn).at(-1)?.type === 'run-end')).toEqual([
      true,
      true,
    ]),
  );
  for (const { turn } of turns) expect(page.textOf(turn)).toBe(EXPECTED);
  expect(page.problems).toEqual([]);
  page.close();
});

it('loses and doubles nothing when the gateway is restarted in the middle of turns', async () => {
  const { address, ask, post, gateway } = await started();
  const page = openPage(address);
  await eventually(() => expect(page.counts.connections).toBeGreaterThan(0));
  for (let restart = 1; restart <= RESTARTS; restart += 1) {
    const { turn, session } = await ask('main');
    await eventually(() => expect(page.textOf(turn)).toContain('word-3 '));
    // It lets the turn end, and the page gets all of it before it has to load its state again.
    expect((await gateway(['restart'])).code).toBe(0);
    await eventually(() => expect([page.textOf(turn), page.isEnded(turn)]).toEqual([EXPECTED, true]));
    const { messages } = await post<{ messages: { content: string }[] }>('/api/operations/sessions.show', {
      key: session,
    });
    expect(messages).toHaveLength(restart * 2);
    expect(messages.at(-1)?.content).toBe(EXPECTED);
    await eventually(() => expect(page.counts.resets).toBe(restart));
  }
  expect(page.problems).toEqual([]);
  page.close();
});
