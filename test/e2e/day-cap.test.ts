// A cap of the day while many turns run at once, as in a gateway with many chats. Driven in this process, against the real
// adapter and disk.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import { createModelApp } from '../support/model-app.ts';
import { afterFile } from '../support/test-home.ts';

it('turns of many chats at once spend at most one model call more than the day has', async () => {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-day-cap-'));
  const storage = createLocalStorage({ home, now: Date.now });
  const server = await startModelServer({ script: () => ({ text: 'Hello.', usage: { input: 90, output: 10 } }) });
  afterFile(async () => {
    await storage.close();
    await server.close();
    rmSync(home, { recursive: true, force: true });
  });
  const app = createModelApp({ storage, provider: 'openai-compatible', baseUrl: `${server.url}/v1`, tools: [] });
  const asking = Array.from({ length: 8 }, (_, chat) =>
    app.ask('hello', { sessionKey: `chat-${chat}`, caps: { dailyMaxTokens: 250 } }),
  );
  const results = (await Promise.all(asking)).map(({ result }) => result);
  expect(server.requests).toHaveLength(3);
  expect(results.filter(({ success }) => success)).toHaveLength(3);
  for (const result of results)
    if (!result.success) expect(result).toMatchObject({ stage: 'failed', error: { code: 'BUDGET_EXCEEDED' } });
});
